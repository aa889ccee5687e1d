#!/usr/bin/env python3
"""Uses the library as a Meson subproject: set up, build, run; no tests and no bench of ours there.

usage: subproject_test.py MESON SOURCE_ROOT
"""
import pathlib
import subprocess
import sys
import tempfile

MESON_BUILD = """project('consumer', 'cpp', default_options: ['cpp_std=c++17'])
scan_dep = dependency('scan', fallback: ['scan', 'scan_dep'])
test('consumer', executable('consumer', 'consumer.cpp', dependencies: scan_dep))
"""

CONSUMER = """#include <scan/host/host_scan.hpp>

int main() {
  const long in[5] = {3, 1, 4, 1, 5};
  long out[5];
  const scan::status e = scan::exclusive(scan::host, in, out, 5);
  const bool sized = scan::workspace::required_bytes(1 << 20, 4) > 0;  // of libscan.a
  return e.ok() && out[4] == 9 && sized ? 0 : 1;
}
"""


def main():
    meson, source_root = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        project = pathlib.Path(scratch) / "project"
        (project / "subprojects").mkdir(parents=True)
        (project / "subprojects" / "scan").symlink_to(source_root)
        (project / "meson.build").write_text(MESON_BUILD)
        (project / "consumer.cpp").write_text(CONSUMER)
        build = project / "build"
        # no prebuilt scan: the library has been compiled once already
        subprocess.run([meson, "setup", build, project, "--wrap-mode=nodownload",
                        "-Dscan:prebuilt=none"], check=True)
        targets = subprocess.run([meson, "introspect", build, "--targets"], check=True,
                                 capture_output=True, text=True).stdout
        assert "scan_bench" not in targets and "host_test" not in targets, targets
        subprocess.run([meson, "test", "-C", build, "--print-errorlogs"], check=True)


if __name__ == "__main__":
    main()

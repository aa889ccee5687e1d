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


def main():
    meson, source_root = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        project = pathlib.Path(scratch) / "project"
        (project / "subprojects").mkdir(parents=True)
        (project / "subprojects" / "scan").symlink_to(source_root)
        (project / "meson.build").write_text(MESON_BUILD)
        consumer = source_root / "tests" / "installed" / "consumer.cpp"
        (project / "consumer.cpp").write_text(consumer.read_text())
        build = project / "build"
        # one architecture that is the PTX one too: half the time to compile
        subprocess.run([meson, "setup", build, project, "--wrap-mode=nodownload",
                        "-Dscan:gpu_archs=75"], check=True)
        targets = subprocess.run([meson, "introspect", build, "--targets"], check=True,
                                 capture_output=True, text=True).stdout
        assert "scan_bench" not in targets and "host_test" not in targets, targets
        subprocess.run([meson, "test", "-C", build, "--print-errorlogs"], check=True)


if __name__ == "__main__":
    main()

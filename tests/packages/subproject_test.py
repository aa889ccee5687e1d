#!/usr/bin/env python3
"""Uses the library as a Meson subproject: set up, build, run; no tests and no bench of ours there.
Then the same program with what that installed, its folders apart from each other, by CMake.

usage: subproject_test.py MESON SOURCE_ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

MESON_BUILD = """project('consumer', 'cpp', default_options: ['cpp_std=c++17'])
scan_dep = dependency('scan', fallback: ['scan', 'scan_dep'])
test('consumer', executable('consumer', 'consumer.cpp', dependencies: scan_dep))
"""

CMAKE_LISTS = """cmake_minimum_required(VERSION 3.22)
project(consumer CXX)
find_package(scan 0.2 REQUIRED)
add_executable(consumer ../consumer.cpp)
target_compile_features(consumer PRIVATE cxx_std_17)
target_link_libraries(consumer PRIVATE scan::scan)
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


def with_cmake(meson, build, project, libdir):
    subprocess.run([meson, "install", "-C", build, "--no-rebuild"], check=True,
                   stdout=subprocess.DEVNULL)
    lists = project / "by_cmake"
    lists.mkdir()
    (lists / "CMakeLists.txt").write_text(CMAKE_LISTS)
    subprocess.run(["cmake", "-S", lists, "-B", lists / "build",
                    f"-Dscan_DIR={libdir / 'cmake' / 'scan'}"], check=True)
    subprocess.run(["cmake", "--build", lists / "build"], check=True)
    subprocess.run([lists / "build" / "consumer"], check=True)


def main():
    meson, source_root = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        project = pathlib.Path(scratch) / "project"
        (project / "subprojects").mkdir(parents=True)
        (project / "subprojects" / "scan").symlink_to(source_root)
        (project / "meson.build").write_text(MESON_BUILD)
        (project / "consumer.cpp").write_text(CONSUMER)
        build = project / "build"
        installed = {option: pathlib.Path(scratch) / option
                     for option in ["prefix", "libdir", "includedir"]}
        # no prebuilt scan: the library has been compiled once already
        subprocess.run([meson, "setup", build, project, "--wrap-mode=nodownload",
                        "-Dscan:prebuilt=none",
                        *(f"-D{option}={folder}" for option, folder in installed.items())], check=True)
        targets = subprocess.run([meson, "introspect", build, "--targets"], check=True,
                                 capture_output=True, text=True).stdout
        assert "scan_bench" not in targets and "host_test" not in targets, targets
        subprocess.run([meson, "test", "-C", build, "--print-errorlogs"], check=True)
        if shutil.which("cmake"):
            with_cmake(meson, build, project, installed["libdir"])


if __name__ == "__main__":
    main()

"""Puts libscan_c.so into the wheel, and says in its name which systems that is for.

Builds the library with Meson for the GPUs of SCAN_GPU_ARCHS (as -Dgpu_archs; "80,90,100" without) and all
newer ones, in build_python of the repository; or takes the one that ONEPASS_SCAN_LIBRARY names.
"""
import os
import pathlib
import platform
import re
import subprocess

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROMISED = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s)\.so|ld-linux")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def build_library():
    """The path of a library that has been built."""
    given = os.environ.get("ONEPASS_SCAN_LIBRARY")
    if given:
        return pathlib.Path(given).resolve()
    build = ROOT / "build_python"
    options = ["-Dlibscan_c=enabled", "-Dtests=disabled", "-Dbench=disabled", "-Dnccl=disabled",
               "-Dbaselines=disabled", "-Dgpu_archs=" + os.environ.get("SCAN_GPU_ARCHS", "80,90,100")]
    known = ["--reconfigure"] if (build / "build.ninja").exists() else []
    subprocess.run(["meson", "setup", build, ROOT, *known, *options], check=True)
    subprocess.run(["meson", "compile", "-C", build, "scan_c:shared_library"], check=True)
    return next((build / "src" / "c").glob("libscan_c.so")).resolve()


def platform_tag(library):
    """manylinux's, by the newest glibc that the library asks for (PEP 600)."""
    symbols = subprocess.run(["objdump", "-T", library], capture_output=True, text=True, check=True).stdout
    needed = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True).stdout
    others = {name for name in re.findall(r"NEEDED +(\S+)", needed) if not PROMISED.match(name)}
    if others:
        raise RuntimeError(f"{library} needs {', '.join(sorted(others))}, which manylinux does not promise")
    newest = max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(\d+\.\d+)", symbols))
    return f"manylinux_{newest[0]}_{newest[1]}_{platform.machine()}"


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if self.target_name == "sdist":
            raise RuntimeError("there is no sdist: the library is built of the whole repository. "
                               "`pip wheel`, or `python -m build --wheel`, makes a wheel of it")
        if version == "editable":  # which takes the library of ONEPASS_SCAN_LIBRARY
            return
        library = build_library()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag(library)}"  # no Python's ABI is in it
        build_data["force_include"][str(library)] = "onepass_scan/libscan_c.so"
        build_data["force_include"][str(ROOT / "LICENSE")] = "onepass_scan/LICENSE"

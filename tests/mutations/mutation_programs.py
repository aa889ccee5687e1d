"""Builds the programs of mutations.py: of the tree, or with a fault in one of its files."""
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEVICE_SOURCES = ["src/device/call_memory.cpp", "src/device/call_range.cpp", "src/device/checked_call.cpp",
                  "src/device/device_limits.cpp", "src/device/enqueue.cpp", "src/device/pending_error.cpp",
                  "src/device/reachable_memory.cpp", "src/device/tensor_map.cpp",
                  "src/device/workspace.cpp"]
# Of programs whose kernels are compiled for the stand-in GPU.
EMULATED = {
    "sources": [*DEVICE_SOURCES, "src/host/workers.cpp", "tests/emulated/check_segments.cpp",
                *(f"tests/emulated/{name}.cpp" for name in ("arrays", "copies", "cuda_calls", "engine", "threads")),
                "tests/support/doctest.cpp", "tests/support/main.cpp"],
    "flags": ["-O0", "-DEMULATED_ARCH=900", "-U_FORTIFY_SOURCE", "-fno-extern-tls-init", "-w"],
    "includes": ["tests/emulated/words", "tests/emulated"]}
# Headers that no fault is in, precompiled: they take half of the time of a small program.
NOT_OURS = ["algorithm", "atomic", "chrono", "cmath", "memory", "mutex", "optional", "random",
            "string", "thread", "vector", "cuda_bf16.h", "cuda_fp16.h", "cuda/atomic"]



class Broken(Exception):
    """The gate itself cannot do its work."""


def run(command, timeout=600, **more):
    """Exit code (124: ran out of time) and output."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=timeout, **more)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, ""
    except FileNotFoundError:
        return 127, ""


class Programs:
    """Builds test programs, of the tree or of one with a fault; objects that the fault is not in are
    the tree's."""

    def __init__(self, table, scratch, compiler, nvcc, arch):
        self.programs = {name: self.with_emulated(given) for name, given in table["programs"].items()}
        self.scratch = pathlib.Path(scratch)
        toolkit = pathlib.Path(nvcc[-1]).resolve().parent.parent
        if not (toolkit / "include").is_dir():
            toolkit = pathlib.Path("/usr/local/cuda")
        self.toolkit = toolkit
        self.compiler, self.nvcc, self.arch = compiler, nvcc, arch
        self.edited = {}
        for program in self.programs:
            self.edit(program)
        self.precompiled = {}

    @staticmethod
    def with_emulated(given):
        if not given.get("emulated"):
            return given
        return {**given, **{key: EMULATED[key] + given.get(key, []) for key in EMULATED}}

    def edit(self, program):
        """A folder with the files that the program asks to be edited."""
        for name in {edit["file"] for edit in self.programs[program].get("edits", [])}:
            self.edited[program] = self.scratch / "edited" / program
            write_to(self.edited[program] / name, text_for(self.programs[program], name))

    def includes(self, program, overlay):
        roots = [root for root in (overlay, self.edited.get(program), ROOT) if root]
        folders = [*self.programs[program].get("includes", []), "include", "src", "."]
        own = [f"-I{root / folder}" for root in roots for folder in folders]
        return own + [f"-I{ROOT / 'tests/compiled_here'}"]

    def toolkit_headers(self):
        return [f"-isystem{self.toolkit}/include/cccl", f"-isystem{self.toolkit}/include"]

    def precompile(self, programs):
        """Of those on CPU threads that have neither flags nor headers in front of others' (g++ alone
        knows what to do with it; others read the headers)."""
        for program in programs:
            chosen = self.programs[program]
            if self.is_device(program) or chosen.get("flags") or chosen.get("includes"):
                continue
            headers = NOT_OURS + ["doctest/doctest.h"] * ("tests/support/doctest.cpp" in chosen["sources"])
            header = self.scratch / f"not_ours_{len(headers)}.hpp"
            self.precompiled[program] = ["-include", str(header)]
            if not header.exists():
                write_to(header, "".join(f"#include <{name}>\n" for name in headers))
                run([*self.compiler, "-std=c++20", "-O1", *self.toolkit_headers(), "-x",
                     "c++-header", str(header), "-o", f"{header}.gch"])

    def compile(self, program, source, overlay, to):
        """The object, and of the tree's a list of what it is made of."""
        path = overlay / source if overlay and (overlay / source).exists() else ROOT / source
        flags = self.programs[program].get("flags", [])
        if path.suffix == ".cu":
            command = [*self.nvcc, "-std=c++20", "-O1", f"-arch={self.arch}", *flags,
                       *self.includes(program, overlay)]
        else:
            command = [*self.compiler, "-std=c++20", "-O1", *flags, *self.includes(program, overlay),
                       *self.toolkit_headers(), *self.precompiled.get(program, [])]
        to.parent.mkdir(parents=True, exist_ok=True)
        code, output = run([*command, "-MD", "-MF", f"{to}.d", "-c", str(path), "-o", str(to)])
        if code != 0:
            raise Broken(f"{source} does not compile:\n{output[-2000:]}")
        return to

    def tree_object(self, program, source):
        chosen = self.programs[program]
        flags = "".join(chosen.get("flags", []) + chosen.get("includes", []) +
                        ([program] if program in self.edited else []) +
                        [pathlib.Path(header).stem for header in self.precompiled.get(program, [])[1:]])
        return self.scratch / "tree" / re.sub(r"\W", "_", source + flags)

    def sources(self, program):
        return self.programs[program]["sources"] + (DEVICE_SOURCES if self.is_device(program)
                                                    else [])

    def is_device(self, program):
        return self.programs[program].get("device", False)

    def has(self, program, source, name):
        """Whether the tree's object of `source` is made of the file `name`."""
        made_of = pathlib.Path(f"{self.tree_object(program, source)}.d").read_text()
        roots = [root for root in (ROOT, self.edited.get(program)) if root]
        parts = made_of.replace("\\\n", " ").split()
        return source == name or any(str(root / name) in parts for root in roots)

    def build(self, program, overlay=None, changed=None, to=None):
        objects = []
        for source in self.sources(program):
            of_tree = self.tree_object(program, source)
            if overlay is None or not self.has(program, source, changed):
                objects.append(of_tree)
            else:
                objects.append(self.compile(program, source, overlay,
                                            overlay / re.sub(r"\W", "_", source)))
        if overlay is not None and all(o.is_relative_to(self.scratch / "tree") for o in objects):
            raise Broken(f"{program} does not include {changed}")
        to = to or (overlay or self.scratch / "tree") / f"{program}.program"
        flags = self.programs[program].get("flags", [])
        libraries = ["-lpthread"]
        if self.is_device(program):
            libraries = [f"-L{self.toolkit}/lib64", "-lcudart_static", "-lrt", "-ldl", "-lpthread",
                         "-s"]
        code, output = run([*self.compiler, *flags, *map(str, objects), *libraries, "-o", str(to)])
        if code != 0:
            raise Broken(f"{program} does not link:\n{output[-2000:]}")
        return to


def replaced(text, change, who):
    times = text.count(change["from"])
    if times != 1 and not (change.get("every") and times > 1):
        raise Broken(f"{who}: {change['file']} has {times} times:\n{change['from']}")
    return text.replace(change["from"], change["to"])


def text_for(program, name):
    """The library's file `name` with the program's edits."""
    text = (ROOT / name).read_text()
    for edit in program.get("edits", []):
        if edit["file"] == name:
            text = replaced(text, edit, "an edit")
    return text


def write_to(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

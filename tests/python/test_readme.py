"""The examples of src/python/README.md, run as they stand there; what they print is in their comments."""
import contextlib
import io
import pathlib
import re

import pytest

README = pathlib.Path(__file__).resolve().parents[2] / "src" / "python" / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples(number):
    names = {}
    for block in (EXAMPLES[0], EXAMPLES[number]):  # each after the first
        for framework in re.findall(r"^import (torch|jax)$", block, re.MULTILINE):
            pytest.importorskip(framework)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block, names)
    wanted = re.findall(r"^print\(.*\)  +# (.*)$", block, re.MULTILINE)
    assert wanted and printed.getvalue().splitlines() == wanted


def test_there_are_examples():
    assert len(EXAMPLES) == 4

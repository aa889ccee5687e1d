"""The tests of devices, by pytest; 77 where there is none, or no torch and CuPy that can use it."""
import os
import pathlib
import sys

import pytest


class Outcome:
    """Whether any test has run."""
    passed = failed = 0

    def pytest_runtest_logreport(self, report):
        self.passed += report.when == "call" and report.passed
        self.failed += report.failed


def jax_has_a_device():
    """Whether JAX computes on one, of whose memory it is to take no more than it needs."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax
        return jax.default_backend() == "gpu"
    except (ImportError, RuntimeError):
        return False


outcome = Outcome()
here = pathlib.Path(__file__).parent
files = ["test_device.py", "test_device_torch.py"] + (["test_jax.py"] if jax_has_a_device() else [])
code = pytest.main(["-q", "-p", "no:cacheprovider", "-rs", *(str(here / name) for name in files)],
                   plugins=[outcome])
sys.exit(77 if outcome.passed == outcome.failed == 0 else int(code))

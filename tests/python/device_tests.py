"""The tests of devices, by pytest; 77 where there is none, or no torch and CuPy that can use it."""
import pathlib
import sys

import pytest


class Outcome:
    """Whether any test has run."""
    passed = failed = 0

    def pytest_runtest_logreport(self, report):
        self.passed += report.when == "call" and report.passed
        self.failed += report.failed


outcome = Outcome()
here = pathlib.Path(__file__).parent
code = pytest.main(["-q", "-p", "no:cacheprovider", "-rs", str(here / "test_device.py"),
                    str(here / "test_device_torch.py")], plugins=[outcome])
sys.exit(77 if outcome.passed == outcome.failed == 0 else int(code))

"""The settings under which notebooks were stored, for every test run."""

import os
import platform
from pathlib import Path

from bookkit import notebooks

os.environ.update(notebooks.kernel_environment(Path(__file__).parent))


def pytest_configure(config):
    """Have figures compared where they were drawn: on Linux x86-64."""
    if (platform.system(), platform.machine()) == notebooks.STORED_ON:
        config.option.nbval_sanitize_with = None

"""What every test run shares: the notebooks' settings, and what it costs."""

import contextlib
import ctypes
import os
import platform
import sys
from pathlib import Path

from bookkit import cost, notebooks

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h

os.environ.update(notebooks.kernel_environment(Path(__file__).parent))


def pytest_configure(config):
    """Have figures compared where they were drawn: on Linux x86-64."""
    if (platform.system(), platform.machine()) == notebooks.STORED_ON:
        config.option.nbval_sanitize_with = None
    # Windows does not tell what a process that has ended took.
    if os.name == "posix" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Cost())


class Cost:
    """What a run cost: CPU seconds of all its processes, and loops."""

    def __init__(self):
        """Start to measure; have a browser's orphans counted, if we can."""
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.meter = cost.Meter()

    def pytest_terminal_summary(self, terminalreporter):
        """Print what the run cost, in one line."""
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        terminalreporter.write_line(self.meter.told())

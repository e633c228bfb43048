"""What every test run shares: the notebooks' settings, and what it costs."""

import contextlib
import ctypes
import os
import platform
import sys
import time
from pathlib import Path

from bookkit import notebooks

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
    """What a run cost: CPU seconds of all its processes, and loops.

    A loop is what sum(i * i for i in range(20_000_000)) takes here and now,
    so that numbers of two machines, or of a busy one, can be compared.
    """

    def __init__(self):
        """Time the loop; have a browser's orphans counted, where we can."""
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.before = seconds_of_loop()

    def pytest_terminal_summary(self, terminalreporter):
        """Time the loop again, and print one line."""
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        seconds = sum(os.times()[:4])
        loop = (self.before + seconds_of_loop()) / 2
        terminalreporter.write_line(
            f"{seconds:.0f} CPU seconds, {seconds / loop:.0f} loops"
        )


def seconds_of_loop():
    """Return the CPU seconds of a loop, by a tenth of it."""
    start = time.process_time()
    sum(i * i for i in range(2_000_000))
    return 10 * (time.process_time() - start)

"""What a run costs: CPU seconds of all its processes, and loops.

A loop is what sum(i * i for i in range(20_000_000)) takes here and now, so
that numbers of two machines, or of a busy one, can be compared. A fiftieth of
it is timed every five seconds, beside the run: a processor that is busy, or
throttled, takes longer for either.
"""

import os
import select
import subprocess
import sys
import time
from contextlib import suppress

SECONDS_BETWEEN = 5
PART = 50


def seconds_of_loop():
    """Return the CPU seconds of a loop, by a part of it."""
    start = time.process_time()
    sum(i * i for i in range(20_000_000 // PART))
    return PART * (time.process_time() - start)


class Meter:
    """Times the loop from now on, in a process of its own."""

    def __init__(self):
        """Start that process; it ends with this one."""
        self.beside = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def told(self):
        """Say what this process and those that it waited for took so far."""
        loop = float(self.beside.communicate()[0])
        seconds = sum(os.times()[:4])
        return f"{seconds:.0f} CPU seconds, {seconds / loop:.0f} loops"


def main():
    """Time the loop until the standard input ends, and print its mean."""
    timed = [seconds_of_loop()]
    while not select.select([sys.stdin], [], [], SECONDS_BETWEEN)[0]:
        timed.append(seconds_of_loop())
    with suppress(BrokenPipeError):  # a run that was stopped asks no more
        print(sum(timed) / len(timed), flush=True)


if __name__ == "__main__":
    main()

"""What a run costs: CPU seconds of all its processes, and loops.

A loop is what sum(i * i for i in range(20_000_000)) takes here and now, so
that numbers of two machines, or of a busy one, can be compared.
"""

import os
import time


def seconds_of_loop():
    """Return the CPU seconds of a loop, by a tenth of it."""
    start = time.process_time()
    sum(i * i for i in range(2_000_000))
    return 10 * (time.process_time() - start)


def told(before):
    """Say what this process and those that it waited for took so far.

    Parameters
    ----------
    before : seconds of the loop at the start.
    """
    seconds = sum(os.times()[:4])
    loop = (before + seconds_of_loop()) / 2
    return f"{seconds:.0f} CPU seconds, {seconds / loop:.0f} loops"

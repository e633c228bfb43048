"""Take the census again: `python -m experiments.census`."""

import gc
import sys
from pathlib import Path

from experiments.census.take import decided, keep, read

gc.disable()  # millions of nodes live long; looking for dead ones is slow
folder = Path(sys.argv[1] if len(sys.argv) > 1 else "_build/wheels")
keep(decided(read(folder)))

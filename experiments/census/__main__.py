"""Take the census again: `python -m experiments.census`."""

import sys
from pathlib import Path

from experiments.census.take import keep, take

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "_build/wheels")
keep(take(folder), folder)

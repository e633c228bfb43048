"""What the tests of the site share: the explorables' arithmetic."""

from pathlib import Path

import pytest
from scripts import calling

EXPLORABLES = Path(__file__).parents[2] / "site" / "explorables"


@pytest.fixture(scope="module")
def script():
    """Return a function that calls an expression of the explorables."""
    with calling(sorted(EXPLORABLES.glob("*.js"))) as call:
        yield call

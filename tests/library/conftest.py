"""How Hypothesis looks for counterexamples in the library."""

import os

from hypothesis import settings

# A slow machine is no counterexample; in CI a run must not depend on chance.
settings.register_profile(
    "book", deadline=None, derandomize="CI" in os.environ
)
settings.load_profile("book")

"""How the tests of the site call its scripts, without a browser."""

import contextlib
import json

from py_mini_racer import MiniRacer


@contextlib.contextmanager
def calling(paths):
    """Yield a function that calls an expression of these scripts."""
    with MiniRacer() as engine:
        for path in paths:
            engine.eval(path.read_text(encoding="utf-8"))

        def call(function, *arguments):
            listed = ", ".join(json.dumps(a) for a in arguments)
            return json.loads(
                engine.eval(f"JSON.stringify(({function})({listed}))")
            )

        yield call

"""Names, and forwards of modules, that do something else for a while."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import MethodType
from typing import Any

NOTHING = object()


class Patch:
    """Another value for one of a place's names, put in and taken away."""

    def __init__(self, place: dict[str, Any], name: str, value: Any) -> None:
        self.place, self.name, self.value = place, name, value
        self.before: Any = NOTHING

    def on(self) -> None:
        """Put the value in place."""
        self.before = self.place.get(self.name, NOTHING)
        self.place[self.name] = self.value

    def off(self) -> None:
        """Put back what was there, unless somebody has put in another."""
        if self.place.get(self.name) is not self.value:
            return
        if self.before is NOTHING:
            del self.place[self.name]
        else:
            self.place[self.name] = self.before


@contextmanager
def wrapped(
    module: Any, name: str, around: Callable[..., Any]
) -> Iterator[None]:
    """Have `around` run a module's forward, or its "_compiled_call_impl".

    It is called with the method and its arguments.
    """
    own, before = getattr(module, name), vars(module).get(name)

    def forward(self, *args, **kwargs):
        if self is not module:  # a copy that was made in the meantime
            of_copy = getattr(own, "__func__", None)
            if of_copy is None:
                return own(*args, **kwargs)
            return of_copy(self, *args, **kwargs)
        if not open_:
            return own(*args, **kwargs)
        return around(own, *args, **kwargs)

    # somebody may look at its signature, or store the module
    forward.__name__ = name
    with suppress(TypeError, ValueError):
        known = inspect.signature(own)
        itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        forward.__signature__ = known.replace(  # type: ignore[attr-defined]
            parameters=[itself, *known.parameters.values()]
        )
    open_ = True
    method = MethodType(forward, module)
    try:
        object.__setattr__(module, name, method)
    except Exception:  # a scripted module has a forward of its own
        yield
        return
    try:
        yield
    finally:
        open_ = False
        # somebody may have put a wrapper of theirs around this one
        if vars(module).get(name) is method:
            if before is None:
                del vars(module)[name]
            else:
                vars(module)[name] = before

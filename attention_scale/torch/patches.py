"""Names that mean something else for a while."""

from typing import Any

__all__ = ["Patch"]

NOTHING = object()


class Patch:
    """Another value for a name, which can be put in place and taken away.

    Parameters
    ----------
    place : the names of a module or an object.
    name, value : what is put there.
    """

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

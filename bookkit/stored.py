"""What experiments found: small archives of arrays in book/data/.

`experiments.store` writes them, with what made them. A chapter reads them by
name, and is run again when they change (`fingerprints`).
"""

import json
from pathlib import Path

import numpy as np

__all__ = ["FOLDER", "read"]

FOLDER = Path(__file__).resolve().parents[1] / "book" / "data"


def read(name):
    """Return what an experiment stored.

    Parameters
    ----------
    name : of a file of book/data/, without its ending.

    Returns
    -------
    dict
        Arrays by name; under `provenance` a dict: program, what it was told,
        versions, machine, sha256 of its inputs, digests of its scripts.
    """
    with np.load(FOLDER / f"{name}.npz") as archive:
        arrays = {key: archive[key] for key in archive.files}
    return arrays | {"provenance": json.loads(str(arrays["provenance"]))}

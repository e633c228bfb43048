"""Store the words that the four heads of the sample read.

    python -m experiments.trained.words

Writes book/data/trained-words.npz: the first tokens of a window, as text.
"""

import numpy as np
import torch

from experiments import store
from experiments.trained import decoder, sources, within
from experiments.trained.windows import window


def main():
    """Cut the window as those who measured did, and store its tokens."""
    _, tokenizer = decoder.load()
    tokens = torch.tensor(tokenizer.encode(sources.text("prose")).ids)
    read = window(tokens, tokenizer, "prose", 0)[: within.KEYS].tolist()
    words = np.array([tokenizer.decode([token]) for token in read])
    if "".join(words) != tokenizer.decode(read):
        raise ValueError("a token is only a part of a letter")
    told = {"window": "prose 0", "keys": within.KEYS}
    inputs = sources.inputs("decoder")
    packages = ("numpy", "tokenizers", "torch")
    path = store.write(
        "trained-words", {"words": words}, __file__, told, inputs, packages
    )
    print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

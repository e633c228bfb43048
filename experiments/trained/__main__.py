"""Run what has not been run yet, and store what was found.

python -m experiments.trained [--texts prose plays code] [--windows 0 1]
"""

import argparse

import torch

from experiments.trained import decoder, longer, sources, within


def main():
    """Read what to run, and run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", nargs="+", default=sources.TEXTS)
    parser.add_argument("--windows", nargs="+", type=int, default=[0, 1])
    told = parser.parse_args()
    torch.set_num_threads(1)
    w, tokenizer = decoder.load()
    tokens = {
        text: torch.tensor(tokenizer.encode(sources.text(text)).ids)
        for text in told.texts
    }
    for number in told.windows:
        for part in (within, longer):
            part.main(w, tokens, tokenizer, told.texts, [number])


if __name__ == "__main__":
    main()

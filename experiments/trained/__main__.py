"""Run what has not been run yet, and store what was found.

    python -m experiments.trained [--texts prose plays code] [--windows 0 1]

With texts or windows named, only those are run, and nothing is stored: so
several processes can share the work. Without, what is missing is run, and all
is stored.
"""

import argparse

import torch

from experiments.trained import (
    agreement,
    collect,
    decoder,
    encoder,
    longer,
    second_collect,
    sources,
    untrained,
    within,
    words,
)

NUMBERS = (0, 1)  # of the windows of each text


def main():
    """Read what to run, and run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", nargs="+", choices=sources.TEXTS)
    parser.add_argument("--windows", nargs="+", type=int)
    told = parser.parse_args()
    torch.set_num_threads(1)
    w, tokenizer = decoder.load()
    tokens = {
        text: torch.tensor(tokenizer.encode(sources.text(text)).ids)
        for text in sources.TEXTS
    }
    a_part = told.texts or told.windows
    if not a_part:
        agreement.main(w, tokens)
        encoder.main()
        untrained.main(w, tokens)
        within.ask(w, tokens, tokenizer, sources.TEXTS, [0])
    for number in told.windows or NUMBERS:
        for text in told.texts or sources.TEXTS:
            for part in (within, longer):
                part.main(w, tokens, tokenizer, [text], [number])
    if not a_part:
        collect.main()
        second_collect.main()
        words.main()


if __name__ == "__main__":
    main()

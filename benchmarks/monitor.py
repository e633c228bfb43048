"""What `monitor` costs a model: 256 rows of a call on 2,048 tokens.

In the environment of `make test-torch`: make bench-torch. A decoder of random
weights with the shape of SmolLM2-135M's layers, of which it has four, on one
thread: its CPU seconds, which a busy machine leaves as they are. The forward
pass with and without monitor by turns.
"""

from time import process_time

import numpy as np
import torch
import transformers
from rounds import row, spread

from attention_scale.torch import monitor

ROUNDS = 3
TOKENS, ROWS = 2048, (64, 256)
WIDTHS = (20, 22, 22, 12)
SHAPE = {
    "vocab_size": 1000,
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 4,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "max_position_embeddings": TOKENS,
}


def main():
    """Time the plain pass, and the passes that are looked at."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(**SHAPE)
    ).eval()
    tokens = torch.randint(0, 1000, (1, TOKENS))

    def plain():
        with torch.no_grad():
            model(tokens)

    def watched(rows):
        with monitor(model, rows=rows):
            plain()

    plain()
    row(WIDTHS, ["rows of a call", "plain, ms", "with monitor, ms", "ratio"])
    for rows in ROWS:
        pairs = np.array(
            [(cost(plain), cost(watched, rows)) for _ in range(ROUNDS)]
        )
        ratio = np.median(pairs[:, 1] / pairs[:, 0])
        cells = [f"{rows}", *(spread(1e3 * x) for x in pairs.T)]
        row(WIDTHS, [*cells, f"{ratio:.2f}"])
    layers = SHAPE["num_hidden_layers"]
    print(f"\n{layers} layers, {TOKENS} tokens, {ROUNDS} rounds.")


def cost(function, *arguments):
    """Return the CPU seconds of one call."""
    start = process_time()
    function(*arguments)
    return process_time() - start


if __name__ == "__main__":
    main()

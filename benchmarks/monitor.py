"""What looking at a model costs, as a share of a training step.

In the environment of `make test-torch`: make bench-torch. A decoder of random
weights with the shape of SmolLM2-135M's layers, of which it has four, on one
thread: its CPU seconds, which a busy machine leaves as they are. Steps with
and without by turns, and the exact numbers of all rows beside one call of the
kernel.
"""

import numpy as np
import torch
import transformers
from rounds import cpu_seconds, row, spread
from torch.nn.functional import scaled_dot_product_attention

from attention_scale.torch import exact, monitor

ROUNDS = 5
BATCH, TOKENS, ROWS = 2, 1024, (64, 256)
EVERY = 100  # steps from one look of AttentionLogger to the next
WIDTHS = (24, 22, 22, 12)
SHAPE = {
    "vocab_size": 1000,
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 4,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "max_position_embeddings": TOKENS,
}
EXACT = (
    exact.row_entropy,
    exact.row_mean_logit,
    exact.row_effective_keys,
    exact.largest_logits,
)


def main():
    """Time steps, and kernels."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SHAPE))
    tokens = torch.randint(0, 1000, (BATCH, TOKENS))

    def step():
        model(input_ids=tokens, labels=tokens).loss.backward()
        model.zero_grad()

    def watched(rows):
        with monitor(model, rows=rows):
            step()

    step()
    row(WIDTHS, ["rows of a call", "a step, ms", "looked at, ms", "ratio"])
    for rows in ROWS:
        ratio, cells = compared(step, watched, rows)
        row(WIDTHS, [f"{rows}", *cells, f"{ratio:.3f}"])
        if rows == min(ROWS):
            logged = 1 + (ratio - 1) / EVERY
    row(WIDTHS, [f"one step in {EVERY}", "", "", f"{logged:.4f}"])
    layers = SHAPE["num_hidden_layers"]
    print(f"{layers} layers, {BATCH} texts of {TOKENS} tokens.\n")

    query, key = torch.randn(2, 1, 8, 2048, 64)

    def kernel():
        scaled_dot_product_attention(query, key, key, is_causal=True)

    row(WIDTHS, ["all rows", "the kernel, ms", "exact, ms", "ratio"])
    for function in EXACT:
        ratio, cells = compared(
            kernel, lambda f: f(query, key, causal=True), function
        )
        row(WIDTHS, [function.__name__, *cells, f"{ratio:.2f}"])
    print(f"8 heads, 2048 tokens, {ROUNDS} rounds.")


def compared(plain, other, argument):
    """Return the ratio of the costs of two functions, and both in words."""
    pairs = np.array(
        [
            (cpu_seconds(plain), cpu_seconds(other, argument))
            for _ in range(ROUNDS)
        ]
    )
    ratio = np.median(pairs[:, 1] / pairs[:, 0])
    return ratio, [spread(1e3 * x) for x in pairs.T]


if __name__ == "__main__":
    main()

"""Numbers of all rows from fused kernels, against all rows written out."""

import pytest
import torch

from attention_scale.torch import exact

KINDS = {torch.float32: 2e-5, torch.float64: 1e-11, torch.bfloat16: 2e-5}
N_QUERIES, N_KEYS, HEADS = 64, 80, 4


def drawn(kind, device="cpu", n_keys=N_KEYS):
    generator = torch.Generator().manual_seed(0)
    query = 3 * torch.randn(2, HEADS, N_QUERIES, 16, generator=generator)
    key = torch.randn(2, 2, n_keys, 16, generator=generator)
    return query.to(device, kind), key.to(device, kind)


def written_out(query, key, causal, mask):
    """Return what the functions should, in float64."""
    key = key.double().repeat_interleave(2, dim=1)
    x = query.double() @ key.transpose(-1, -2) / 4
    seen = torch.ones(x.shape[-2:], dtype=torch.bool)
    if causal:
        seen = seen.tril(x.shape[-1] - x.shape[-2])
    if mask is not None:
        seen = seen & mask
    x = x.masked_fill(~seen, -torch.inf)
    p = x.softmax(-1)
    return {
        "row_entropy": torch.special.entr(p).sum(-1),
        "row_mean_logit": (p * x.nan_to_num(neginf=0)).sum(-1),
        "row_effective_keys": 1 / (p**2).sum(-1),
        "largest_logits": x.amax((0, 2, 3)),
    }


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("kernel", ["fused", "in blocks"])
@pytest.mark.parametrize("n_keys", [N_QUERIES, N_KEYS])
def test_numbers_are_those_of_all_rows(
    kind, causal, masked, kernel, n_keys, monkeypatch
):
    if kernel == "in blocks":
        monkeypatch.setattr(exact, "KERNELS", {})
        monkeypatch.setattr(exact, "AT_ONCE", 5000)
    query, key = drawn(kind, n_keys=n_keys)
    mask = torch.arange(n_keys) != 5 if masked else None
    wanted = written_out(query, key, causal, mask)
    near = {"rtol": KINDS[kind], "atol": KINDS[kind]}
    for name, values in wanted.items():
        found = getattr(exact, name)(query, key, causal=causal, mask=mask)
        if name == "largest_logits":
            assert (found.lower.double() <= values + KINDS[kind]).all()
            assert (found.upper.double() >= values - KINDS[kind]).all()
            # log of at most 80 keys, over k - 1
            assert (found.upper - found.lower < 0.035).all()
        else:
            torch.testing.assert_close(found.double(), values, **near)


def test_a_mask_that_is_added_masks():
    query, key = drawn(torch.float32)
    seen = torch.arange(N_KEYS) != 5
    added = torch.where(seen, 0.0, -1e4)
    for one in exact.row_entropy, exact.row_effective_keys:
        assert torch.equal(
            one(query, key, mask=added), one(query, key, mask=seen)
        )


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("causal", [True, False])
def test_on_a_gpu_the_largest_logit_is_exact(causal):
    query, key = drawn(torch.float32, "cuda")
    wanted = written_out(query.cpu(), key.cpu(), causal, None)
    found = exact.largest_logits(query, key, causal=causal)
    assert torch.equal(found.lower, found.upper)
    torch.testing.assert_close(
        found.lower.cpu().double(), wanted["largest_logits"], rtol=1e-4, atol=0
    )
    torch.testing.assert_close(
        exact.row_entropy(query, key, causal=causal).cpu().double(),
        wanted["row_entropy"],
        rtol=1e-4,
        atol=1e-4,
    )


EVERY = (
    exact.row_entropy,
    exact.row_mean_logit,
    exact.row_effective_keys,
    exact.largest_logits,
)
Q, K = torch.ones(2, 4, 8), torch.ones(2, 6, 8)


@pytest.mark.parametrize(
    "query, key, more, words",
    [
        (Q.int(), K, {}, "query: an array of torch.int32; it should be of fl"),
        (Q, torch.ones(3, 6, 8), {}, "query: shape .* should divide"),
        (K, Q, {"causal": True}, "query: shape .* as many keys"),
        (Q, K, {"mask": torch.ones(6)}, "mask: it adds numbers"),
        (Q, K, {"mask": torch.ones(6).int()}, "mask: an array of torch.int32"),
        (Q, K, {"mask": torch.ones(5) > 0}, "mask: shape .* broadcast"),
    ],
)
def test_wrong_arguments_are_named(query, key, more, words):
    error = TypeError if "an array of" in words else ValueError
    for call in EVERY:
        with pytest.raises(error, match=f"^{words}"):
            call(query, key, **more)

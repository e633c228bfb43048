"""Numbers of many model types against what goes into softmax in eager mode."""

import numpy as np
import pytest
import zoo

# Rotations and norms of some models are float32 even in a model of float64,
# and the kernels round sums of them in another order.
TOLERANCE = 1e-6
# Logits of a window without its masked keys, and no softmax at all.
UNSEEN = {"longformer": 2, "rwkv": 2, "qwen3_next": 1}


@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
@pytest.mark.parametrize("model_type", zoo.TYPES)
def test_what_is_seen_is_right_and_what_is_not_is_named(
    model_type, implementation
):
    found = zoo.tried(model_type, implementation)
    if found is None:
        pytest.skip(f"{model_type} has no {implementation}")
    report, wanted, error = found
    assert error < TOLERANCE
    assert wanted <= {*report.layers, *report.unseen}
    assert len(report.unseen) == UNSEEN.get(model_type, 0)
    for name, reason in report.unseen.items():
        assert f"attention modules were not seen: {name}" in repr(report) or (
            f", {name}" in repr(report)
        )
        assert reason in repr(report)
    if model_type not in ("longformer", "rwkv"):
        assert wanted
        assert set(report.layers) >= wanted
        assert np.nansum(report.nonfinite) == 0

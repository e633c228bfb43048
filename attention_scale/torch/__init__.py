"""Look at the rows of a PyTorch model while it runs, or scale them.

Needs PyTorch and array-api-compat: pip install 'attention-scale[torch]'.
"""

from attention_scale.torch.exact import (
    Largest,
    largest_logits,
    row_effective_keys,
    row_entropy,
    row_mean_logit,
)
from attention_scale.torch.logger import AttentionLogger
from attention_scale.torch.looks import monitor
from attention_scale.torch.report import Report
from attention_scale.torch.rescale import rescaled

__all__ = [
    "AttentionLogger",
    "Largest",
    "Report",
    "largest_logits",
    "monitor",
    "rescaled",
    "row_effective_keys",
    "row_entropy",
    "row_mean_logit",
]

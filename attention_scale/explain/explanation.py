"""What `explain` found, as it prints."""

from dataclasses import dataclass, field
from math import inf, isnan, sqrt


@dataclass(frozen=True)
class Applied:
    """What the products of queries and keys were multiplied by in one call.

    Attributes
    ----------
    factor : all that multiplies the logits between the projections (or their
        norms) and softmax: median over layers and tokens. Where the
        projections are not known by their names, scale times rope_factor.
    lowest, highest : of the layers' medians.
    scale : what the attention function was given; NaN if layers differ.
    rope_factor : cos² + sin² of the model's rotations; 1 without.
    layers : in how many layers it was measured.
    qk_norm : whether there are norms of queries beside the projections.
    """

    factor: float
    lowest: float
    highest: float
    scale: float
    rope_factor: float
    layers: int
    qk_norm: bool

    def __str__(self) -> str:
        of = f"in {self.layers} layers" if self.layers > 1 else "in one layer"
        spread = ""
        if self.highest > 1.001 * self.lowest:
            spread = f" [{self.lowest:.4g}, {self.highest:.4g}]"
        given = (
            "" if isnan(self.scale) else f"; given to softmax {self.scale:.4g}"
        )
        rope = f", by RoPE × {self.rope_factor:.4g}" * (self.rope_factor != 1)
        return f"{self.factor:.4g}{spread} {of}{given}{rope}"


@dataclass(frozen=True)
class Explanation:
    """What `explain` found.

    Attributes
    ----------
    model_type : the family.
    d : dimensions of a query and a key.
    scale : what the products of queries and keys are multiplied by.
    rope_factor : what RoPE's amplitudes multiply the logits by beside it: the
        square of the attention factor, on the rotated dimensions.
    rotated : share of the dimensions that are rotated.
    growth : what a rule multiplies the last query by, at n keys.
    cap : c of a soft cap c tanh(logits / c), or infinity.
    qk_norm : whether queries and keys are normed.
    alpha_start : standard deviation of the logits at the start, by chapter 2:
        normed tokens, weights of the configuration's standard deviation.
    n : the number of keys.
    alpha_c : √(2 log n), around which few keys of a normal row keep the
        weight.
    source : file and line, or who was asked.
    applied : what a call of the model was multiplied by, if one was made.
    warnings : what to look at twice.
    """

    model_type: str
    d: int
    scale: float
    rope_factor: float
    rotated: float
    growth: float
    cap: float
    qk_norm: bool
    alpha_start: float
    n: int
    alpha_c: float
    source: str
    applied: Applied | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def factor(self) -> float:
        """What reaches the logits of the rotated dimensions: both factors."""
        return self.scale * self.rope_factor

    @property
    def configured(self) -> float:
        """The same over all dimensions, in the mean over their squares."""
        turned = self.rotated * self.rope_factor
        return self.scale * (1 - self.rotated + turned)

    def __str__(self) -> str:
        rope = ""
        if self.rope_factor != 1:
            on = ""
            if self.rotated < 1:
                on = f" on {self.rotated:.0%} of the dimensions"
            rope = f"RoPE's amplitudes     × {self.rope_factor:.4g}{on}"
        lines = [
            f"{self.model_type}, {self.d} dimensions a head, {self.n:,} keys",
            f"softmax scale         {self.scale:.4g} = "
            f"{self.scale * sqrt(self.d):.4g} / √{self.d}",
            rope,
            f"at the last key       × {self.growth:.4g}"
            if self.growth != 1
            else "",
            f"capped at             ± {self.cap:g}" if self.cap < inf else "",
            f"α at the start        {self.alpha_start:.2f}"
            + (", by the norms of q and k" if self.qk_norm else ""),
            f"α_c = √(2 log n)      {self.alpha_c:.2f}",
            *self._beside(),
            f"read in               {self.source}",
            *(f"look at:              {words}" for words in self.warnings),
        ]
        return "\n".join(filter(None, lines))

    def _beside(self) -> list[str]:
        """Return what is configured beside what is applied."""
        if self.applied is None:
            return []
        return [
            f"configured in all     {self.configured:.4g}",
            f"actually applied      {self.applied}",
        ]

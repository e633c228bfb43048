"""How families of published models scale their logits, read from their code.

Of transformers 5.23.0; each family names the file and the line.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Family:
    """How a family's code scales its logits.

    source : line of the softmax scale, in models/<name>/modeling_<name>.py.
    norm : "always", or the key of the configuration that decides, with its
        default, or none; norm_line says where.
    head_dim : default of the configuration, where it is not width / heads.
    rotated : share of the dimensions that RoPE turns, likewise.
    """

    name: str
    line: str
    scale: str = "head"
    norm: str | tuple[str, bool] = ""
    norm_line: str = ""
    head_dim: int = 0
    rotated: float = 1.0
    latent: bool = False
    grows: str = ""
    more: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        lines = ", ".join(filter(None, (self.line, self.norm_line)))
        return (
            f"transformers 5.23.0, models/{self.name}/modeling_{self.name}.py:"
            f"{lines}"
        )


def latent(name: str, line: str, **more: Any) -> Family:
    """Return a family whose keys come from a latent of few dimensions."""
    return Family(name, line, scale="latent", latent=True, **more)


def normed(name: str, line: str, norm_line: str, **more: Any) -> Family:
    """Return a family that always norms queries and keys."""
    return Family(name, line, norm="always", norm_line=norm_line, **more)


FAMILIES = {
    family.name: family
    for family in [
        normed("apertus", "206", "222"),
        Family("bart", "169", more=("mbart", "pegasus", "marian")),
        Family("bert", "152", more=("roberta",)),
        Family("bloom", "186"),
        Family("cohere", "212", norm=("use_qk_norm", False), norm_line="228"),
        Family("cohere2", "187"),
        latent("deepseek_v2", "346, 281-287"),
        latent("deepseek_v3", "405, 268-274"),
        latent("deepseek_v32", "380, 287-293"),
        normed("exaone4", "198", "209"),
        Family("falcon", "228"),
        Family("gemma", "226", head_dim=256),
        Family("gemma2", "221, 195-198", scale="query_pre", head_dim=256),
        normed("gemma3", "307", "327", scale="query_pre", head_dim=256,
               more=("gemma3_text",)),
        normed("gemma3n", "1172", "1182", scale="one", head_dim=256,
               more=("gemma3n_text",)),
        normed("gemma4", "1165", "1177", scale="one", head_dim=256,
               more=("gemma4_text",)),
        Family("glm4_moe", "183", norm=("use_qk_norm", False),
               norm_line="198"),
        Family("gpt2", "96-100", scale="gpt2"),
        Family("gpt_neo", "111", scale="one"),
        Family("gpt_neox", "177"),
        Family("gpt_oss", "269, 285", head_dim=64),
        Family("gptj", "97, 149"),
        Family("granite", "123", scale="multiplier"),
        Family("granitemoe", "272", scale="multiplier"),
        normed("inkling", "200", "215", scale="inverse"),
        Family("llama", "215"),
        Family("llama4", "312, 359-366", norm=("use_qk_norm", True),
               norm_line="331", head_dim=128, grows="llama4",
               more=("llama4_text",)),
        Family("ministral3", "119, 104-106, 145-149", grows="ministral"),
        Family("mistral", "130"),
        latent("mistral4", "419, 277-283, 477-481", grows="ministral"),
        Family("mixtral", "280"),
        Family("mpt", "76-78", scale="mpt"),
        normed("nanochat", "186", "203"),
        normed("olmo2", "197", "213"),
        normed("olmo3", "145", "161"),
        Family("opt", "128"),
        Family("phi3", "199"),
        Family("qwen2", "178"),
        normed("qwen3", "213", "229", head_dim=128),
        normed("qwen3_moe", "130", "146"),
        normed("qwen3_next", "238", "253", head_dim=256, rotated=0.25),
        Family("smollm3", "175"),
        Family("stablelm", "232", norm=("qk_layernorm", False),
               norm_line="244"),
        Family("starcoder2", "149"),
        Family("t5", "197", scale="one", more=("mt5",)),
        Family("umt5", "209", scale="one"),
        Family("whisper", "268"),
    ]
}  # fmt: skip
FAMILIES |= {
    other: family for family in FAMILIES.values() for other in family.more
}

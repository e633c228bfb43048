"""How families of published models scale their logits, read from their code.

Of transformers 5.23.0; each family names the file and the line.
"""

from dataclasses import dataclass

__all__ = ["FAMILIES", "Family"]


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


def latent_family(name: str, line: str, grows: str = "") -> Family:
    return Family(name, line, scale="latent", latent=True, grows=grows)


FAMILIES = {
    family.name: family
    for family in [
        Family("apertus", "206", norm="always", norm_line="222"),
        Family("bart", "169", more=("mbart", "pegasus", "marian")),
        Family("bert", "152", more=("roberta",)),
        Family("bloom", "186"),
        Family("cohere", "212", norm=("use_qk_norm", False), norm_line="228"),
        Family("cohere2", "187"),
        latent_family("deepseek_v2", "346, 281-287"),
        latent_family("deepseek_v3", "405, 268-274"),
        latent_family("deepseek_v32", "380, 287-293"),
        Family("exaone4", "198", norm="always", norm_line="209"),
        Family("falcon", "228"),
        Family("gemma", "226", head_dim=256),
        Family("gemma2", "221, 195-198", scale="query_pre", head_dim=256),
        Family(
            "gemma3",
            "307",
            scale="query_pre",
            norm="always",
            norm_line="327",
            head_dim=256,
            more=("gemma3_text",),
        ),
        Family(
            "gemma3n",
            "1172",
            scale="one",
            norm="always",
            norm_line="1182",
            head_dim=256,
            more=("gemma3n_text",),
        ),
        Family(
            "gemma4",
            "1165",
            scale="one",
            norm="always",
            norm_line="1177",
            head_dim=256,
            more=("gemma4_text",),
        ),
        Family(
            "glm4_moe", "183", norm=("use_qk_norm", False), norm_line="198"
        ),
        Family("gpt2", "96-100", scale="gpt2"),
        Family("gpt_neo", "111", scale="one"),
        Family("gpt_neox", "177"),
        Family("gpt_oss", "269, 285", head_dim=64),
        Family("gptj", "97, 149"),
        Family("granite", "123", scale="multiplier"),
        Family("granitemoe", "272", scale="multiplier"),
        Family(
            "inkling", "200", scale="inverse", norm="always", norm_line="215"
        ),
        Family("llama", "215"),
        Family(
            "llama4",
            "312, 359-366",
            norm=("use_qk_norm", True),
            norm_line="331",
            head_dim=128,
            grows="llama4",
            more=("llama4_text",),
        ),
        Family("ministral3", "119, 104-106, 145-149", grows="ministral"),
        Family("mistral", "130"),
        latent_family("mistral4", "419, 277-283, 477-481", grows="ministral"),
        Family("mixtral", "280"),
        Family("mpt", "76-78", scale="mpt"),
        Family("nanochat", "186", norm="always", norm_line="203"),
        Family("olmo2", "197", norm="always", norm_line="213"),
        Family("olmo3", "145", norm="always", norm_line="161"),
        Family("opt", "128"),
        Family("phi3", "199"),
        Family("qwen2", "178"),
        Family("qwen3", "213", norm="always", norm_line="229", head_dim=128),
        Family("qwen3_moe", "130", norm="always", norm_line="146"),
        Family(
            "qwen3_next",
            "238",
            norm="always",
            norm_line="253",
            head_dim=256,
            rotated=0.25,
        ),
        Family("smollm3", "175"),
        Family(
            "stablelm", "232", norm=("qk_layernorm", False), norm_line="244"
        ),
        Family("starcoder2", "149"),
        Family("t5", "197", scale="one", more=("mt5",)),
        Family("umt5", "209", scale="one"),
        Family("whisper", "268"),
    ]
}
FAMILIES |= {
    other: family for family in FAMILIES.values() for other in family.more
}

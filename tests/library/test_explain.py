"""What configurations multiply the logits by, against their code by hand."""

import json
import re
import subprocess
import sys
from math import log, sqrt

import pytest

from attention_scale.explain import FAMILIES, explain


def yarn(factor, mscale=1):
    """transformers 5.23.0, modeling_rope_utils.py:430-433."""
    return 0.1 * mscale * log(factor) + 1


def sized(width, heads, **more):
    """Return a configuration by the names that most families have."""
    return {"hidden_size": width, "num_attention_heads": heads, **more}


def stretched(factor, original, kind="yarn", **more):
    """Return rotations for a longer text."""
    given = {"rope_type": kind, "factor": factor, **more}
    return {
        "rope_scaling": given | {"original_max_position_embeddings": original}
    }


DEEPSEEK = sized(
    *(7168, 128),
    q_lora_rank=1536,
    kv_lora_rank=512,
    qk_nope_head_dim=128,
    qk_rope_head_dim=64,
    max_position_embeddings=163840,
)
LATENT = DEEPSEEK | stretched(40, 4096, mscale=1.0, mscale_all_dim=1)
LESS = DEEPSEEK | stretched(40, 4096, mscale=0.707, mscale_all_dim=0.707)
QWEN = sized(4096, 32, head_dim=128, max_position_embeddings=131072)
OSS = sized(2880, 64, head_dim=64, max_position_embeddings=131072)
PHI = sized(3072, 32, max_position_embeddings=131072)
LONGROPE = {
    "original_max_position_embeddings": 4096,
    "rope_scaling": {"type": "longrope", "long_factor": [1.0]},
}
# of published configurations: what its code computes, written out; the lines
# are those of models/<name>/modeling_<name>.py in transformers 5.23.0
GOLDEN = {
    # bert:152
    "bert": (sized(768, 12), 1 / 8, 1),
    # gpt2:96-100
    "gpt2": ({"n_embd": 768, "n_head": 12, "n_positions": 1024}, 1 / 8, 1),
    # gpt_neo:111, no scale
    "gpt_neo": ({"hidden_size": 2048, "num_heads": 16}, 1, 1),
    # t5:197
    "t5": ({"d_model": 512, "d_kv": 64, "num_heads": 8}, 1, 1),
    # llama:215; rope_type llama3 leaves amplitudes alone
    "llama": (sized(4096, 32, **stretched(8.0, 8192, "llama3")), 128**-0.5, 1),
    # gemma2:221, of the model with 27 billion parameters
    "gemma2": (
        sized(4608, 32, head_dim=128, query_pre_attn_scalar=144), 1 / 12, 1),
    # gemma3:307, likewise
    "gemma3_text": (
        sized(5376, 32, head_dim=128, query_pre_attn_scalar=168),
        168**-0.5, 1),
    # gemma3n:1172
    "gemma3n": (sized(2048, 8), 1, 1),
    # granite:123
    "granite": (sized(2048, 32, attention_multiplier=1 / 64), 1 / 64, 1),
    # qwen3:213, YaRN by hand as its authors say
    "qwen3": (QWEN | stretched(4.0, 32768), 128**-0.5, yarn(4) ** 2),
    # gpt_oss:269, modeling_rope_utils.py:436-440
    "gpt_oss": (OSS | stretched(32.0, 4096, truncate=False), 1 / 8, 1.8133),
    # deepseek_v3:405, 268-274: through the softmax scale, and not cos and sin
    "deepseek_v3": (LATENT, 192**-0.5 * yarn(40) ** 2, 1),
    # deepseek_v2:346, 281-287
    "deepseek_v2": (LESS, 192**-0.5 * yarn(40, 0.707) ** 2, 1),
    # phi3:199, modeling_rope_utils.py:560-568
    "phi3": (PHI | LONGROPE, 96**-0.5, 1 + log(32) / log(4096)),
    # whisper:268, bart:169: a decoder's heads beside an encoder's
    "whisper": (
        {"d_model": 1280, "decoder_attention_heads": 20,
         "encoder_attention_heads": 20, "max_target_positions": 448},
        1 / 8, 1),
    "bart": ({"d_model": 1024, "decoder_attention_heads": 16}, 1 / 8, 1),
    # umt5:209
    "umt5": ({"d_model": 512, "d_kv": 64, "num_heads": 6}, 1, 1),
    # granitemoe:272
    "granitemoe": (sized(1536, 24, attention_multiplier=1 / 64), 1 / 64, 1),
    # deepseek_v32:380, 287-293
    "deepseek_v32": (LATENT, 192**-0.5 * yarn(40) ** 2, 1),
    # qwen3_moe:130, without head_dim: width over heads
    "qwen3_moe": (sized(2048, 32), 1 / 8, 1),
    # inkling:200
    "inkling": (sized(1024, 8), 1 / 128, 1),
    # mpt:76-78
    "mpt": ({"d_model": 4096, "n_heads": 32, "max_seq_len": 8}, 128**-0.5, 1),
    # llama4:312
    "llama4_text": (
        sized(5120, 40, max_position_embeddings=1048576), 128**-0.5, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_factors_are_those_of_the_published_code(name):
    config, scale, rope_factor = GOLDEN[name]
    found = explain({"model_type": name, **config})
    assert found.scale == pytest.approx(scale, rel=1e-12)
    # to the digits of the table of chapter 8
    assert found.rope_factor == pytest.approx(rope_factor, rel=1e-4)
    assert found.factor == found.scale * found.rope_factor
    assert re.search(r"modeling_\w+\.py:\d+", found.source)


def test_every_family_names_its_lines():
    for name, family in FAMILIES.items():
        assert name == family.name or name in family.more
        assert re.fullmatch(r"[\d, -]+", family.line)
        assert bool(family.norm) == bool(family.norm_line)


def test_an_attention_factor_of_the_configuration_is_taken():
    config, *_ = GOLDEN["qwen3"]
    given = config["rope_scaling"] | {"attention_factor": 1.5}
    found = explain({"model_type": "qwen3", **config, "rope_scaling": given})
    assert found.rope_factor == 2.25
    # in the new form, by kinds of layers
    new = {
        "full_attention": given,
        "sliding_attention": {"rope_type": "default"},
    }
    config = {k: v for k, v in config.items() if k != "rope_scaling"}
    again = explain({"model_type": "qwen3", **config, "rope_parameters": new})
    assert again.rope_factor == 2.25


def test_yarn_that_is_applied_twice_is_told():
    rope = stretched(40, 4096, mscale=1.0, mscale_all_dim=0.5)
    found = explain({"model_type": "deepseek_v3", **DEEPSEEK, **rope})
    assert found.scale == pytest.approx(192**-0.5 * yarn(40, 0.5) ** 2)
    assert found.rope_factor == pytest.approx((yarn(40) / yarn(40, 0.5)) ** 2)
    assert found.rotated == pytest.approx(1 / 3)
    assert "twice" in " ".join(found.warnings)
    once = explain({"model_type": "deepseek_v3", **GOLDEN["deepseek_v3"][0]})
    assert "twice" not in " ".join(once.warnings)


def test_alpha_at_the_start_is_that_of_chapter_2():
    for width, heads in (768, 12), (4096, 32):
        config = sized(width, heads, initializer_range=0.02)
        found = explain({"model_type": "llama", **config})
        assert found.alpha_start == pytest.approx(0.0004 * width)
        flat = any("nearly flat" in words for words in found.warnings)
        assert flat == (width == 768)
    normed, *_ = GOLDEN["gemma3_text"]
    found = explain({"model_type": "gemma3_text", **normed})
    assert found.alpha_start == pytest.approx(sqrt(128 / 168))
    assert explain({"model_type": "t5", **GOLDEN["t5"][0]}).alpha_start == 1


def test_a_scale_of_one_with_norms_is_told():
    found = explain({"model_type": "gemma3n", **GOLDEN["gemma3n"][0]})
    assert found.qk_norm
    assert found.alpha_start == 16
    assert any("gains carry the whole" in words for words in found.warnings)


def test_rules_of_length_stand_at_the_last_key():
    found = explain({"model_type": "llama4_text", **GOLDEN["llama4_text"][0]})
    assert found.growth == pytest.approx(1.4860, abs=5e-5)
    assert "× 1.486" in str(found)
    assert found.alpha_c == pytest.approx(sqrt(2 * log(1048576)))


@pytest.mark.parametrize("name", ["qwen3_next", "olmo3", "apertus"])
def test_norms_of_queries_and_keys_are_known(name):
    found = explain({"model_type": name, **sized(2048, 16)})
    assert found.qk_norm
    assert found.alpha_start == pytest.approx(1)
    assert found.source.startswith("transformers 5.23.0, models/")


def test_objects_and_folders_are_read(tmp_path):
    config, scale, _ = GOLDEN["whisper"]

    class Config:
        attribute_map = {"num_attention_heads": "encoder_attention_heads"}
        encoder_attention_heads = 20

        def to_dict(self):
            return {"model_type": "whisper", **config}

    assert explain(Config()).scale == scale
    path = tmp_path / "config.json"
    path.write_text(json.dumps(Config().to_dict()))
    for place in path, str(path), tmp_path, str(tmp_path):
        assert explain(place) == explain(Config().to_dict())


@pytest.mark.parametrize("n", [-5, 0, 1, 2.5, True])
def test_a_number_of_keys_is_a_whole_one(n):
    config, *_ = GOLDEN["gpt2"]
    with pytest.raises(ValueError, match=f"^n: {n}; it should be a whole num"):
        explain({"model_type": "gpt2", **config}, n)


def test_a_family_that_nobody_read_is_told():
    found = explain({"model_type": "brand_new", **sized(512, 8)})
    assert found.scale == 1 / 8
    assert found.source == "none: assumed"
    assert "brand_new is none of the families" in found.warnings[0]


def test_the_text_of_a_model_of_several_is_read():
    inner = {"model_type": "gemma3_text", **GOLDEN["gemma3_text"][0]}
    found = explain({"model_type": "gemma3", "text_config": inner})
    assert found.scale == 168**-0.5


@pytest.mark.parametrize(
    "config, error, words",
    [
        (5, TypeError, "config: int; it should be a dictionary"),
        ({}, ValueError, "config: a width is missing; it should have"),
        ({"dim": 8}, ValueError, "config: a number of heads is missing"),
    ],
)
def test_what_is_no_configuration_is_refused(config, error, words):
    with pytest.raises(error, match=f"^{words}"):
        explain(config)


def test_a_file_is_explained_at_the_command_line(tmp_path):
    path = tmp_path / "config.json"

    def said(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "attention_scale", str(path), *arguments],
            capture_output=True,
            encoding="utf-8",
        )

    path.write_text(json.dumps({"model_type": "gpt2", **GOLDEN["gpt2"][0]}))
    done = said("-n", "512")
    assert done.returncode == 0
    assert done.stdout.startswith("gpt2, 64 dimensions a head, 512 keys\n")
    path.write_text("{")
    done = said()
    assert done.returncode == 1
    assert re.match(r"error: config: .* is no JSON", done.stderr)
    assert "Traceback" not in done.stderr

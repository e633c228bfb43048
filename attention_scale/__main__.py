"""Explain a configuration: python -m attention_scale config.json."""

import argparse
import sys

from attention_scale.explain import explain


def main(arguments: list[str] | None = None) -> int:
    """Print what `explain` finds, or in one line why it cannot."""
    parser = argparse.ArgumentParser(
        prog="python -m attention_scale",
        description="Say what a configuration multiplies the logits by.",
    )
    parser.add_argument("config", help="a model's config.json")
    parser.add_argument("-n", type=int, help="number of keys")
    chosen = parser.parse_args(arguments)
    try:
        print(explain(chosen.config, chosen.n))
    except (OSError, ValueError, TypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

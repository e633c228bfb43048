#!/bin/sh
# Make .venv-torch: the library's wheel beside PyTorch and transformers, and
# nothing of the book. Do nothing when it is there already.
set -eu
cd "$(dirname "$0")/.."

bin=.venv/bin
place=.venv-torch/bin
[ "${OS:-}" = Windows_NT ] && bin=.venv/Scripts place=.venv-torch/Scripts
stamp=.venv-torch/complete    # written last: an interrupted installation has none
wanted=$(cat tests/torch/requirements.txt pyproject.toml $(find attention_scale -name "*.py" | sort) | cksum)

[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && "$place/python" -c '' && exit 0

if [ ! -x "$place/python" ]; then
    echo "Installing PyTorch and transformers into .venv-torch (a minute or two) ..."
    "$bin/python" -m venv .venv-torch
fi
rm -f "$stamp"
# PyTorch first: what asks for a newer one later would take the CUDA build.
if [ -n "${UV_TORCH_BACKEND:-}" ]; then  # such as cpu: which build, pip cannot say
    "$place/python" -m pip install --quiet --disable-pip-version-check uv==0.13.9
    "$place/python" -m uv pip install --quiet --python .venv-torch --requirement tests/torch/requirements.txt
else
    "$place/python" -m pip install --quiet --disable-pip-version-check --requirement tests/torch/requirements.txt
fi
wheels=$(mktemp -d)
"$place/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$wheels" .
"$place/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheels"/*.whl
"$place/python" -m pip install --quiet --disable-pip-version-check "$(echo "$wheels"/*.whl)[torch]"
rm -rf "$wheels" build
echo "$wanted" > "$stamp"

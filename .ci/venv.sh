#!/bin/sh
# Make .venv with the pinned requirements; do nothing when it is there already.
# PYTHON chooses the interpreter, by name or path.
set -eu
cd "$(dirname "$0")/.."

venv_python=.venv/bin/python
[ "${OS:-}" = Windows_NT ] && venv_python=.venv/Scripts/python
stamp=.venv/complete    # written last: an interrupted installation has none

fail() {
    echo "error: $1" >&2
    exit 1
}

# For these each pinned package has a wheel; for others some must be compiled.
oldest=11 newest=14

serves() {
    "$1" -c "import sys; sys.exit(not (3, $oldest) <= sys.version_info[:2] <= (3, $newest))" 2>/dev/null
}

find_python() {
    for name in ${PYTHON:-python3.13 python3.14 python3.12 python3.11 python3 python}; do
        if serves "$name"; then
            echo "$name"
            return
        fi
    done
    name=${PYTHON:-python3}
    needs="the pinned packages need Python 3.$oldest to 3.$newest"
    version=$("$name" --version 2>&1) || fail "$needs, and there is no $name."
    fail "$needs; $name is $version. Choose another with PYTHON=..."
}

home_of() {
    "$1" -c 'import sys; print(sys.base_prefix, *sys.version_info[:2])' 2>/dev/null
}

# What must be the same for .venv to be the one we want.
here=$(pwd -P)
wanted=$(cat requirements.txt pyproject.toml bookkit/pyproject.toml | cksum)

is_ours() {
    [ -f "$stamp" ] && [ "$(sed -n 1p "$stamp")" = "$here" ] &&
        "$venv_python" -c '' 2>/dev/null &&
        { [ -z "${PYTHON:-}" ] || [ "$(home_of "$PYTHON")" = "$(home_of "$venv_python")" ]; }
}

if is_ours; then
    [ "$(sed -n 2p "$stamp")" = "$wanted" ] && exit 0
else
    python=$(find_python)
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "$python cannot make a virtual environment. On Debian and Ubuntu: sudo apt install python3-venv"
    rm -rf .venv
    "$python" -m venv .venv
fi

echo "Installing the pinned packages into .venv (about a minute) ..."
rm -f "$stamp"
"$venv_python" -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
# On a slow machine the first figure would otherwise carry a warning about it.
"$venv_python" -c 'import matplotlib.font_manager'
printf '%s\n%s\n' "$here" "$wanted" > "$stamp"

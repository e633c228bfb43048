# The two commands are `make book` and `make test`; both can run again at any time.
export PYTHON
# Elsewhere Python takes text for UTF-8 by itself, on Windows when told.
export PYTHONUTF8 := 1
# Else each of a hundred processes compiles the library for itself.
unexport PYTHONDONTWRITEBYTECODE
PORT ?= 8000
PARALLEL := --numprocesses logical --maxprocesses 8
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
BENCHMARKS := rows subnormals averages pages
TORCH_BIN := $(subst .venv,.venv-torch,$(BIN))
TOOLCHAIN := requirements.txt $(wildcard bookkit/*.py site/booksite/*.py)

book: venv _build/toolchain
	@$(BIN)/jupyter-book build . -W -n --keep-going --quiet
	@echo "Or run make serve, and look at http://localhost:$(PORT)."

test: book
	@$(BIN)/pytest $(PARALLEL)

# What opens the pages. Where no browser is to be had only CI fails.
test-site: book
	@if $(BIN)/python -m bookkit.browser; then \
		$(BIN)/pytest $(PARALLEL) tests/browser; \
	else test -z "$$CI"; fi

# Notebooks and library with the arithmetic of weaker processors.
test-kernels: venv
	@$(BIN)/python -m bookkit.kernels $(PARALLEL) --quiet notebooks tests/library

serve: book
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

# The second build links the PDF, which was made from the first.
pdf: book
	@$(BIN)/python -m bookkit.browser
	@$(BIN)/python site/pdf.py
	@$(MAKE) --no-print-directory book

execute: venv
	@$(BIN)/python -m bookkit.execute

# The library in empty environments, with the oldest NumPy and SciPy and the newest.
test-install: venv
	@$(BIN)/pytest --numprocesses 0 tests/install

# Models run in an environment of their own: PyTorch is larger than all the rest.
test-torch: venv
	@sh .ci/venv-torch.sh
	@$(TORCH_BIN)/pytest -c tests/torch/pytest.ini tests/torch

near-misses: venv
	@$(BIN)/python -m bookkit.near_misses

seeds: venv
	@$(BIN)/python -m bookkit.seeds

lint: book
	@$(BIN)/ruff check && $(BIN)/ruff format --check && $(BIN)/typos
	@$(BIN)/mypy
	@$(BIN)/pytest --quiet --numprocesses 0 tests/typing
	@$(BIN)/pytest --quiet --numprocesses 0 tests/house tests/site/test_html.py -k links

bench: venv
	@set -e; for name in $(BENCHMARKS); do \
		printf '\n%s\n' "benchmarks/$$name.py"; \
		$(BIN)/python benchmarks/$$name.py; \
	done

bench-torch: venv
	@sh .ci/venv-torch.sh
	@$(TORCH_BIN)/python benchmarks/monitor.py

lock:
	uv pip compile --universal --python-version 3.11 requirements.in -o requirements.txt

clean:
	rm -rf _build .venv .venv-torch

venv:
	@sh .ci/venv.sh

# Sphinx knows which pages changed, but not that the programs which make them did.
_build/toolchain: $(TOOLCHAIN)
	@rm -rf _build && mkdir _build && touch $@

.PHONY: book test test-site test-kernels test-install test-torch bench-torch serve pdf execute near-misses seeds lint bench lock clean venv

"""What takes too long for a chapter: each experiment stores what it found.

An experiment is a package of this folder, run by `python -m` from the root
of the repository. It writes small files under book/data/, from which
chapters decide; `experiments.store` puts into each what made it.
"""

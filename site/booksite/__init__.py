"""How the book's pages are built: Sphinx extensions, one subject a module.

_config.yml names this package alone; it is found in the folder site/.
"""

# In this order those that hear of the same event at once are asked.
EXTENSIONS = [
    "address",
    "bundles",
    "finder",
    "gate",
    "explorables",
    "folds",
    "scorecard",
    "sentences",
    "results",
    "counts",
    "mathml",
    "plain_code",
    "self_contained",
    "docstrings",
    "downloads",
]


def setup(app):
    """Set all of them up."""
    for name in EXTENSIONS:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": False}

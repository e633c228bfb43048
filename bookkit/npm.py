"""Fetch a package of a named version with npm.

For two programs that know nothing of each other: site/vendor.py, and
benchmarks/pages.py, which compares with what the default theme loads.
"""

import shutil
import subprocess
import sys


def download(package, version, folder):
    """Let npm put a package's archive into a folder, check it, and name it."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit(f"npm, which would fetch {package}, was not found.")
    subprocess.run(
        [npm, "pack", f"{package}@{version}"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    name = package.removeprefix("@").replace("/", "-")
    return next(folder.glob(f"{name}-*.tgz"))

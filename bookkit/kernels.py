"""Run pytest with the arithmetic of weaker processors than this one.

    python -m bookkit.kernels [--only NAME] [arguments of pytest]

Three libraries choose how to compute by what the processor can: OpenBLAS
(products of matrices), NumPy (loops over arrays) and glibc (exp, log, sin).
Each can be told to choose as on a weaker processor, and then rounds some
results otherwise. What is stored, and what is tested, must not depend on it.
Elsewhere than on Linux x86-64 there is nothing to choose.
"""

import argparse
import os
import platform
import subprocess
import sys
from typing import NamedTuple

import numpy as np

from bookkit import notebooks


class Kernels(NamedTuple):
    """What a processor leads the three libraries to."""

    openblas: str
    beyond: str  # the NumPy features above it are off; "" for all of them
    glibc: str


WITHOUT_512 = "-AVX512F,-AVX512VL,-AVX512DQ,-AVX512BW"
SETS = {
    # 64 bits and SSE4.2 (2008): the least that NumPy's wheels run on
    "nehalem": Kernels("Nehalem", "", f"{WITHOUT_512},-AVX2,-FMA,-FMA4,-AVX"),
    # AVX2 and FMA (2013), as on most machines that are not the newest
    "haswell": Kernels("Haswell", "X86_V3", WITHOUT_512),
}


def features_beyond(least):
    """Return the features of this processor that NumPy is to leave alone."""
    umath = np._core._multiarray_umath
    there = [f for f in umath.__cpu_dispatch__ if umath.__cpu_features__[f]]
    return there[there.index(least) + 1 :] if least in there else there


def environment(kernels):
    """Return the settings that lead the libraries to these kernels."""
    return {
        "OPENBLAS_CORETYPE": kernels.openblas,
        "NPY_DISABLE_CPU_FEATURES": " ".join(features_beyond(kernels.beyond)),
        "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={kernels.glibc}",
    }


def main():
    """Run pytest once for each set; fail if one run fails."""
    parser = argparse.ArgumentParser(description="run under weaker kernels")
    parser.add_argument("--only", choices=SETS)
    options, arguments = parser.parse_known_args()
    if (platform.system(), platform.machine()) != notebooks.STORED_ON:
        print("There are no weaker kernels to choose on this machine.")
        return
    failed = []
    for name in [options.only] if options.only else SETS:
        settings = environment(SETS[name])
        print(f"\n{name}:", *(f"{k}={v!r}" for k, v in settings.items()))
        command = [sys.executable, "-m", "pytest", *arguments]
        if subprocess.run(command, env=os.environ | settings).returncode:
            failed.append(name)
    if failed:
        sys.exit(
            f"Under the kernels of {', '.join(failed)} something differs."
        )


if __name__ == "__main__":
    main()

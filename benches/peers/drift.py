"""Times one drift beside other packages on the same clouds, checks that all agree, and prints ratios as Markdown.

    cargo build --release --example peer_drift
    python -m venv VENV && VENV/bin/pip install -r benches/peers/requirements.txt
    VENV/bin/python benches/peers/drift.py [--drift auto] [--also dense,blocks,gauss] [--threads 2]

Every time is the shortest of several runs after a warm-up (compilation does not count), all with the same number of
threads, in double precision. `finufft` computes the same field by Fourier series, one transform there and one or two
back; it is left out where its grid would not fit. pykeops needs a C++ compiler.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

PARSER = argparse.ArgumentParser(description=__doc__.splitlines()[0])
PARSER.add_argument("--drift", default="auto", help="which of our drifts the ratios refer to")
PARSER.add_argument("--also", default="dense,blocks,gauss", help="which others to time")
PARSER.add_argument("--threads", type=int, default=2)
ARGUMENTS = PARSER.parse_args()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = str(ARGUMENTS.threads)
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
if hasattr(os, "sched_setaffinity"):
    # The only limit that XLA respects is the number of processors it sees.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: ARGUMENTS.threads])

import finufft
import jax
import jax.numpy as jnp
import numba
import numpy as np
import pykeops
import sklearn
from pykeops.numpy import LazyTensor
from sklearn.metrics.pairwise import rbf_kernel

SEED = 20
CASES = [(count, beta, dimension) for count, beta in ((5_000, 20.0), (20_000, 200.0)) for dimension in (1, 2, 3)]
SECONDS, FEWEST, MOST = 2.0, 3, 100  # repeat this long, within limits
ROWS = 500  # rows of the kernel matrix that NumPy, scikit-learn and JAX hold at a time
AGREEMENT = 1e-7  # largest difference of a velocity; finufft is the least accurate, in sparse tails
LARGEST_GRID = 40_000_000  # Fourier modes, after finufft's oversampling
KERNEL_REACH = 8.7  # exp(-r²/2) is below 4e-17 beyond, in space as in frequency
OURS = pathlib.Path(__file__).parents[2] / "target/release/examples/peer_drift"


def cloud(count, dimension):
    """Points around (±1, 0, …) with noise of variance ½ per coordinate: the noisy law of the paper's figures."""
    random = np.random.default_rng(SEED)
    points = math.sqrt(0.5) * random.normal(size=(count, dimension))
    points[:, 0] += random.choice([-1.0, 1.0], size=count)
    return points


def numpy_drift(points, beta):
    squares = (points**2).sum(1)
    velocities = np.empty_like(points)
    for start in range(0, len(points), ROWS):
        rows = points[start : start + ROWS]
        distances = squares[start : start + ROWS, None] + squares - 2 * rows @ points.T
        kernel = np.exp(-beta / 2 * np.maximum(distances, 0))
        velocities[start : start + ROWS] = kernel @ points / kernel.sum(1, keepdims=True) - rows
    return velocities


def sklearn_drift(points, beta):
    velocities = np.empty_like(points)
    for start in range(0, len(points), ROWS):
        rows = points[start : start + ROWS]
        kernel = rbf_kernel(rows, points, gamma=beta / 2)
        velocities[start : start + ROWS] = kernel @ points / kernel.sum(1, keepdims=True) - rows
    return velocities


@numba.njit(parallel=True, fastmath=True)
def numba_drift(points, beta):
    count, dimension = points.shape
    velocities = np.empty_like(points)
    for i in numba.prange(count):
        mass = 0.0
        first = np.zeros(dimension)
        for j in range(count):
            square = 0.0
            for c in range(dimension):
                square += (points[j, c] - points[i, c]) ** 2
            weight = math.exp(-0.5 * beta * square)
            mass += weight
            for c in range(dimension):
                first[c] += weight * (points[j, c] - points[i, c])
        for c in range(dimension):
            velocities[i, c] = first[c] / mass
    return velocities


@jax.jit
def jax_blocks(points, beta):
    def block(rows):
        squares = ((rows[:, None, :] - points) ** 2).sum(-1)
        kernel = jnp.exp(-beta / 2 * squares)
        return kernel @ points / kernel.sum(1, keepdims=True) - rows

    return jax.lax.map(block, points.reshape(-1, ROWS, points.shape[1])).reshape(points.shape)


def jax_drift(points, beta):
    return np.asarray(jax_blocks(jnp.asarray(points), beta))


def pykeops_drift(points, beta):
    x, y = LazyTensor(points[:, None, :]), LazyTensor(points[None, :, :])
    kernel = (-(beta / 2) * ((x - y) ** 2).sum(-1)).exp()
    sums = kernel @ np.hstack([points, np.ones((len(points), 1))])
    return sums[:, :-1] / sums[:, -1:] - points


def modes_per_axis(points, beta):
    """A period that keeps copies of the kernel apart, and the frequencies that it needs."""
    periods = np.ptp(points, axis=0) + 2 * KERNEL_REACH / math.sqrt(beta)
    modes = 2 * np.ceil(KERNEL_REACH * math.sqrt(beta) * periods / (2 * math.pi)).astype(int) + 1
    return periods, modes


def finufft_drift(points, beta):
    """v = ∇log G/β with G and ∇G from one Fourier series; two real fields share a complex transform."""
    dimension = points.shape[1]
    periods, modes = modes_per_axis(points, beta)
    middle = (points.max(0) + points.min(0)) / 2
    angles = [np.ascontiguousarray(2 * math.pi / period * x) for period, x in zip(periods, (points - middle).T)]
    forward = {1: finufft.nufft1d1, 2: finufft.nufft2d1, 3: finufft.nufft3d1}[dimension]
    backward = {1: finufft.nufft1d2, 2: finufft.nufft2d2, 3: finufft.nufft3d2}[dimension]
    options = {"eps": 1e-13, "nthreads": ARGUMENTS.threads}
    shape = tuple(int(m) for m in modes)
    series = forward(*angles, np.ones(len(points), complex), shape, isign=-1, **options)
    waves = [2 * math.pi / p * (np.arange(m) - m // 2) for p, m in zip(periods, shape)]
    waves = [w.reshape([-1 if a == axis else 1 for a in range(dimension)]) for axis, w in enumerate(waves)]
    for wave, period in zip(waves, periods):
        series = series * (math.sqrt(2 * math.pi / beta) / period * np.exp(-(wave**2) / (2 * beta)))
    first = backward(*angles, series * (1 - waves[0]), isign=1, **options)
    gradients = [first.imag]
    if dimension > 1:
        # i·k_y + i·(i·k_z): the imaginary part of the transform is the derivative along the third axis.
        other = 1j * waves[1] - (waves[2] if dimension == 3 else 0)
        second = backward(*angles, series * other, isign=1, **options)
        gradients += [second.real, second.imag][: dimension - 1]
    return np.stack(gradients, axis=1) / (beta * first.real[:, None])


PEERS = {
    "finufft": finufft_drift,
    "pykeops": pykeops_drift,
    "numba": numba_drift,
    "JAX": jax_drift,
    "scikit-learn": sklearn_drift,
    "NumPy": numpy_drift,
}
VERSIONS = {
    "finufft": finufft.__version__,
    "pykeops": pykeops.__version__,
    "numba": numba.__version__,
    "JAX": jax.__version__,
    "scikit-learn": sklearn.__version__,
    "NumPy": np.__version__,
}


def peer(compute, points, beta):
    """Shortest of several runs after a warm-up, and the velocities."""
    velocities = compute(points, beta)
    best, runs, begin = math.inf, 0, time.perf_counter()
    while runs < FEWEST or (runs < MOST and time.perf_counter() - begin < SECONDS):
        start = time.perf_counter()
        compute(points, beta)
        best, runs = min(best, time.perf_counter() - start), runs + 1
    return best, velocities


def ours(name, points, beta, directory):
    paths = [os.path.join(directory, file) for file in ("points.npy", "velocities.npy")]
    np.save(paths[0], points)
    command = [OURS, paths[0], repr(beta), name, str(ARGUMENTS.threads), paths[1]]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["seconds"], np.load(paths[1])


def fits(name, points, beta):
    if name != "finufft":
        return True
    return np.prod(2.0 * modes_per_axis(points, beta)[1]) <= LARGEST_GRID


def compare(count, beta, dimension, directory):
    """One row per package: name, milliseconds, largest difference from our dense sum."""
    points = cloud(count, dimension)
    _, exact = ours("dense", points, beta, directory)
    rows = []
    names = [ARGUMENTS.drift, *[name for name in ARGUMENTS.also.split(",") if name not in ("", ARGUMENTS.drift)]]
    for name in names:
        if name == "gauss" and dimension > 2:
            continue
        rows.append((f"ebflow {name}", *ours(name, points, beta, directory)))
    for name, compute in PEERS.items():
        if fits(name, points, beta):
            rows.append((name, *peer(compute, points, beta)))
        print(".", end="", file=sys.stderr, flush=True)
    result = {}
    for name, seconds, velocities in rows:
        difference = np.abs(velocities - exact).max()
        assert difference <= AGREEMENT, f"{name} differs by {difference} at N = {count}, β = {beta}, d = {dimension}"
        result[name] = (seconds, difference)
    return result


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def table(title, results, cell):
    headers = [f"N = {count}, β = {beta:g}, d = {dimension}" for count, beta, dimension in CASES]
    print(f"\n{title}\n\n| | {' | '.join(headers)} |\n|---|{'---:|' * len(headers)}")
    names = list(dict.fromkeys(name for result in results for name in result))
    for name in names:
        label = f"{name} {VERSIONS[name]}" if name in VERSIONS else name
        cells = [cell(result, name) if name in result else "–" for result in results]
        print(f"| {label} | {' | '.join(cells)} |")


def main():
    base = f"ebflow {ARGUMENTS.drift}"
    with tempfile.TemporaryDirectory() as directory:
        results = [compare(*case, directory) for case in CASES]
    print(file=sys.stderr)
    print(f"{processor()}, {ARGUMENTS.threads} threads, {datetime.date.today()}; shortest of several runs.")
    table("Milliseconds", results, lambda result, name: f"{1e3 * result[name][0]:.3g}")
    table(f"Times as long as {base}", results, lambda result, name: f"{result[name][0] / result[base][0]:.3g}")
    table("Largest difference from the full sum", results, lambda result, name: f"{result[name][1]:.0e}")


if __name__ == "__main__":
    main()

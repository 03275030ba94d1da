"""Exact W1 beside POT (`ot.emd2`) and SciPy (`linear_sum_assignment`), in CPU seconds of one run.

    cargo build --release --example peer_transport
    python -m venv VENV && VENV/bin/pip install -r benches/peers/requirements.txt
    VENV/bin/python benches/peers/transport.py [--largest N]

Ours is the CPU time of a whole process, reading the files included. The peers are given their cost matrix for free.
"""

import argparse
import os
import pathlib
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import ot
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

SEED = 7
REPEATS = 3
AGREEMENT = 1e-10  # relative; the peers sum in plain floating point
OURS = pathlib.Path(__file__).parents[2] / "target/release/examples/peer_transport"


def clouds(kind, count, dimension):
    random = np.random.default_rng(SEED)
    x, y = random.normal(size=(2, count, dimension))
    centres = random.uniform(-2, 2, size=(20, dimension))[np.arange(count) % 20]
    match kind:
        case "gaussian":
            return x, y
        case "nearly equal":
            return x, x + 1e-6 * y
        case "flow against fresh":
            return centres + 1e-3 * x, centres + 0.1 * y
        case "collapsed against fresh":
            return centres + 1e-9 * x, centres + 0.1 * y
        case "collapsed against gaussian":
            return centres + 1e-9 * x, y
        case "five against gaussian":
            return centres[np.arange(count) % 5] + 1e-3 * x, y
        case "two against gaussian":
            return centres[np.arange(count) % 2] + 1e-3 * x, y
        case "one against gaussian":
            return centres[0] + 1e-9 * x, y


def ours(x, y, directory):
    """Least CPU seconds of a few runs, the bounds, and the peak memory in MB."""
    paths = [os.path.join(directory, name) for name in ("x.npy", "y.npy")]
    for path, points in zip(paths, (x, y)):
        np.save(path, points)
    seconds = []
    for _ in range(REPEATS):
        reader, writer = os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, writer, 1)]
        process = os.posix_spawn(OURS, [str(OURS), *paths], os.environ, file_actions=actions)
        os.close(writer)
        with os.fdopen(reader) as output:
            distance, lower, upper, memory = map(float, output.read().split())
        _, status, usage = os.wait4(process, 0)
        assert status == 0
        seconds.append(usage.ru_utime + usage.ru_stime)
    return min(seconds), distance, upper - lower, memory


def timed(solve):
    start = time.process_time()
    value = solve()
    return time.process_time() - start, value


def compare(kind, count, dimension, directory):
    x, y = clouds(kind, count, dimension)
    seconds, distance, gap, memory = ours(x, y, directory)
    costs = cdist(x, y)
    equal = np.full(count, 1 / count)
    pot, by_pot = timed(lambda: ot.emd2(equal, equal, costs, numItermax=10**9))
    assignment, pairs = timed(lambda: linear_sum_assignment(costs))
    by_assignment = costs[pairs].mean()
    for value in (by_pot, by_assignment):
        assert abs(value - distance) <= AGREEMENT * distance, (value, distance)
    print(
        f"{kind:20} {count:6} {dimension:2} {seconds:8.3f} {pot:9.2f} {pot / seconds:6.1f}x"
        f" {assignment:9.2f} {assignment / seconds:6.1f}x {gap:9.1e} {memory:7.0f}",
        flush=True,
    )


def alone(kind, count, dimension, directory, gaussian=None):
    seconds, _, gap, memory = ours(*clouds(kind, count, dimension), directory)
    times = f"{seconds / gaussian:5.2f}x gaussian" if gaussian else ""
    print(f"{kind:28} {count:6} {dimension:2} {seconds:8.3f} {gap:9.1e} {memory:7.0f}  {times}", flush=True)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=50_000, help="leave out larger clouds")
    largest = parser.parse_args().largest
    with tempfile.TemporaryDirectory() as directory:
        print("kind                      N  d   ours/s     POT/s  ratio   SciPy/s  ratio       gap      MB")
        cases = [(1000, 2), (5000, 2), (5000, 3), (10_000, 2)]
        for kind, count, dimension in [("gaussian", *case) for case in cases] + [("nearly equal", 5000, 2)]:
            if count <= largest:
                compare(kind, count, dimension, directory)
        print("\nkind                              N  d   ours/s       gap      MB")
        kinds = ["nearly equal", "flow against fresh", "collapsed against fresh"]
        kinds += [f"{clusters} against gaussian" for clusters in ("collapsed", "five", "two", "one")]
        for count, dimension in [(5000, 2), (5000, 3), (20_000, 2), (20_000, 3), (50_000, 2)]:
            if count <= largest:
                gaussian = alone("gaussian", count, dimension, directory)
                for kind in kinds:
                    alone(kind, count, dimension, directory, gaussian)
        if 25_000 <= largest:
            alone("gaussian", 25_000, 2, directory)


if __name__ == "__main__":
    main()

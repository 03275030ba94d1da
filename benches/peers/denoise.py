"""Two-stage denoising, β and depth chosen from the tokens, beside other ways to estimate means from noisy observations.

    cargo build --release
    python -m venv VENV && VENV/bin/pip install -r benches/peers/requirements.txt
    VENV/bin/python benches/peers/denoise.py [--draws K] [--only NAME]

Every method sees the same draws and knows the variance of the noise; marked ones also know what nobody can know:

    Bayes          the prior (for the sparse means: how many are not zero, and how large they are)
    β in hindsight the best β and depth of a grid, by the true error
    kernel score   Tweedie's formula with a kernel density estimate of the best bandwidth in hindsight
    soft           soft thresholding at the best threshold in hindsight

NPMLE is the nonparametric maximum likelihood prior (Kiefer and Wolfowitz), by EM: on a grid of 300 points on the line, with atoms at up to 1000 of the observations in more
dimensions. (The package npeb on PyPI wants a commercial solver.) Errors are squared, summed over coordinates, per token, with their standard error over the draws; for the
sparse means of Johnstone and Silverman (2004) they are totals over 1000 tokens, as in their table. Seconds are CPU time of one draw.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np

EBFLOW = pathlib.Path(__file__).parents[2] / "target/release/ebflow"
SEED = 20040
EM_STEPS, EM_GRID, EM_ATOMS = 500, 300, 1000
BANDWIDTHS = np.geomspace(0.05, 2.0, 12)
BETAS, DEPTHS = np.geomspace(0.25, 64.0, 9), [0.5, 1.0, 1.5, 2.0, 3.0]


def squared(points, centres):
    """Squared distances of all pairs."""
    return np.maximum((points**2).sum(1)[:, None] + (centres**2).sum(1) - 2.0 * points @ centres.T, 0.0)


def weighted_mean(logs, values):
    weights = np.exp(logs - logs.max(1, keepdims=True))
    return weights @ values / weights.sum(1, keepdims=True)


class Mixture:
    """Components N(m_k, s_k² I) with weights p_k."""

    def __init__(self, weights, means, deviations):
        self.weights = np.array(weights, float)
        self.means = np.array(means, float).reshape(len(weights), -1)
        self.deviations = np.broadcast_to(np.array(deviations, float), len(weights))

    def draw(self, count, random):
        which = random.choice(len(self.weights), size=count, p=self.weights)
        noise = random.normal(size=(count, self.means.shape[1]))
        return self.means[which] + self.deviations[which, None] * noise

    def bayes(self, y, tau):
        variances = self.deviations**2 + tau
        logs = np.log(self.weights) - 0.5 * squared(y, self.means) / variances
        logs = logs - 0.5 * y.shape[1] * np.log(variances)
        shares = np.exp(logs - logs.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        towards = (self.deviations**2 / variances)[None, :] * shares
        return towards.sum(1, keepdims=True) * y + (shares - towards) @ self.means


class Curve:
    """Points on curves in the plane, uniform in a parameter."""

    def __init__(self, curve):
        self.curve = curve

    def draw(self, count, random):
        return self.curve(random.uniform(size=count), random.integers(2, size=count))

    def bayes(self, y, tau):
        t = np.tile((np.arange(2000) + 0.5) / 2000, 2)
        atoms = self.curve(t, np.repeat([0, 1], 2000))
        return weighted_mean(-0.5 * squared(y, atoms) / tau, atoms)


def circles(t, which):
    radius = np.where(which == 0, 1.0, 2.0)
    return radius[:, None] * np.stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)], 1)


def spiral(t, which):
    angle = 2 * np.pi * (0.5 + 1.5 * t)
    return (angle / np.pi / 2 * 1.2)[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)


class Student:
    """t with three degrees of freedom, on the line."""

    def draw(self, count, random):
        return random.standard_t(3, size=(count, 1))

    def bayes(self, y, tau):
        x = np.sinh(np.linspace(-8, 8, 6001))
        density = (1 + x**2 / 3) ** -2 * np.cosh(np.linspace(-8, 8, 6001))
        return weighted_mean(np.log(density) - 0.5 * (y - x[None, :]) ** 2 / tau, x[:, None])


class Sparse:
    """Johnstone and Silverman: so many means of one size among zeros."""

    def __init__(self, count, size):
        self.count, self.size = count, size

    def draw(self, count, random):
        x = np.zeros((count, 1))
        x[: self.count] = self.size
        return x

    def bayes(self, y, tau):
        share = self.count / 1000
        return Mixture([1 - share, share], [[0.0], [self.size]], 0.0).bayes(y, tau)

    def bayes_risk(self, tau):
        """Total over 1000 tokens, by quadrature."""
        y = np.linspace(-12, self.size + 12, 200001)
        g = self.bayes(y[:, None], tau)[:, 0]
        phi = lambda m: np.exp(-0.5 * (y - m) ** 2 / tau) / np.sqrt(2 * np.pi * tau)
        zero = ((g**2) * phi(0)).sum() * (y[1] - y[0])
        signal = (((g - self.size) ** 2) * phi(self.size)).sum() * (y[1] - y[0])
        return (1000 - self.count) * zero + self.count * signal


def ebflow(y, x, tau, folder, *options):
    """Errors of the estimators that the tool compares, and what it chose."""
    np.save(folder / "y.npy", y)
    np.save(folder / "x.npy", x)
    command = [EBFLOW, "denoise", folder / "y.npy", "--noise-var", repr(float(tau)), "--out", folder / "g.npy"]
    command += ["--clean", folder / "x.npy", "--json", "--rtol", "1e-6", "--atol", "1e-6", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {row["estimator"]: row["mse_to_clean"] for row in report["estimators"]}, report, seconds


def npmle(y, tau, random):
    if y.shape[1] == 1:
        atoms = np.linspace(y.min(), y.max(), EM_GRID)[:, None]
    else:
        atoms = y if len(y) <= EM_ATOMS else y[random.choice(len(y), EM_ATOMS, replace=False)]
    logs = -0.5 * squared(y, atoms) / tau
    likelihood = np.exp(logs - logs.max(1, keepdims=True))
    weights = np.full(len(atoms), 1.0 / len(atoms))
    for _ in range(EM_STEPS):
        weights *= (likelihood / (likelihood @ weights)[:, None]).mean(0)
    shares = likelihood * weights
    return shares @ atoms / shares.sum(1, keepdims=True)


def kernel_score(y, tau, bandwidth):
    logs = -0.5 * squared(y, y) / bandwidth**2
    return y + tau / bandwidth**2 * (weighted_mean(logs, y) - y)


def error(g, x):
    return ((g - x) ** 2).sum(1).mean()


def timed(work, *arguments):
    start = time.process_time()
    result = work(*arguments)
    return result, time.process_time() - start


def draw(prior, tau, count, random, folder, hindsight):
    """Errors and seconds of all methods on one draw."""
    x = prior.draw(count, random)
    y = x + np.sqrt(tau) * random.normal(size=x.shape)
    errors, seconds = {}, {}
    estimators, report, seconds["two stages"] = ebflow(y, x, tau, folder)
    errors["two stages"] = estimators["two stages"]
    errors["one-shot"], errors["Stage 1 only"] = estimators["one-shot"], estimators["Stage 1 only"]
    if hindsight:
        tried = [ebflow(y, x, tau, folder, "--beta", b / tau, "--depth", m)[0] for b in BETAS for m in DEPTHS]
        errors["β in hindsight*"] = min(row["two stages"] for row in tried)
    g, seconds["NPMLE"] = timed(npmle, y, tau, random)
    errors["NPMLE"] = error(g, x)
    some = slice(None) if count <= 5000 else slice(5000)
    scores = [kernel_score(y, tau, h * np.sqrt(tau + x.var())) for h in BANDWIDTHS]
    errors["kernel score*"] = min(error(g[some], x[some]) for g in scores)
    if isinstance(prior, Sparse):
        soft = [np.sign(y) * np.maximum(np.abs(y) - t * np.sqrt(tau), 0) for t in np.linspace(0, 5, 101)]
        errors["soft*"] = min(error(g, x) for g in soft)
    errors["Bayes*"] = error(prior.bayes(y, tau), x)
    return errors, seconds, report["beta"] * tau


def settings():
    ten = np.random.default_rng(1).normal(size=(10, 10))
    five = np.random.default_rng(2).normal(size=(10, 5))
    yield "paper's mixture, d = 2", Mixture([0.5, 0.5], [[-1, 0], [1, 0]], 0.1), 0.5, 2000
    yield "two circles, d = 2", Curve(circles), 0.1, 2000
    yield "spiral, d = 2", Curve(spiral), 0.1, 2000
    yield "ten components, d = 5", Mixture([0.1] * 10, 1.5 * five, 0.3), 0.5, 2000
    yield "ten components, d = 10", Mixture([0.1] * 10, 1.5 * ten, 0.3), 0.5, 2000
    yield "Student, df = 3, d = 1", Student(), 1.0, 2000
    for count in (5, 50, 500):
        for size in (3, 4, 5, 7):
            yield f"sparse, {count} of {size}", Sparse(count, size), 1.0, 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, help="draws of each setting [default: 100 of the sparse means, 10 of others]")
    parser.add_argument("--hindsight", type=int, default=3, help="draws for which the best β of a grid is looked for")
    parser.add_argument("--only", default="", help="settings whose names contain this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, prior, tau, count in settings():
            if options.only not in name:
                continue
            scale = count if isinstance(prior, Sparse) else 1
            errors, seconds, chosen = {}, {}, []
            for k in range(options.draws or (100 if scale > 1 else 10)):
                random = np.random.default_rng([SEED, k])
                of_draw, times, b = draw(prior, tau, count, random, pathlib.Path(folder), k < options.hindsight)
                chosen.append(b)
                for method, value in of_draw.items():
                    errors.setdefault(method, []).append(scale * value)
                for method, value in times.items():
                    seconds.setdefault(method, []).append(value)
            risk = f", Bayes risk {prior.bayes_risk(tau):.2f}" if scale > 1 else ""
            print(f"\n{name} (τ = {tau}, N = {count}{risk}; βτ chosen {min(chosen):.2g} to {max(chosen):.2g})")
            for method, values in errors.items():
                spread = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
                cost = f"{np.mean(seconds[method]):8.2f} s" if method in seconds else ""
                print(f"  {method:16} {np.mean(values):10.4f} ± {spread:.4f} {cost}", flush=True)


if __name__ == "__main__":
    main()

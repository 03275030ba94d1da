"""Writes meanfield.tsv: law, noise variance, beta, and of the mean field at the denoising horizon beta*noise/2 its mean,
variance, W1 to the prior, and posterior means at -1, 0.2 and 2.

Independent of the Rust code in every part: Gauss-Legendre panels over the labels, halved until the flow no longer pulls one
apart by more than a kernel width; SciPy's DOP853 in time; W1 as the integral over labels
of |F_0(x) - F_P(z(x))| z'(x), split at its zeros. Every case is run twice, the second time with all panels halved and on
another interval, and the two must agree. Needs numpy and scipy.
"""
import sys

import numpy as np
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ndtr

NODES = 16
T, G = legendre.leggauss(NODES)
TO_SERIES = np.linalg.inv(legendre.legvander(T, NODES - 1))
QUERIES = [-1.0, 0.2, 2.0]
NEGLIGIBLE = 1e-13
AGREEMENT = 1e-10


def normal(x, v):
    return np.exp(-x * x / (2 * v)) / np.sqrt(2 * np.pi * v)


class Mixture:
    """sum_k p_k N(m_k, v), v = 0 for atoms."""

    def __init__(self, text, p, m, v):
        self.text, self.p, self.m, self.v = text, p, m, v

    def noisy_density(self, x, tau):
        return sum(p * normal(x - m, self.v + tau) for p, m in zip(self.p, self.m))

    def cdf(self, x, extra):
        v = self.v + extra
        if v == 0:
            return sum(p * (x >= m) for p, m in zip(self.p, self.m))
        return sum(p * ndtr((x - m) / np.sqrt(v)) for p, m in zip(self.p, self.m))

    def atoms(self):
        return self.m if self.v == 0 else []

    def reach(self, tau):
        return max(abs(m) for m in self.m) + 8.5 * np.sqrt(self.v + tau)


class Uniform:
    def __init__(self, text, low, high):
        self.text, self.low, self.high = text, low, high

    def noisy_density(self, x, tau):
        s = np.sqrt(tau)
        return (ndtr((x - self.low) / s) - ndtr((x - self.high) / s)) / (self.high - self.low)

    def cdf(self, x, extra):
        if extra == 0:
            return np.clip((x - self.low) / (self.high - self.low), 0, 1)
        s = np.sqrt(extra)
        part = lambda c: (x - c) * ndtr((x - c) / s) + s * s * normal(x - c, s * s)
        return (part(self.low) - part(self.high)) / (self.high - self.low)

    def atoms(self):
        return [self.low, self.high]  # not atoms, but kinks: places to split at all the same

    def reach(self, tau):
        return max(abs(self.low), abs(self.high)) + 8.5 * np.sqrt(tau)


def drift(z, w, beta):
    d = z[None, :] - z[:, None]
    k = np.exp(-beta / 2 * d * d) * w[None, :]
    return (k * d).sum(1) / k.sum(1)


def flow(law, tau, beta, edges):
    a, b = edges[:-1, None], edges[1:, None]
    x = ((a + b) / 2 + (b - a) / 2 * T).ravel()
    w = law.noisy_density(x, tau) * ((b - a) / 2 * G).ravel()
    w = w / w.sum()
    run = solve_ivp(
        lambda t, z: drift(z, w, beta), (0, beta * tau / 2), x, "DOP853",
        t_eval=np.linspace(0, beta * tau / 2, 9), rtol=1e-13, atol=1e-13,
    )
    return x, w, run.y


def graded(law, tau, beta, reach):
    edges = np.linspace(-reach, reach, int(2 * reach * np.sqrt(beta) / 1.2) + 2)
    for _ in range(40):
        x, w, paths = flow(law, tau, beta, edges)
        panels = paths.reshape(-1, NODES, paths.shape[1])
        spread = (panels[:, -1] - panels[:, 0]).max(1)
        mass = w.reshape(-1, NODES).sum(1)
        wide = (spread > 1.5 / np.sqrt(beta)) & (mass * spread > NEGLIGIBLE)
        if not wide.any():
            break
        edges = np.sort(np.concatenate([edges, ((edges[:-1] + edges[1:]) / 2)[wide]]))
    return edges


def w1(law, tau, edges, z):
    total = 0.0
    for k, (a, b) in enumerate(zip(edges[:-1], edges[1:])):
        series = TO_SERIES @ z[NODES * k:NODES * (k + 1)]
        slope = legendre.legder(series)
        x = lambda t: (a + b) / 2 + (b - a) / 2 * t
        gap = lambda t: law.cdf(x(t), tau) - law.cdf(legendre.legval(t, series), 0.0)
        cuts = [-1.0, 1.0]
        grid = np.linspace(-1, 1, 65)
        for f in [gap] + [lambda t, c=c: legendre.legval(t, series) - c for c in law.atoms()]:
            values = f(grid)
            cuts += [brentq(f, p, q, xtol=1e-15) for p, q, u, v in zip(grid, grid[1:], values, values[1:]) if u * v < 0]
        cuts = np.unique(cuts)
        for p, q in zip(cuts[:-1], cuts[1:]):
            t = (p + q) / 2 + (q - p) / 2 * T
            total += (q - p) / 2 * (G * np.abs(gap(t)) * legendre.legval(t, slope)).sum()
    return total


def observables(law, tau, beta, edges):
    x, w, paths = flow(law, tau, beta, edges)
    z = paths[:, -1]
    mean = (w * z).sum()
    out = [mean, (w * (z - mean) ** 2).sum(), w1(law, tau, edges, z)]
    for y in QUERIES:
        k = w * np.exp(-(y - z) ** 2 / (2 * tau))
        out.append((k * z).sum() / k.sum())
    return np.array(out)


def halved(edges):
    return np.sort(np.concatenate([edges, (edges[:-1] + edges[1:]) / 2]))


LAWS = [
    Mixture("{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.5 }", [0.5, 0.5], [-1, 1], 0.25),
    Mixture("{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.5 }", [0.3, 0.7], [-1, 1], 0.25),
    Uniform("{ kind = 'uniform', low = -1, high = 2 }", -1.0, 2.0),
    Mixture("{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.1 }", [0.3, 0.7], [-1, 1], 0.01),
    Mixture("{ kind = 'atoms', points = [-1, 1], weights = [0.3, 0.7] }", [0.3, 0.7], [-1, 1], 0.0),
]

if __name__ == "__main__":
    rows = []
    for law in LAWS:
        for tau, beta in [(0.5, 20.0), (0.4, 10.0)]:
            edges = graded(law, tau, beta, law.reach(tau))
            fine = halved(edges) * 1.01
            coarse, fine = observables(law, tau, beta, edges), observables(law, tau, beta, fine)
            apart = np.abs(coarse - fine).max()
            print(law.text, tau, beta, len(edges), "%.1e" % apart, fine, file=sys.stderr, flush=True)
            assert apart < AGREEMENT
            rows.append("\t".join([law.text, repr(tau), repr(beta)] + [repr(float(v)) for v in fine]))
    print("\n".join(rows))

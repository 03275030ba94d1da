"""Writes meanfield.tsv: law, noise variance, beta, and of the mean field at the denoising horizon beta*noise/2 its mean,
variance, W1 to the prior, and posterior means at -1, 0.2 and 2.

Independent of the Rust code in every part: 80-bit floats, equidistant nodes four times denser than the kernel needs, Gragg-Bulirsch-Stoer
extrapolation in time, W1 by splines of the map from labels to positions. Two spacings are run and must agree to the
digits that the tests use. Needs numpy and scipy.
"""
import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.special import ndtr

F = np.longdouble
HORIZON_STEP = F(1) / 4
SEQUENCE = [2, 4, 6, 8, 10, 12, 14, 16]
QUERIES = [-1.0, 0.2, 2.0]


def normal(x, v):
    return np.exp(-x * x / (2 * v)) / np.sqrt(2 * F(np.pi) * v)


class Mixture:
    """sum_k p_k N(m_k, v), v = 0 for atoms."""

    def __init__(self, text, p, m, v):
        self.text, self.p, self.m, self.v = text, [F(x) for x in p], [F(x) for x in m], F(v)

    def noisy_density(self, x, tau):
        return sum(p * normal(x - m, self.v + tau) for p, m in zip(self.p, self.m))

    def cdf(self, x, extra):
        if self.v + extra == 0:
            return sum(float(p) * (x >= float(m)) for p, m in zip(self.p, self.m))
        s = float(np.sqrt(self.v + extra))
        return sum(float(p) * ndtr((x - float(m)) / s) for p, m in zip(self.p, self.m))


def drift(z, w, beta):
    v = np.empty_like(z)
    for block in np.array_split(np.arange(len(z)), 20):
        d = z[None, :] - z[block, None]
        k = np.exp(-beta / 2 * d * d) * w[None, :]
        v[block] = (k * d).sum(1) / k.sum(1)
    return v


def bulirsch_stoer(z, w, beta, h):
    table = []
    for n in SEQUENCE:
        s = h / n
        a, b = z, z + s * drift(z, w, beta)
        for _ in range(n - 1):
            a, b = b, a + 2 * s * drift(b, w, beta)
        row = [(a + b + s * drift(b, w, beta)) / 2]
        for k, previous in enumerate(table[-1] if table else []):
            ratio = (F(n) / SEQUENCE[len(table) - 1 - k]) ** 2
            row.append(row[k] + (row[k] - previous) / (ratio - 1))
        table.append(row)
    return table[-1][-1]


def solve(law, tau, beta, share):
    tau, beta = F(tau), F(beta)
    h = F(share) / np.sqrt(beta)
    reach = 2 + 9 * np.sqrt(law.v + tau)
    n = int(reach / h)
    x = h * np.arange(-n, n + 1).astype(F)
    w = law.noisy_density(x, tau)
    w = w / w.sum()
    z, steps = x, int(np.ceil(beta * tau / 2 / HORIZON_STEP))
    for _ in range(steps):
        z = bulirsch_stoer(z, w, beta, beta * tau / 2 / steps)
    mean = (w * z).sum()
    variance = (w * (z - mean) ** 2).sum()
    out = [mean, variance, w1(law, x, z, tau)]
    for y in QUERIES:
        k = w * np.exp(-(F(y) - z) ** 2 / (2 * tau))
        out.append((k * z).sum() / k.sum())
    return [float(v) for v in out]


def w1(law, x, z, tau):
    labels = make_interp_spline(z.astype(float), x.astype(float), k=7)
    atoms = [float(m) for m in law.m] if law.v == 0 else []
    ends = sorted([float(z[0]), float(z[-1])] + atoms)
    total = 0.0
    for a, b in zip(ends, ends[1:]):
        t = np.linspace(a, b, 2 * 400_000 + 1)[1::2]  # midpoints: kinks and jumps cost h^2
        gap = law.cdf(labels(t), float(tau)) - law.cdf(t, 0.0)
        total += np.abs(gap).mean() * (b - a)
    return total


LAWS = [
    Mixture("{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.5 }", [0.5, 0.5], [-1, 1], 0.25),
    Mixture("{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.5 }", [0.3, 0.7], [-1, 1], 0.25),
    Mixture("{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.1 }", [0.3, 0.7], [-1, 1], 0.01),
    Mixture("{ kind = 'atoms', points = [-1, 1], weights = [0.3, 0.7] }", [0.3, 0.7], [-1, 1], 0.0),
]

if __name__ == "__main__":
    rows = []
    for law in LAWS:
        for tau, beta in [(0.5, 20.0), (0.4, 10.0)]:
            coarse, fine = solve(law, tau, beta, 0.2), solve(law, tau, beta, 0.15)
            apart = max(abs(a - b) for a, b in zip(coarse, fine))
            print(law.text, tau, beta, "%.1e" % apart, flush=True)
            assert apart < 2e-9
            rows.append("\t".join([law.text, repr(tau), repr(beta)] + [repr(v) for v in fine]))
    open("meanfield.tsv", "w").write("\n".join(rows) + "\n")

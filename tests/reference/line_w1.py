"""Writes line_w1.tsv: law, noise variance, radius, points, weights, scale, W1 of the cloud to the law.

W1 = integral of |F_cloud - F_law|, by quadrature of the distribution functions alone with 50 digits (the crossings located
by bisection), and confirmed by the closed forms with 400 digits. The scale is the spread of the cloud plus that of the law,
whatever their common offset. Needs mpmath.
"""
import random
from laws import *

random.seed(5)
rows = []


def crossing(F, a, b, c):
    for _ in range(190):
        m = (a + b) / 2
        if F(m) < c:
            a = m
        else:
            b = m
    return (a + b) / 2


def by_quadrature(law, xs, cum, breaks, width):
    """Panels no wider than `width`; tails until they are below 1e-45."""
    mp.dps = 50
    F = law.F
    marks = sorted(set(xs) | set(b for b in breaks if xs[0] < b < xs[-1]))
    total = mpf(0)

    def panels(f, a, b):
        n = max(1, int(ceil((b - a) / width)))
        return sum(quad(f, [a + (b - a) * k / n, a + (b - a) * (k + 1) / n]) for k in range(n))

    for a, b in zip(marks, marks[1:]):
        c = cum(a)
        eps = (b - a) * mpf(10)**-48
        fa, fb = F(a + eps) - c, F(b - eps) - c
        if fa < 0 < fb:
            q = crossing(F, a, b, c)
            total += panels(lambda x: c - F(x), a, q) + panels(lambda x: F(x) - c, q, b)
        else:
            total += abs(panels(lambda x: F(x) - c, a, b))
    for end, sign, value in ((xs[0], -1, F), (xs[-1], 1, lambda x: 1 - F(x))):
        a = end
        marks = sorted([b for b in breaks if (b - end) * sign > 0], key=lambda b: abs(b - end))
        while True:
            b = a + sign * width
            for m in marks:
                if (m - a) * sign > 0:
                    b = a + sign * min(width, abs(m - a))
                    break
            total += abs(quad(value, [min(a, b), max(a, b)]))
            a = b
            mp.dps = 70
            small = value(a) < mpf(10)**-45
            mp.dps = 50
            if small and not any((m - a) * sign > 0 for m in marks):
                break
    mp.dps = 400
    return total


def by_means(law, xs, cum, breaks):
    mp.dps = 400
    marks = sorted(set(xs) | set(b for b in breaks if xs[0] < b < xs[-1]))
    total = law.L(xs[0]) + U(law, xs[-1])
    for a, b in zip(marks, marks[1:]):
        c = cum(a)
        eps = (b - a) * mpf(10)**-100
        part = lambda s, t: law.L(t) - law.L(s) - c * (t - s)
        if law.F(a + eps) < c < law.F(b - eps):
            q = crossing(law.F, a, b, c)
            total += abs(part(a, q)) + abs(part(q, b))
        else:
            total += abs(part(a, b))
    return total


def case(text, noise, radius, base, points, weights=None, breaks=(), width=1.0, spread=1.0, quadrature=True):
    law = Trunc(base, radius) if radius else base
    breaks = [mpf(b) for b in breaks] + ([mpf(-radius), mpf(radius)] if radius else [])
    points = [float(p) for p in points]
    ws = [mpf(w) for w in weights] if weights else [mpf(1) / len(points)] * len(points)
    pairs = sorted(zip([mpf(p) for p in points], ws))
    xs = sorted(set(p for p, w in pairs if w > 0))
    steps = {}
    total = mpf(0)
    for p, w in pairs:
        total += w
        steps[p] = total
    places = sorted(steps)

    def cum(x):
        below = [p for p in places if p <= x]
        return steps[below[-1]] if below else mpf(0)

    value = by_means(law, xs, cum, breaks)
    if quadrature:
        other = by_quadrature(law, xs, cum, breaks, mpf(width))
        assert abs(value - other) < mpf(10)**-30 * (1 + value), (text, nstr(value, 30), nstr(other, 30))
    scale = float(xs[-1] - xs[0]) + spread
    rows.append("\t".join([text, repr(float(noise)), repr(float(radius)) if radius else 'inf', " ".join(map(repr, points)),
                           " ".join(map(repr, weights)) if weights else "-", repr(scale), repr(float(value))]))
    print(len(rows), text, noise, radius, nstr(value, 17), flush=True)


GAUSS = '{ kind = "gaussian", mean = 0, std = 1 }'
case(GAUSS, 0, None, Normal(0, 1), [0.3, -1.2, 2.0, 0.1, -0.4, 1.1, -2.5])
case(GAUSS, 0, None, Normal(0, 1), [0.25])
case(GAUSS, 0, None, Normal(0, 1), [-25.0, 30.0, 31.0, 35.5])
case(GAUSS, 0, None, Normal(0, 1), [-9.0, -8.5, -8.0], width=0.5)
case('{ kind = "gaussian", mean = 1000, std = 0.5 }', 0, None, Normal(1000, 0.5),
     [1000.1, 999.2, 1000.75, 998.9, 1001.3, 1000.0], spread=0.5)
case(GAUSS, 0, None, Normal(0, 1), [-1.0] * 5 + [-1.0 + 1e-9, -1.0 + 2e-9, 1.0, 1.0 + 1e-12, 1.0 + 1e-6])
case(GAUSS, 0, None, Normal(0, 1), [0.5, -0.5, 3.0, -2.0, 1.0], [0.125, 0.25, 0.0625, 0.3125, 0.25])
MIX = '{ kind = "mixture", weights = [0.25, 0.75], means = [-2, 3], covs = [0.25, 1] }'
mix = Mix([0.25, 0.75], [Normal(-2, 0.5), Normal(3, 1)])
case(MIX, 0, None, mix, [-2.5, -2.0, 0.0, 2.5, 3.0, 3.5, 4.5], spread=3)
NARROW = '{ kind = "mixture", weights = [0.5, 0.5], means = [-1, 1], std = 0.0078125 }'
case(NARROW, 0, None, Mix([0.5, 0.5], [Normal(-1, 0.0078125), Normal(1, 0.0078125)]),
     [-1.01, -1.0, -0.99, 0.0, 0.995, 1.02], width=1 / 128, spread=1)
LAP = '{ kind = "laplace", mean = 0.5, scale = 2 }'
case(LAP, 0, None, Laplace(0.5, 2, 0), [-3.0, 0.0, 0.5, 1.0, 4.0], breaks=[0.5], spread=2)
case(LAP, 1, None, Laplace(0.5, 2, 1), [-3.0, 0.0, 0.5, 1.0, 4.0], spread=2)
case(LAP, 1, None, Laplace(0.5, 2, 1), [40.0, 50.0, 60.0], spread=2)
UNI = '{ kind = "uniform", low = -1, high = 3 }'
case(UNI, 0, None, Uniform(-1, 3, 0), [-1.5, -0.5, 0.25, 2.0, 2.5], breaks=[-1, 3], spread=1)
case(UNI, 0.25, None, Uniform(-1, 3, 0.25), [-1.5, -0.5, 0.25, 2.0, 2.5], width=0.5, spread=1)
THIN = '{ kind = "uniform", low = -0.0009765625, high = 0.0009765625 }'
case(THIN, 1, None, Uniform(-0.0009765625, 0.0009765625, 1), [-1.5, -0.5, 0.25, 2.0, 2.5], spread=1)
case('{ kind = "gaussian", mean = 12, std = 1 }', 0, 2.0, Normal(12, 1), [-0.5, 1.0, 1.75, 1.875, 1.9375, 1.96875, 1.5],
     width=1 / 8, spread=0.1)
case('{ kind = "gaussian", mean = 30, std = 1 }', 0, 1.0, Normal(30, 1), [0.999, 0.98, 0.97, 0.95, 0.9], width=1 / 32,
     spread=0.03)
case(GAUSS, 0, 1.5, Normal(0, 1), [-2.0, -1.5, -0.5, 0.25, 1.0, 1.75], spread=1)
case(LAP, 1, 3.0, Laplace(0.5, 2, 1), [-2.0, -1.5, -0.5, 0.25, 1.0, 2.75], spread=1)
case(UNI, 0.25, 2.0, Uniform(-1, 3, 0.25), [-2.0, -1.5, -0.5, 0.25, 1.0, 1.75], width=0.5, spread=1)
case(MIX, 0, 1.0, mix, [-0.75, -0.5, 0.0, 0.5, 0.875], width=0.25, spread=0.5)
ATOMS = '{ kind = "atoms", points = [-1, 0.5, 2], weights = [0.5, 0.25, 0.25] }'
coins = Mix([0.5, 0.25, 0.25], [Atom(-1), Atom(0.5), Atom(2)])
case(ATOMS, 0, None, coins, [-1.0, 0.5, 0.5, 1.0, 2.0, 2.5], breaks=[-1, 0.5, 2])
case(ATOMS, 0.5, None, Mix([0.5, 0.25, 0.25], [Normal(-1, sqrt(mpf(0.5))), Normal(0.5, sqrt(mpf(0.5))), Normal(2, sqrt(mpf(0.5)))]),
     [-1.0, 0.5, 0.5, 1.0, 2.0, 2.5], width=0.5)
HALF = '{ kind = "mixture", weights = [0.25, 0.75], means = [-2, 3], covs = [0, 1] }'
case(HALF, 0, None, Mix([0.25, 0.75], [Atom(-2), Normal(3, 1)]), [-2.0, -2.0, -1.0, 2.5, 3.0, 4.0], breaks=[-2], spread=2)
case(HALF, 0, None, Mix([0.25, 0.75], [Atom(-2), Normal(3, 1)]), [-3.0, -1.0, 3.5], breaks=[-2], spread=2)
HUGE = '{ kind = "mixture", weights = [0.5, 0.5], means = [-1000, 1000], std = 1 }'
case(HUGE, 0, None, Mix([0.5, 0.5], [Normal(-1000, 1), Normal(1000, 1)]), [-1001.0, -1000.0, 500.0, 1000.5], spread=1000,
     quadrature=False)
sample = sorted(random.gauss(0, 1) for _ in range(200))
case(GAUSS, 0, None, Normal(0, 1), sample, quadrature=False)
mp.dps = 30
levels = [float(sqrt(mpf(2)) * erfinv(2 * (mpf(2 * i + 1) / 512) - 1)) for i in range(256)]
case(GAUSS, 0, None, Normal(0, 1), levels, quadrature=False)
clump = [0.3 + 1e-7 * random.gauss(0, 1) for _ in range(100)] + [-0.7 + 1e-7 * random.gauss(0, 1) for _ in range(100)]
case(GAUSS, 0, None, Normal(0, 1), clump, quadrature=False)
open('line_w1.tsv', 'w').write("\n".join(rows) + "\n")

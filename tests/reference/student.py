"""Student's t with Gaussian noise, 30 digits: the convolution integrals of its density, by mpmath's quadrature.

Prints the rows of `STUDENT` in src/law/tests.rs. Needs mpmath.
"""
from mpmath import mp, mpf, quad, gamma, sqrt, pi, exp, log, erfc, inf, ncdf, npdf
mp.dps = 30

def density(nu, x):
    return gamma((nu + 1) / 2) / (sqrt(nu * pi) * gamma(nu / 2)) * (1 + x * x / nu) ** (-(nu + 1) / 2)

def points(y, s, b):
    """Where the integrand has its features: the likelihood about y, the prior about 0, what lies between, and decades of tail."""
    between = [y * k / 40 for k in range(1, 40)]
    inner = [y + k * s for k in (-40, -12, -6, -3, -1, 0, 1, 3, 6, 12, 40)] + [k * b for k in (-30, -10, -3, -1, 0, 1, 3, 10, 30)]
    outer = [sign * b * mpf(10) ** k for sign in (-1, 1) for k in (2, 3, 4, 6, 9, 14, 20)]
    return [-inf] + sorted(set(inner + outer + between)) + [inf]

def convolved(nu, b, tau, y, g, h):
    """∫ f(x) g(x) h((y - x)/s) dx over the clean x, f Student of scale b about 0."""
    s = sqrt(tau)
    return quad(lambda x: density(nu, x / b) / b * g(x) * h((y - x) / s), points(y, s, b))

def row(nu, mean, scale, tau, y):
    nu, mean, scale, tau, y = map(mpf, (nu, mean, scale, tau, y))
    z, s = y - mean, sqrt(tau)
    f = convolved(nu, scale, tau, z, lambda x: 1, lambda t: npdf(t)) / s
    m = mean + convolved(nu, scale, tau, z, lambda x: x, lambda t: npdf(t)) / s / f
    # P(X + N > y), and E (X + N - y)_+, with t = (y - x)/s.
    above = convolved(nu, scale, tau, z, lambda x: 1, lambda t: erfc(t / sqrt(mpf(2))) / 2)
    upper = s * convolved(nu, scale, tau, z, lambda x: 1, lambda t: npdf(t) - t * erfc(t / sqrt(mpf(2))) / 2)
    show = lambda x: mp.nstr(x, 17, strip_zeros=False) if x else "0.0"
    print(f"    Convolved {{ law: [{show(nu)}, {show(mean)}, {show(scale)}], noise: {show(tau)}, y: {show(y)}, posterior: {show(m)}, "
          f"log_density: {show(log(f))}, above: {show(above)}, upper_mean: {show(upper)} }},")

for case in [
    ("2.5", 0, 1, "0.5", "0.3"), ("2.5", 0, 1, "0.5", 4), ("2.5", 0, 1, "0.5", 100), ("2.5", 0, 1, "0.5", 100000),
    (3, "0.5", "0.2", 1, "1e-3"), (3, "0.5", "0.2", 1, 7), (3, 0, 2, "0.01", 3), (3, 0, 2, "0.01", -30),
    (5, -1, 1, "0.25", 2), (5, -1, 1, 4, 20), (30, 0, 1, "0.5", "1.5"), (30, 0, 1, "0.5", 12), (300, 0, 1, 1, 5),
    (300, 0, "0.1", "0.01", 2), (10000, 0, 1, "0.5", 3),
]:
    row(*case)

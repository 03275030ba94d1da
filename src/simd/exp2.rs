//! `2^(−κq)` on vectors.
//!
//! ```text
//! −κq = n + r,  n an integer,  |r| ≤ 1/2:    2^(−κq) = 2^n · p(r)
//! ```
//!
//! `κ` enters as the factor of a fused multiply-add, so numbers need not be scaled by an inexact one beforehand. `p` is the minimax polynomial
//! of `2^r` with `p(0) = 1` exactly: a point weighs itself with exactly one. Its even and odd halves advance side by side, as do several
//! vectors, so that none has to wait for its own last term.

use super::Plain;
#[cfg(target_arch = "x86_64")]
use super::x86::{Doubles256, Doubles512, Singles256, Singles512};
use super::{Real, Vector};

/// Doubles beyond `2^±1000` are nobody's concern: `2^−1000` is negligible against every mass that is kept.
pub(crate) const LARGEST_EXPONENT: f64 = 1000.0;

impl Real for f64 {
    #[cfg(target_arch = "x86_64")]
    type Avx512 = Doubles512;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = Doubles256;
    type Plain = Plain<f64, 4>;
    /// Relative error at most 2.3e-16: Remez exchange in 60 digits with `c_0 = 1` fixed, then rounded.
    const POWER: &'static [Self] = &[
        1.0,
        0.6931471805599492,
        0.240226506959091,
        0.05550410866448181,
        0.009618129107983106,
        0.0013333558225800855,
        0.0001540352999428165,
        1.5252659427374817e-05,
        1.321565357745193e-06,
        1.020832305530292e-07,
        7.0381825747354674e-09,
    ];
    const ROUNDER: Self = 6_755_399_441_055_744.0;
    const LARGEST_EXPONENT: Self = LARGEST_EXPONENT;
    const UNIT: f64 = 0.5 * f64::EPSILON;
    const POWER_ERROR: f64 = 7.0 * Self::UNIT;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn above(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
}

impl Real for f32 {
    #[cfg(target_arch = "x86_64")]
    type Avx512 = Singles512;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = Singles256;
    type Plain = Plain<f32, 8>;
    /// Interpolation in Chebyshev's points, relative error 3.6e-6.
    const POWER: &'static [Self] = &[1.0, 0.693_121, 0.240_223_5, 0.055_921_976, 0.009_666_368];
    const ROUNDER: Self = 12_582_912.0;
    const LARGEST_EXPONENT: Self = 120.0;
    const UNIT: f64 = 0.5 * f32::EPSILON as f64;
    const POWER_ERROR: f64 = 4e-6;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn above(value: f64) -> Self {
        let nearest = value as f32;
        if f64::from(nearest) < value { nearest.next_up() } else { nearest }
    }

    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self)
    }
}

/// See [`Vector::exp2_minus`].
#[inline(always)]
pub(super) fn exp2_minus<V: Vector, const N: usize>(sharpness: V, q: [V; N]) -> [V; N] {
    let c = V::Scalar::POWER;
    let number = |x: V::Scalar| sharpness.splat(x);
    let (rounder, factor) = (number(V::Scalar::ROUNDER), sharpness.zero().sub(sharpness));
    let (mut shifted, mut r, mut square) = (q, q, q);
    for n in 0..N {
        shifted[n] = q[n].mul_add(factor, rounder);
        r[n] = q[n].mul_add(factor, rounder.sub(shifted[n]));
        square[n] = r[n].mul(r[n]);
    }
    let mut even = [number(c[c.len() - 1]); N];
    let mut odd = [number(c[c.len() - 2]); N];
    for k in (1..c.len() / 2).rev() {
        for n in 0..N {
            even[n] = even[n].mul_add(square[n], number(c[2 * k]));
            odd[n] = odd[n].mul_add(square[n], number(c[2 * k - 1]));
        }
    }
    let mut power = even;
    for n in 0..N {
        power[n] = odd[n].mul_add(r[n], even[n].mul_add(square[n], number(c[0]))).scaled(shifted[n]);
    }
    power
}

//! Vectors in the widest registers of the machine: one trait, one choice at run time, one exponential.
//!
//! A computation is a `Program`, written once over a `Vector` of doubles or of singles. `widest` runs it with AVX-512, with AVX2 and
//! fused multiply-add, or with plain arrays, which compilers turn into whatever else a machine has (NEON, SSE2):
//!
//! | registers | doubles | singles | `a·b + c` is rounded |
//! |---|---|---|---|
//! | AVX-512 | 8 | 16 | once |
//! | AVX2 | 4 | 8 | once |
//! | plain arrays | 4 | 8 | once on ARM, twice elsewhere |
//!
//! Nothing here is `unsafe`. A vector carries a token of crate `pulp`, of no size, that only exists where the instructions were detected;
//! new vectors are made from old ones, so that having one is proof enough.

mod exp2;
mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

pub(crate) use exp2::LARGEST_EXPONENT;
pub(crate) use plain::Plain;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};

use crate::error::{Error, Result};

/// Numbers in the longest vector of all.
const WIDEST: usize = 16;

/// Numbers in a [`Block`].
pub(crate) const BLOCK: usize = 64;

/// Numbers that are worked on while they stay in the first-level cache: a whole number of vectors, each within one line of the cache, from
/// where alone long ones are loaded at full speed.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Block<R>(pub(crate) [R; BLOCK]);

impl<R: Real> Block<R> {
    /// As many blocks as hold `count` numbers and what comes after.
    pub(crate) fn row(count: usize, number: impl Fn(usize) -> R) -> Vec<Self> {
        (0..count.div_ceil(BLOCK))
            .map(|block| Self(std::array::from_fn(|i| number(block * BLOCK + i))))
            .collect()
    }
}

impl<R> Deref for Block<R> {
    type Target = [R; BLOCK];

    #[inline(always)]
    fn deref(&self) -> &[R; BLOCK] {
        &self.0
    }
}

impl<R> DerefMut for Block<R> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [R; BLOCK] {
        &mut self.0
    }
}

/// `f64` and `f32`, with what the vectors need to know about them.
pub(crate) trait Real: Copy + Default + Send + Sync + 'static {
    /// Vectors where the machine has AVX-512.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Vector<Scalar = Self> + From<V4>;
    /// Vectors where the machine has AVX2.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Vector<Scalar = Self> + From<V3>;
    /// Vectors where it has nothing that is known here.
    type Plain: Vector<Scalar = Self> + Default;
    /// Coefficients of `2^r` on `|r| ≤ 1/2`, the lowest first; an odd number of them.
    const POWER: &'static [Self];
    /// `1.5·2^m` with `m` bits in the mantissa: adding it to `x` leaves `round(x)` in the low bits of the sum.
    const ROUNDER: Self;
    /// Exponents up to this can be taken: no sum that is kept can tell what lies beyond from nothing.
    const LARGEST_EXPONENT: Self;
    /// Unit roundoff: no operation is off by more than this, relatively.
    const UNIT: f64;
    /// What [`Vector::exp2_minus`] may be off by, relatively, besides rounding of `κq`: proved by a test.
    const POWER_ERROR: f64;
    /// The nearest number to a double.
    fn of(value: f64) -> Self;
    /// A number that is at least a double, and hardly larger.
    fn above(value: f64) -> Self;
    /// The same number as a double.
    fn double(self) -> f64;
}

/// A vector of numbers, and proof that the machine has the instructions for it.
pub(crate) trait Vector: Copy + Send + Sync {
    /// What it holds.
    type Scalar: Real;
    /// How many; a divisor of [`WIDEST`].
    const WIDTH: usize;

    /// A vector with `value` in every place; what `self` holds does not matter, also below.
    fn splat(self, value: Self::Scalar) -> Self;
    /// The first numbers of `from`.
    fn load(self, from: &[Self::Scalar]) -> Self;
    /// Overwrites the first numbers of `to`.
    fn store(self, to: &mut [Self::Scalar]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self·factor + term`
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `a·b + c`, rounded as by [`Vector::mul_add`], for loops that the compiler vectorises.
    fn fused(a: Self::Scalar, b: Self::Scalar, c: Self::Scalar) -> Self::Scalar;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// `self·2^n`, with the integer `n` in the low bits of `power`.
    fn scaled(self, power: Self) -> Self;
    /// `self` where `x ≤ bound`, zero elsewhere, also where `x` is not a number.
    fn where_at_most(self, x: Self, bound: Self) -> Self;
    /// A bit per place: is it at most `bound`?
    fn at_most(self, bound: Self) -> u32;
    /// The sums of four vectors.
    fn sums(rows: [Self; 4]) -> [Self::Scalar; 4];

    #[inline(always)]
    fn zero(self) -> Self {
        self.splat(Self::Scalar::default())
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.max(self.zero().sub(self))
    }

    /// The sum of its numbers, as a double.
    #[inline(always)]
    fn total(self) -> f64 {
        let mut lanes = [Self::Scalar::default(); WIDEST];
        self.store(&mut lanes);
        lanes[..Self::WIDTH].iter().map(|x| x.double()).sum()
    }

    /// `2^(−κq)` for several vectors and `|κq| ≤` [`Real::LARGEST_EXPONENT`], to [`Real::POWER_ERROR`].
    #[inline(always)]
    fn exp2_minus<const N: usize>(sharpness: Self, q: [Self; N]) -> [Self; N] {
        exp2::exp2_minus(sharpness, q)
    }
}

/// A computation on vectors. `run` and everything it calls must be `#[inline(always)]`: only then is it compiled for the
/// machine's vector instructions.
pub(crate) trait Program {
    /// The precision it works in.
    type Scalar: Real;
    /// What it computes.
    type Output;
    /// Computes, with vectors made from `any`.
    fn run<V: Vector<Scalar = Self::Scalar>>(self, any: V) -> Self::Output;
    /// Computes with plain arrays. Of programs that come in many forms, one form is enough for this: it is slow in any case.
    #[inline(always)]
    fn portable(self) -> Self::Output
    where
        Self: Sized,
    {
        self.run(<Self::Scalar as Real>::Plain::default())
    }
}

/// Runs a program with the widest vectors of this machine.
pub(crate) fn widest<P: Program>(program: P) -> P::Output {
    Instructions::detect().run(program)
}

/// Puts `2^(−q)` in place of each number `q ≥ −1000`, to [`Real::POWER_ERROR`], and zero where that is below `2^−1000`. They must be a multiple of eight.
pub(crate) struct PowersOfTwo<'a>(pub &'a mut [f64]);

impl Program for PowersOfTwo<'_> {
    type Scalar = f64;
    type Output = ();

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, any: V) {
        let (one, largest) = (any.splat(1.0), any.splat(LARGEST_EXPONENT));
        for numbers in self.0.chunks_exact_mut(V::WIDTH) {
            let q = any.load(numbers);
            let [power] = V::exp2_minus(one, [q.min(largest)]);
            power.where_at_most(q, largest).store(numbers);
        }
    }
}

/// The name of the instructions that all kernels use: `avx512`, `avx2` or `portable`.
///
/// They are the fastest that the machine has, unless the environment forbids them: the variable `EBFLOW_SIMD` names the widest ones allowed, and
/// `EBFLOW_PORTABLE`, set to anything, means `EBFLOW_SIMD=portable`. So one machine can show what another computes. Fails where `EBFLOW_SIMD` names none.
pub fn instructions() -> Result<&'static str> {
    let asked = std::env::var(SIMD).unwrap_or_default();
    if asked.is_empty() || NAMES.contains(&asked.as_str()) {
        return Ok(Instructions::detect().name());
    }
    Err(Error::UnknownInstructions { asked })
}

/// Runs `rounds` rounds of independent chains of fused multiply-adds on whole vectors and says how many numbers were multiplied and added, or
/// `None` without such instructions. Timing it gives the machine's limit, which benchmarks relate the kernels' speed to.
pub fn fused_multiply_adds(rounds: u64) -> Option<u64> {
    let instructions = Instructions::detect();
    let count = instructions.run(MultiplyAdds(rounds));
    (instructions.name() != "portable").then_some(count)
}

/// Chains that hide the latency of a fused multiply-add.
const CHAINS: usize = 12;

struct MultiplyAdds(u64);

impl Program for MultiplyAdds {
    type Scalar = f64;
    type Output = u64;

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, any: V) -> u64 {
        let [factor, term] = std::hint::black_box([0.999_999, 1e-9]);
        let (factor, term) = (any.splat(factor), any.splat(term));
        let mut chains = [factor; CHAINS];
        for _ in 0..self.0 {
            for chain in &mut chains {
                *chain = chain.mul_add(factor, term);
            }
        }
        for chain in chains {
            std::hint::black_box(chain.total());
        }
        self.0 * (CHAINS * V::WIDTH) as u64
    }
}

const PORTABLE: &str = "EBFLOW_PORTABLE";
const SIMD: &str = "EBFLOW_SIMD";

/// What [`SIMD`] may say, the widest first.
const NAMES: [&str; 3] = ["avx512", "avx2", "portable"];

/// Which instructions the kernels use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512(V4),
    #[cfg(target_arch = "x86_64")]
    Avx2(V3),
    Portable,
}

/// What is used, found out once: a run does not change its mind.
static DETECTED: LazyLock<Instructions> = LazyLock::new(|| {
    let portable = std::env::var_os(PORTABLE).is_some_and(|value| !value.is_empty());
    let asked = if portable { "portable".into() } else { std::env::var(SIMD).unwrap_or_default() };
    let allowed = &NAMES[NAMES.iter().position(|name| *name == asked).unwrap_or(0)..];
    let found = Instructions::all().into_iter().find(|it| allowed.contains(&it.name()));
    found.unwrap_or(Instructions::Portable)
});

impl Instructions {
    /// The fastest that this machine has and that the environment does not forbid.
    pub(crate) fn detect() -> Self {
        *DETECTED
    }

    /// All that this machine has, the fastest first.
    pub(crate) fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let fast = [V4::try_new().map(Self::Avx512), V3::try_new().map(Self::Avx2)];
        #[cfg(not(target_arch = "x86_64"))]
        let fast: [Option<Self>; 0] = [];
        fast.into_iter().flatten().chain([Self::Portable]).collect()
    }

    /// As the environment spells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            Self::Portable => "portable",
        }
    }

    /// Runs a program with these instructions.
    #[inline(always)]
    pub(crate) fn run<P: Program>(self, program: P) -> P::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(token) => {
                token.vectorize(Job { program, any: <P::Scalar as Real>::Avx512::from(token) })
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(token) => {
                token.vectorize(Job { program, any: <P::Scalar as Real>::Avx2::from(token) })
            }
            Self::Portable => program.portable(),
        }
    }
}

/// A program with its vectors.
#[cfg(target_arch = "x86_64")]
struct Job<P, V> {
    program: P,
    any: V,
}

#[cfg(target_arch = "x86_64")]
impl<P: Program, V: Vector<Scalar = P::Scalar>> pulp::NullaryFnOnce for Job<P, V> {
    type Output = P::Output;

    #[inline(always)]
    fn call(self) -> P::Output {
        self.program.run(self.any)
    }
}

#[cfg(test)]
mod tests;

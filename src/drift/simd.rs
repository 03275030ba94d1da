//! Vectors of four doubles: AVX2 with fused multiply-add where the machine has it, detected at run time, and plain arrays everywhere.
//!
//! This file is the only one with `unsafe` code. Every block calls instructions whose presence was checked.

use std::sync::LazyLock;

use super::kernel::{ANY, Flavour, Kernel, ROWS, Sweep, sweep_lanes};
use super::wide::{Real, RowProgram, Wide};

/// Lanes of a vector.
pub(super) const LANES: usize = 4;

/// Which instructions the kernels use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instructions {
    avx2: bool,
}

/// Setting this variable to anything keeps all kernels to what every machine has: a way to see, on one machine, what another will compute.
const PORTABLE: &str = "EBFLOW_PORTABLE";

/// What is used, found out once: a run does not change its mind.
static DETECTED: LazyLock<Instructions> = LazyLock::new(|| {
    let wanted = std::env::var_os(PORTABLE).is_none_or(|value| value.is_empty());
    #[cfg(target_arch = "x86_64")]
    let there = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let there = false;
    Instructions { avx2: wanted && there }
});

impl Instructions {
    /// The fastest that this machine has, unless the variable `EBFLOW_PORTABLE` is set.
    pub(super) fn detect() -> Self {
        *DETECTED
    }

    /// True when vectors of four doubles and fused multiply-add may be used.
    pub(super) fn has_avx2(self) -> bool {
        self.avx2
    }

    /// What every machine has.
    #[cfg(test)]
    pub(super) fn portable() -> Self {
        Self { avx2: false }
    }
}

/// Runs one sweep and returns the number of pairs of quads that it summed over.
pub(super) fn sweep<F: Flavour>(instructions: Instructions, kernel: Kernel, tiles: Sweep<'_>) -> usize {
    #[cfg(target_arch = "x86_64")]
    if instructions.avx2 {
        // SAFETY: `avx2` is only set where both features were detected.
        return unsafe {
            match tiles.dimension {
                1 => avx2::sweep::<1, F>(kernel, tiles),
                2 => avx2::sweep::<2, F>(kernel, tiles),
                3 => avx2::sweep::<3, F>(kernel, tiles),
                4 => avx2::sweep::<4, F>(kernel, tiles),
                5 => avx2::sweep::<5, F>(kernel, tiles),
                6 => avx2::sweep::<6, F>(kernel, tiles),
                7 => avx2::sweep::<7, F>(kernel, tiles),
                8 => avx2::sweep::<8, F>(kernel, tiles),
                _ => avx2::sweep::<ANY, F>(kernel, tiles),
            }
        };
    }
    debug_assert!(!instructions.avx2);
    sweep_lanes::<portable::Four, ANY, F>(kernel, tiles)
}

/// Runs a row program with the widest vectors of this machine.
pub(crate) fn widest<J: RowProgram>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    if Instructions::detect().avx2 {
        // SAFETY: both features were detected.
        return unsafe { avx2::program(job) };
    }
    job.run::<<J::Scalar as Real>::Plain>()
}

/// Runs `rounds` rounds of independent chains of fused multiply-adds on four-lane vectors and says how many that were, or `None` without such
/// instructions. Timing it gives the machine's limit, which benchmarks relate the kernels' speed to.
pub fn fused_multiply_adds(rounds: u64) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    if Instructions::detect().avx2 {
        // SAFETY: both features were detected.
        unsafe { avx2::multiply_add(rounds) };
        return Some(rounds * CHAINS as u64);
    }
    std::hint::black_box(rounds);
    None
}

/// Chains that hide the latency of a fused multiply-add.
const CHAINS: usize = 12;

#[inline(always)]
fn multiply_add<V: Lanes>(rounds: u64) {
    let [factor, term] = std::hint::black_box([0.999_999, 1e-9]).map(V::splat);
    let mut chains = [factor; CHAINS];
    for _ in 0..rounds {
        chains = chains.map(|x| x.mul_add(factor, term));
    }
    std::hint::black_box(chains.map(|x| {
        let mut lanes = [0.0; LANES];
        x.store(&mut lanes);
        lanes
    }));
}

/// Four doubles and what the kernel does with them.
pub(super) trait Lanes: Copy {
    fn splat(value: f64) -> Self;
    fn load(from: &[f64; LANES]) -> Self;
    fn store(self, to: &mut [f64; LANES]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self·factor + term`
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `term − self·factor`
    fn mul_sub_from(self, factor: Self, term: Self) -> Self;
    /// Moves the integer in the low bits of `self` to where a double has its exponent.
    fn to_exponent(self) -> Self;
    /// Multiplies by the power of two made by [`Lanes::to_exponent`].
    fn scale(self, exponent: Self) -> Self;
    /// `self` where `x ≤ bound`, zero elsewhere, also where `x` is not a number.
    fn where_at_most(self, x: Self, bound: Self) -> Self;
    /// The larger of two, lane by lane.
    fn max(self, other: Self) -> Self;
    /// The smaller of two, lane by lane.
    fn min(self, other: Self) -> Self;
    /// A bit per lane: is it at most `bound`?
    fn at_most(self, bound: Self) -> u32;
    /// The four horizontal sums.
    fn sums(rows: [Self; ROWS]) -> Self;
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    //! Four doubles in one register; every method runs inside [`sweep`], behind the run-time check.

    use std::arch::x86_64::*;

    use super::{Flavour, Kernel, LANES, Lanes, ROWS, Sweep, Wide, sweep_lanes};
    use crate::drift::wide::BLOCK;

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn sweep<const D: usize, F: Flavour>(kernel: Kernel, tiles: Sweep<'_>) -> usize {
        sweep_lanes::<Four, D, F>(kernel, tiles)
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn program<J: super::RowProgram>(job: J) -> J::Output {
        job.run::<<J::Scalar as super::Real>::Avx2>()
    }

    /// Implements [`Wide`] for a register type; the instructions are named one by one.
    macro_rules! wide {
        ($name:ident, $register:ty, $scalar:ty, $width:literal, $set:ident, $load:ident, $store:ident, $add:ident, $sub:ident,
         $mul:ident, $fmadd:ident, $max:ident, $min:ident, $sqrt:ident, $to_bits:ident, $from_bits:ident, $shift:ident, $mantissa:literal,
         $sub_bits:ident) => {
            #[derive(Clone, Copy)]
            pub(crate) struct $name($register);

            impl Wide for $name {
                type Scalar = $scalar;
                const WIDTH: usize = $width;

                #[inline(always)]
                fn splat(value: $scalar) -> Self {
                    Self(unsafe { $set(value) })
                }

                #[inline(always)]
                fn load(from: &[$scalar; BLOCK], at: usize) -> Self {
                    let from: &[$scalar; $width] = from[at..at + $width].try_into().expect("a whole vector");
                    Self(unsafe { $load(from.as_ptr()) })
                }

                #[inline(always)]
                fn store(self, to: &mut [$scalar; BLOCK], at: usize) {
                    let to: &mut [$scalar; $width] =
                        (&mut to[at..at + $width]).try_into().expect("a whole vector");
                    unsafe { $store(to.as_mut_ptr(), self.0) }
                }

                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    Self(unsafe { $add(self.0, other.0) })
                }

                #[inline(always)]
                fn sub(self, other: Self) -> Self {
                    Self(unsafe { $sub(self.0, other.0) })
                }

                #[inline(always)]
                fn mul(self, other: Self) -> Self {
                    Self(unsafe { $mul(self.0, other.0) })
                }

                #[inline(always)]
                fn mul_add(self, factor: Self, term: Self) -> Self {
                    Self(unsafe { $fmadd(self.0, factor.0, term.0) })
                }

                #[inline(always)]
                fn max(self, other: Self) -> Self {
                    Self(unsafe { $max(self.0, other.0) })
                }

                #[inline(always)]
                fn min(self, other: Self) -> Self {
                    Self(unsafe { $min(self.0, other.0) })
                }

                #[inline(always)]
                fn sqrt(self) -> Self {
                    Self(unsafe { $sqrt(self.0) })
                }

                #[inline(always)]
                fn halved(self, times: Self) -> Self {
                    Self(unsafe {
                        let exponent = $shift::<$mantissa>($to_bits(times.0));
                        $from_bits($sub_bits($to_bits(self.0), exponent))
                    })
                }
            }
        };
    }

    // SAFETY: as for `Four`; the registers are only used by programs that run inside [`program`].
    wide!(
        Doubles,
        __m256d,
        f64,
        4,
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_mul_pd,
        _mm256_fmadd_pd,
        _mm256_max_pd,
        _mm256_min_pd,
        _mm256_sqrt_pd,
        _mm256_castpd_si256,
        _mm256_castsi256_pd,
        _mm256_slli_epi64,
        52,
        _mm256_sub_epi64
    );
    wide!(
        Singles,
        __m256,
        f32,
        8,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps,
        _mm256_fmadd_ps,
        _mm256_max_ps,
        _mm256_min_ps,
        _mm256_sqrt_ps,
        _mm256_castps_si256,
        _mm256_castsi256_ps,
        _mm256_slli_epi32,
        23,
        _mm256_sub_epi32
    );

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn multiply_add(rounds: u64) {
        super::multiply_add::<Four>(rounds);
    }

    #[derive(Clone, Copy)]
    pub(super) struct Four(__m256d);

    // SAFETY of all blocks: a `Four` is only used by functions that are inlined into ones with `avx2,fma` enabled, which run only where
    // both were detected; loads and stores are unaligned and stay inside the arrays they are given.
    impl Lanes for Four {
        #[inline(always)]
        fn splat(value: f64) -> Self {
            Self(unsafe { _mm256_set1_pd(value) })
        }

        #[inline(always)]
        fn load(from: &[f64; LANES]) -> Self {
            Self(unsafe { _mm256_loadu_pd(from.as_ptr()) })
        }

        #[inline(always)]
        fn store(self, to: &mut [f64; LANES]) {
            unsafe { _mm256_storeu_pd(to.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(unsafe { _mm256_add_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Self(unsafe { _mm256_sub_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Self(unsafe { _mm256_mul_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, term: Self) -> Self {
            Self(unsafe { _mm256_fmadd_pd(self.0, factor.0, term.0) })
        }

        #[inline(always)]
        fn mul_sub_from(self, factor: Self, term: Self) -> Self {
            Self(unsafe { _mm256_fnmadd_pd(self.0, factor.0, term.0) })
        }

        #[inline(always)]
        fn to_exponent(self) -> Self {
            Self(unsafe { _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(self.0))) })
        }

        #[inline(always)]
        fn scale(self, exponent: Self) -> Self {
            Self(unsafe {
                let bits = _mm256_add_epi64(_mm256_castpd_si256(self.0), _mm256_castpd_si256(exponent.0));
                _mm256_castsi256_pd(bits)
            })
        }

        #[inline(always)]
        fn where_at_most(self, x: Self, bound: Self) -> Self {
            Self(unsafe { _mm256_and_pd(self.0, _mm256_cmp_pd::<_CMP_LE_OQ>(x.0, bound.0)) })
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(unsafe { _mm256_max_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(unsafe { _mm256_min_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn at_most(self, bound: Self) -> u32 {
            unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, bound.0)) as u32 }
        }

        #[inline(always)]
        fn sums(rows: [Self; ROWS]) -> Self {
            Self(unsafe {
                let low = _mm256_hadd_pd(rows[0].0, rows[1].0);
                let high = _mm256_hadd_pd(rows[2].0, rows[3].0);
                let straight = _mm256_blend_pd::<0b1100>(low, high);
                let crossed = _mm256_permute2f128_pd::<0x21>(low, high);
                _mm256_add_pd(straight, crossed)
            })
        }
    }
}

mod portable {
    //! The same arithmetic on plain arrays.

    use super::{LANES, Lanes, ROWS};

    #[derive(Clone, Copy)]
    pub(super) struct Four([f64; LANES]);

    impl Four {
        #[inline(always)]
        fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
            Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
        }
    }

    /// Fused where the machine fuses; a library call for it would cost more than everything else together.
    #[inline(always)]
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, c) } else { a * b + c }
    }

    impl Lanes for Four {
        #[inline(always)]
        fn splat(value: f64) -> Self {
            Self([value; LANES])
        }

        #[inline(always)]
        fn load(from: &[f64; LANES]) -> Self {
            Self(*from)
        }

        #[inline(always)]
        fn store(self, to: &mut [f64; LANES]) {
            *to = self.0;
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.zip(other, |a, b| a + b)
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            self.zip(other, |a, b| a - b)
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            self.zip(other, |a, b| a * b)
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, term: Self) -> Self {
            Self(std::array::from_fn(|i| mul_add(self.0[i], factor.0[i], term.0[i])))
        }

        #[inline(always)]
        fn mul_sub_from(self, factor: Self, term: Self) -> Self {
            Self(std::array::from_fn(|i| mul_add(-self.0[i], factor.0[i], term.0[i])))
        }

        #[inline(always)]
        fn to_exponent(self) -> Self {
            Self(self.0.map(|x| f64::from_bits(x.to_bits() << 52)))
        }

        #[inline(always)]
        fn scale(self, exponent: Self) -> Self {
            self.zip(exponent, |x, e| f64::from_bits(x.to_bits().wrapping_add(e.to_bits())))
        }

        #[inline(always)]
        fn where_at_most(self, x: Self, bound: Self) -> Self {
            Self(std::array::from_fn(|i| if x.0[i] <= bound.0[i] { self.0[i] } else { 0.0 }))
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            self.zip(other, f64::max)
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            self.zip(other, f64::min)
        }

        #[inline(always)]
        fn at_most(self, bound: Self) -> u32 {
            (0..LANES).map(|i| u32::from(self.0[i] <= bound.0[i]) << i).sum()
        }

        #[inline(always)]
        fn sums(rows: [Self; ROWS]) -> Self {
            Self(rows.map(|Self([a, b, c, d])| (a + b) + (c + d)))
        }
    }
}

//! Runs a kernel with fused multiply-add and wide registers where the machine has them.
//!
//! Kernels are written once, as plain loops over small arrays, generic over [`Arithmetic`]; everything below
//! [`Kernel::run`] is inlined, so the compiler vectorises it for whatever the surrounding function may assume.

#[cfg(target_arch = "x86_64")]
use crate::drift::simd::Instructions;

/// How `a·b + c` is computed.
pub(super) trait Arithmetic {
    /// `a·b + c`, with one rounding or two.
    fn mul_add(a: f64, b: f64, c: f64) -> f64;
}

/// One rounding, one instruction.
pub(super) struct Fused;

/// Two roundings, for machines without the instruction.
#[cfg(not(target_arch = "aarch64"))]
pub(super) struct Separate;

impl Arithmetic for Fused {
    #[inline(always)]
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

#[cfg(not(target_arch = "aarch64"))]
impl Arithmetic for Separate {
    #[inline(always)]
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}

/// A piece of work that wants vector instructions. Implementations mark `run` as `#[inline(always)]`.
pub(super) trait Kernel {
    /// What it computes.
    type Output;
    /// Does the work.
    fn run<A: Arithmetic>(self) -> Self::Output;
}

/// Runs `kernel` in the widest form this machine offers.
#[cfg(target_arch = "x86_64")]
pub(super) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    if Instructions::detect().has_avx2() {
        // SAFETY: the two features that `with_avx2` requires were detected.
        return unsafe { with_avx2(kernel) };
    }
    kernel.run::<Separate>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Fused>()
}

/// Fused multiply-add belongs to the base instruction set here.
#[cfg(target_arch = "aarch64")]
pub(super) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Fused>()
}

/// The portable form.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Separate>()
}

//! The variance ODE integrated by a method of its own, up to a target.
//!
//! # Formula
//! With `u = ln v`, in score time,
//! ```text
//! du/ds = −2β/(1 + βe^u)
//! ```
//! by the classical Runge–Kutta method in equal steps; the step that would pass the target is replaced by one of
//! `ds/du` up to the target itself (Hénon), so that no root has to be found. Half the step gives the answer, and the
//! whole step judges it: its error is some sixteen times larger.
//!
//! # Paper
//! `thm:gaussiandenoise` (its `t` is score time)

use crate::measured::Measured;

/// Steps in units of `1/β`, on which rates are at most two.
const STEP: f64 = 0.01;

/// The score time at which the variance has come down from `start` to `target`, both positive; not a number if the
/// target is above.
pub(super) fn falls_to(start: f64, beta: f64, target: f64) -> Measured {
    let [whole, half] = [1.0, 0.5].map(|share| descent(start.ln(), beta, target.ln(), share * STEP / beta));
    Measured::of_two(half.time, whole.time).widened(half.rounding)
}

struct Descent {
    time: f64,
    /// What the rounding of `u` in every step may have done to the time.
    rounding: f64,
}

fn descent(start: f64, beta: f64, target: f64, step: f64) -> Descent {
    if target > start {
        return Descent { time: f64::NAN, rounding: f64::NAN };
    }
    let rate = |u: f64| -2.0 * beta / (1.0 + beta * u.exp());
    let (mut u, mut steps) = (start, 0.0);
    loop {
        let next = u + runge_kutta(rate, u, step);
        if next <= target {
            break;
        }
        (u, steps) = (next, steps + 1.0);
    }
    // The time over which u falls: the rate depends on u, which is now the independent variable.
    let slowness = |u: f64| 1.0 / rate(u);
    let width = target - u;
    let rest = width / 6.0 * (slowness(u) + 4.0 * slowness(u + 0.5 * width) + slowness(target));
    let largest = start.abs().max(target.abs()).max(1.0);
    Descent { time: steps * step + rest, rounding: steps * f64::EPSILON * largest * slowness(start).abs() }
}

/// The change over one step of an autonomous equation.
fn runge_kutta(rate: impl Fn(f64) -> f64, u: f64, step: f64) -> f64 {
    let first = rate(u);
    let second = rate(u + 0.5 * step * first);
    let third = rate(u + 0.5 * step * second);
    let fourth = rate(u + step * third);
    step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Start, `β`, target, and the time that SciPy 1.17 finds: `solve_ivp` of `ln v` by DOP853, tolerances 3e-14, an
    /// event at the target.
    const REFERENCE: [(f64, f64, f64, f64); 4] = [
        (1.25, 20.0, 1.0, 0.13057858878285522),
        (1.25, 5.0, 0.25, 0.66094379124341),
        (0.6, 100.0, 0.5, 0.05091160778396958),
        (0.5, 10.0, 1e-6, 0.9061176688702165),
    ];

    #[test]
    fn agrees_with_another_integrator() {
        for (start, beta, target, expected) in REFERENCE {
            let found = falls_to(start, beta, target);
            assert!((found.value / expected - 1.0).abs() < 1e-10, "{found:?} is not {expected}");
            assert!(found.numerical < 1e-9 * found.value, "{found:?}");
        }
    }

    #[test]
    fn nothing_falls_upwards() {
        assert_eq!(falls_to(0.5, 3.0, 0.5).value, 0.0);
        assert!(falls_to(0.5, 3.0, 0.6).value.is_nan());
    }
}

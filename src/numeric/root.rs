//! Where a function of one variable changes its sign.

/// Halvings and doublings between any two doubles: exponents and significands.
const MAX_STEPS: usize = 2_200;
/// Newton's method converges in a handful of steps or, across plateaus, not at all.
const MAX_NEWTON_STEPS: usize = 50;

/// Halves `[low, high]` down to neighbouring doubles, keeping a `low` that is `before` the place sought and a `high` that is not.
pub(crate) fn bisect<E>(
    mut low: f64,
    mut high: f64,
    mut before: impl FnMut(f64) -> Result<bool, E>,
) -> Result<[f64; 2], E> {
    for _ in 0..MAX_STEPS {
        let middle = 0.5 * low + 0.5 * high;
        if middle <= low || middle >= high {
            break;
        }
        if before(middle)? { low = middle } else { high = middle }
    }
    Ok([low, high])
}

/// Doubles `reach` until it is no longer `before` the place sought; returns the last two. Both are the largest double or
/// beyond when there is no such place.
pub(crate) fn double<E>(reach: f64, mut before: impl FnMut(f64) -> Result<bool, E>) -> Result<[f64; 2], E> {
    let (mut inner, mut outer) = (0.0, reach);
    while outer.is_finite() && before(outer)? {
        (inner, outer) = (outer, 2.0 * outer);
    }
    Ok([inner, outer])
}

/// What a function says about a guess at the place sought.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guess {
    /// True when the guess is before the place.
    pub before: bool,
    /// Newton's step from the guess; may be infinite or NaN.
    pub step: f64,
}

/// Newton's method kept inside `[low, high]`: a step that leaves the bracket, or shrinks it too slowly, is replaced by halving. Ends
/// at a guess whose step is within `tolerance` or within rounding, or at the upper end of a bracket of two neighbours.
pub(crate) fn newton<E>(
    [mut low, mut high]: [f64; 2],
    start: f64,
    tolerance: f64,
    mut look: impl FnMut(f64) -> Result<Guess, E>,
) -> Result<f64, E> {
    let inside = |x: f64, low: f64, high: f64| x > low && x < high;
    let mut x = if inside(start, low, high) { start } else { 0.5 * low + 0.5 * high };
    for count in 0..MAX_STEPS {
        if !inside(x, low, high) {
            break;
        }
        let (width, Guess { before, step }) = (high - low, look(x)?);
        if step.abs() <= tolerance.max(f64::EPSILON * x.abs()) {
            return Ok(x);
        }
        if before {
            low = x
        } else {
            high = x
        }
        let trusted = count < MAX_NEWTON_STEPS && inside(x + step, low, high) && step.abs() < 0.25 * width;
        x = if trusted { x + step } else { 0.5 * low + 0.5 * high };
    }
    Ok(high)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn found<T>(result: Result<T, Infallible>) -> T {
        let Ok(value) = result;
        value
    }

    /// `√2` and `1e-300^{1/3}` to the last digit (mpmath).
    #[test]
    fn brackets_close_on_neighbours() {
        let [low, high] = found(bisect(0.0, 2.0, |x| Ok(x * x < 2.0)));
        assert!(high == low.next_up() && low <= std::f64::consts::SQRT_2 && std::f64::consts::SQRT_2 <= high);
        let [_, tiny] = found(bisect(0.0, 1.0, |x: f64| Ok(x.powi(3) < 1e-300)));
        assert!((tiny / 1e-100 - 1.0).abs() < 1e-15, "{tiny:e}");
        let [inner, outer] = found(double(1e-3, |x| Ok(x < 5.0)));
        assert!(inner < 5.0 && outer >= 5.0 && outer == 2.0 * inner);
        assert!(found(double(1.0, |_| Ok(true)))[1].is_infinite());
    }

    /// `e^x = 3`, and a function whose slope misleads.
    #[test]
    fn newton_stays_inside() {
        let look = |x: f64| Ok(Guess { before: x.exp() < 3.0, step: 3.0 / x.exp() - 1.0 });
        let root = found(newton([-40.0, 50.0], 40.0, 0.0, look));
        assert!((root - 3.0_f64.ln()).abs() < 4e-16, "{root}");
        let cube = |x: f64| Ok(Guess { before: x < 0.3, step: -(x - 0.3).cbrt() * 10.0 });
        let root = found(newton([-1.0, 1.0], 0.9, 1e-14, cube));
        assert!((root - 0.3).abs() < 1e-13, "{root}");
    }
}

//! The noise floor on the line, exactly.
//!
//! # Formula
//! `E W1(P_N, P) = ∫ E|F_N(x) − F(x)| dx`, and `N F_N(x)` is binomial, so the integrand is its mean deviation. Where few points are
//! expected on one side it is integrated cell by cell, `k ≤ NF < k + 1`; across many cells its ripple averages out. With
//! `F → 0` it is `2F(1 − F)^N`, so the far tails contribute `2E(x − X)₊`. As `N` grows the floor tends to
//! `√(2/πN) ∫ √(F(1 − F))`, which is `1.28838/√N` for a standard normal law.

use std::convert::Infallible;

use crate::error::{Error, Result};
use crate::law::{LineLaw, Split};
use crate::measured::Measured;
use crate::numeric::binomial::Binomial;
use crate::numeric::quadrature::NINE_WITH_ENDS;
use crate::numeric::root::{bisect, double};

/// Expected points beyond the first and last place of the integral: there `(1 − F)^N` is one.
const FAR: f64 = 1e-10;
/// Below this many expected points on one side the ripple is kept.
const FEW: f64 = 64.0;
/// Above, its average is good to this share of the integrand: the next term is of order `(Npq)⁻²` with a small factor.
const RIPPLE: f64 = 1e-6;
/// An interval with fewer cells than this does not average its ripple out.
const FEW_CELLS: f64 = 8.0;
/// How exactly each piece is integrated, relative to the floor. There are some hundreds of pieces.
const TOLERANCE: f64 = 1e-11;

/// `E W1(P_N, P)` for `N` independent points of a law on the line.
///
/// ```
/// use ebflow::law::Law;
/// use ebflow::metric::line_floor;
/// let law = Law::parse(r#"{ kind = "gaussian", mean = 0, std = 1 }"#)?.on_line()?;
/// let single = line_floor(&law, 1)?;                          // E|X − X'| = 2/√π
/// assert!((single.value - 2.0 / std::f64::consts::PI.sqrt()).abs() < 1e-9);
/// let many = line_floor(&law, 1_000_000)?;
/// assert!((many.value * 1000.0 - 1.28826).abs() < 1e-4);             // tends to √(2/π) ∫√(Φ(1−Φ)) = 1.28838
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn line_floor(law: &LineLaw, points: usize) -> Result<Measured> {
    if points == 0 {
        return Err(Error::Empty { what: "the sample whose noise floor is asked".into() });
    }
    let (median, binomial) = (law.quantile(0.5)?, Binomial::new(points));
    let left = Half { law, binomial, median, right: false };
    let right = Half { right: true, ..left };
    Ok(left.integral() + right.integral())
}

/// The law on one side of its median.
#[derive(Clone, Copy)]
struct Half<'a> {
    law: &'a LineLaw,
    binomial: Binomial,
    median: f64,
    right: bool,
}

impl Half<'_> {
    /// What lies beyond a place, away from the median: at most one half.
    fn beyond(&self, x: f64) -> f64 {
        let Split { below, above, .. } = self.law.split(x);
        if self.right { above } else { below }.min(0.5)
    }

    /// `E(X − x)₊` or `E(x − X)₊`.
    fn mean_beyond(&self, x: f64) -> f64 {
        let split = self.law.split(x);
        if self.right { split.upper_mean } else { split.lower_mean }
    }

    /// The place at a distance from the median.
    fn place(&self, distance: f64) -> f64 {
        if self.right { self.median + distance } else { self.median - distance }
    }

    /// The distance from the median, between two others, at which as many points as stated are expected beyond.
    fn distance(&self, near: f64, far: f64, expected: f64) -> f64 {
        let Ok([_, far]) =
            bisect(near, far, |distance| Ok::<_, Infallible>(self.expected(distance) > expected));
        far
    }

    /// The number of points expected beyond a distance from the median.
    fn expected(&self, distance: f64) -> f64 {
        self.binomial.count() * self.beyond(self.place(distance))
    }

    /// A distance beyond which next to nothing is expected; zero when there is nothing beyond the median.
    fn reach(&self) -> f64 {
        let first = self.mean_beyond(self.median);
        if first == 0.0 {
            return 0.0;
        }
        let Ok([_, reach]) = double(first, |distance| Ok::<_, Infallible>(self.expected(distance) > FAR));
        self.distance(0.0, reach, FAR)
    }

    fn integral(&self) -> Measured {
        let reach = self.reach();
        let tail = 2.0 * self.mean_beyond(self.place(reach));
        let mut cuts = vec![0.0, reach];
        let ends = self.law.radius().into_iter().flat_map(|radius| [-radius, radius]);
        let breaks = self.law.atoms().map(|atom| atom.at).chain(ends);
        let inner = breaks.map(|x| if self.right { x - self.median } else { self.median - x });
        cuts.extend(inner.filter(|&distance| distance > 0.0 && distance < reach));
        cuts.extend((1..=FEW as usize).map(|k| self.distance(0.0, reach, k as f64)));
        cuts.sort_by(f64::total_cmp);
        let tolerance = TOLERANCE * self.mean_beyond(self.median) / self.binomial.count().sqrt();
        cuts.windows(2).map(|pair| self.piece(pair[0], pair[1], tolerance)).sum::<Measured>() + tail
    }

    /// The integral between two distances from the median that no break and no cell of few points lies between.
    fn piece(&self, near: f64, far: f64, tolerance: f64) -> Measured {
        if far <= near {
            return Measured::exact(0.0);
        }
        // Just inside: at a break the law jumps.
        let inset = (far - near) * 1e-9;
        let (most, least) = (self.expected(near + inset), self.expected(far - inset));
        if most <= FEW + 0.5 {
            return self.deviation(near, far, tolerance);
        }
        if most - least <= FEW_CELLS {
            return self.cells(near, far, most, least, tolerance);
        }
        let smooth =
            NINE_WITH_ENDS.halved(near, far, |u| self.binomial.smooth_deviation(self.beyond(self.place(u))));
        let middle = 0.5 * near + 0.5 * far;
        // A ripple averages out only where the law moves through its cells, not on a plateau beside a steep rise.
        let moving = (most - self.expected(middle)).min(self.expected(middle) - least) > FEW_CELLS;
        if (moving && smooth.numerical <= tolerance) || middle <= near || middle >= far {
            return smooth.widened(RIPPLE * smooth.value);
        }
        self.piece(near, middle, tolerance) + self.piece(middle, far, tolerance)
    }

    /// The integral over a few cells, cut at their edges, where the deviation has kinks.
    fn cells(&self, near: f64, far: f64, most: f64, least: f64, tolerance: f64) -> Measured {
        let edges = (least.ceil() as usize..=most.floor() as usize).rev();
        let mut cuts = vec![near, far];
        cuts.extend(edges.map(|k| self.distance(near, far, k as f64)));
        cuts.sort_by(f64::total_cmp);
        cuts.windows(2).map(|pair| self.deviation(pair[0], pair[1], tolerance)).sum()
    }

    /// The integral of the deviation with its ripple.
    fn deviation(&self, near: f64, far: f64, tolerance: f64) -> Measured {
        NINE_WITH_ENDS.adaptive(near, far, tolerance, |u| self.binomial.deviation(self.beyond(self.place(u))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;

    /// Pieces are integrated to 1e-11 of the floor each; sums and log-gammas add rounding.
    const EXACT: f64 = 1e-9;

    fn floor(text: &str, n: usize) -> f64 {
        line_floor(&Law::parse(text).unwrap().on_line().unwrap(), n).unwrap().value
    }

    fn close(ours: f64, exact: f64, tolerance: f64) {
        assert!((ours / exact - 1.0).abs() < tolerance, "{ours}, not {exact}");
    }

    const NORMAL: &str = r#"{ kind = "gaussian", mean = 0, std = 1 }"#;
    const UNIFORM: &str = r#"{ kind = "uniform", low = 0, high = 1 }"#;
    const LAPLACE: &str = r#"{ kind = "laplace", mean = 0, scale = 1 }"#;
    const COIN: &str = r#"{ kind = "atoms", points = [-1, 1], weights = [0.25, 0.75] }"#;
    const TWO_MODES: &str = r#"{ kind = "mixture", means = [-1, 1], std = 0.1 }"#;

    /// mpmath, 25 digits: `quad` of de Moivre's deviation, cut at every `F(x) = k/N`.
    #[test]
    fn floors_match_integrals_of_high_precision() {
        for (n, exact) in [
            (1, std::f64::consts::FRAC_2_SQRT_PI),
            (2, 0.828_440_680_785_628_3),
            (3, 0.688_204_234_959_552_8),
            (10, 0.390_643_937_286_782_67),
            (100, 0.127_249_931_684_467_24),
        ] {
            close(floor(NORMAL, n), exact, EXACT);
        }
        // Many cells: the ripple of the middle is averaged out.
        close(floor(NORMAL, 1000), 0.040_596_283_199_507_98, 1e-7);
        for (n, uniform, laplace, coin) in [
            (1, 1.0 / 3.0, 1.5, 0.75),
            (7, 0.119_695_429_787_313_27, 0.688_234_951_919_849_4, 0.266_967_773_437_5),
            (50, 0.044_382_301_863_386_41, 0.277_212_980_709_704_3, 0.098_319_382_848_630_93),
        ] {
            close(floor(UNIFORM, n), uniform, EXACT);
            close(floor(LAPLACE, n), laplace, EXACT);
            close(floor(COIN, n), coin, EXACT);
        }
        close(floor(TWO_MODES, 40), 0.139_936_542_214_582, EXACT);
    }

    /// `√(2/π) ∫ √(Φ(1−Φ)) = 1.2883791903028582` (mpmath, 25 digits), approached from below.
    #[test]
    fn the_normal_floor_tends_to_its_limit() {
        for (n, missing) in [(10_000, 2e-3), (1_000_000, 3e-4), (100_000_000, 4e-5)] {
            let scaled = floor(NORMAL, n) * (n as f64).sqrt();
            let gap = 1.288_379_190_302_858_2 - scaled;
            assert!(gap > 0.0 && gap < missing, "N = {n}: {scaled}");
        }
    }

    #[test]
    fn floors_scale_and_shift_with_the_law() {
        let moved = floor(r#"{ kind = "gaussian", mean = 1000, std = 1e-3 }"#, 500);
        close(moved, 1e-3 * floor(NORMAL, 500), 1e-9);
        assert_eq!(floor(r#"{ kind = "atoms", points = [3] }"#, 10), 0.0);
        let law = Law::parse(NORMAL).unwrap().on_line().unwrap();
        assert!(line_floor(&law, 0).is_err());
        let ball = law.truncated(crate::scale::BallRadius::new(1.0).unwrap()).unwrap();
        assert!(line_floor(&ball, 100).unwrap().value < floor(NORMAL, 100));
    }

    /// The many-cell average meets the cell-by-cell integral where both apply: a coin's flat part needs the latter.
    #[test]
    fn gaps_between_modes_keep_their_ripple() {
        let n = 1000;
        let narrow = floor(r#"{ kind = "mixture", means = [-1, 1], std = 1e-6 }"#, n);
        let coin = floor(r#"{ kind = "atoms", points = [-1, 1] }"#, n);
        close(narrow, coin, 1e-5);
    }
}

//! Adaptive quadrature: the 15-point Gauss–Kronrod rule, halved where it is not yet exact.

/// Halvings after which an interval is as short as doubles allow.
const MAX_DEPTH: u32 = 60;

/// A node on `[0, 1)`, its mirror image included, with the weights of the 15-point and of the 7-point rule.
struct Node {
    at: f64,
    kronrod: f64,
    gauss: f64,
}

/// QUADPACK's `qk15`, rounded from 33 digits. The centre counts once.
const NODES: [Node; 8] = [
    Node { at: 0.991_455_371_120_812_6, kronrod: 0.022_935_322_010_529_224, gauss: 0.0 },
    Node { at: 0.949_107_912_342_758_5, kronrod: 0.063_092_092_629_978_55, gauss: 0.129_484_966_168_869_7 },
    Node { at: 0.864_864_423_359_769_1, kronrod: 0.104_790_010_322_250_18, gauss: 0.0 },
    Node { at: 0.741_531_185_599_394_4, kronrod: 0.140_653_259_715_525_92, gauss: 0.279_705_391_489_276_64 },
    Node { at: 0.586_087_235_467_691_1, kronrod: 0.169_004_726_639_267_9, gauss: 0.0 },
    Node { at: 0.405_845_151_377_397_2, kronrod: 0.190_350_578_064_785_4, gauss: 0.381_830_050_505_118_9 },
    Node { at: 0.207_784_955_007_898_47, kronrod: 0.204_432_940_075_298_9, gauss: 0.0 },
    Node { at: 0.0, kronrod: 0.209_482_141_084_727_82, gauss: 0.417_959_183_673_469_4 },
];

/// An integral with an estimate of its error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Integral {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// One application of the rule to `[a, b]`.
pub(crate) fn rule(a: f64, b: f64, f: &impl Fn(f64) -> f64) -> Integral {
    let (centre, half) = (0.5 * a + 0.5 * b, 0.5 * b - 0.5 * a);
    let (mut kronrod, mut gauss) = (0.0, 0.0);
    for node in &NODES {
        let value =
            if node.at == 0.0 { f(centre) } else { f(centre - half * node.at) + f(centre + half * node.at) };
        kronrod += node.kronrod * value;
        gauss += node.gauss * value;
    }
    Integral { value: half * kronrod, error: half * (kronrod - gauss).abs() }
}

/// `∫_a^b f`, intervals being halved until each misses by no more than `tolerance`.
pub(crate) fn adaptive(a: f64, b: f64, tolerance: f64, f: &impl Fn(f64) -> f64) -> f64 {
    halved(a, b, tolerance, f, MAX_DEPTH)
}

fn halved(a: f64, b: f64, tolerance: f64, f: &impl Fn(f64) -> f64, depth: u32) -> f64 {
    let integral = rule(a, b, f);
    let middle = 0.5 * a + 0.5 * b;
    if integral.error <= tolerance || depth == 0 || middle <= a || middle >= b {
        return integral.value;
    }
    halved(a, middle, tolerance, f, depth - 1) + halved(middle, b, tolerance, f, depth - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_exact_for_polynomials_of_its_degree() {
        for degree in 0..=22 {
            let exact = 2.0_f64.powi(degree + 1) / f64::from(degree + 1);
            let ours = rule(0.0, 2.0, &|x| x.powi(degree)).value;
            assert!((ours / exact - 1.0).abs() < 1e-14, "degree {degree}: {ours}, not {exact}");
        }
    }

    #[test]
    fn kinks_and_narrow_peaks_are_found() {
        let kink = adaptive(-1.0, 2.0, 1e-13, &|x: f64| (x - 0.1).abs());
        assert!((kink - (1.21 + 3.61) / 2.0).abs() < 1e-12, "{kink}");
        let peak = adaptive(-1.0, 1.0, 1e-13, &|x: f64| 1e-3 / (x * x + 1e-6));
        assert!((peak - 2.0 * 1000.0_f64.atan()).abs() < 1e-12, "{peak}");
    }
}

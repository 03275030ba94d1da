//! [`Pairs`]: the sums over pairs behind an [`Enclosure`], one row at a time, in either precision.

use std::f64::consts::LOG2_E;

use super::enclosure::Enclosure;
use super::rounding::Slack;
use crate::simd::{BLOCK, Block, Program, Real, Vector, widest};

/// No weight is taken to be smaller than `2^−FARTHEST`, which only makes bounds larger: products of smaller ones would be denormal, on which processors spend a
/// hundred times as long.
pub(super) const FARTHEST: f64 = 60.0;

/// Vectors that are worked on side by side.
const CHAINS: usize = 2;

/// Dimensions whose second moments stay on the stack.
const MOST_INLINE: usize = 3;

/// Second moments in [`MOST_INLINE`] dimensions.
const INLINE_MOMENTS: usize = MOST_INLINE * (MOST_INLINE + 1) / 2;

/// The columns: one array per attribute, padded to whole blocks with points of no mass.
pub(super) struct Pairs<R> {
    dimension: usize,
    points: Vec<Vec<Block<R>>>,
    motion: Vec<Vec<Block<R>>>,
    radius: Vec<Block<R>>,
    /// `ln ω_k`: a normalised weight is one exponential, however light both particles are.
    logarithms: Vec<Block<R>>,
    /// One, and zero for what has no mass.
    masses: Vec<Block<R>>,
    columns: Vec<Vec<Block<R>>>,
}

/// A vector that the off-diagonal part of the comparison system is applied to.
pub(super) struct Column<'a> {
    entries: &'a [f64],
    /// Its largest entry. Columns are divided by it, lest they underflow.
    pub largest: f64,
}

impl<'a> Column<'a> {
    pub fn new(entries: &'a [f64]) -> Self {
        Self { entries, largest: entries.iter().copied().fold(0.0, f64::max) }
    }

    /// Rounded up. No entry is taken to be smaller than `2^−FARTHEST` of the largest, unless it is zero.
    fn scaled(&self) -> Vec<f64> {
        let least = (-FARTHEST).exp2();
        let scale = |x: &f64| if *x > 0.0 { (x / self.largest).next_up().max(least) } else { *x };
        self.entries.iter().map(scale).collect()
    }
}

/// The particle of a row.
pub(super) struct Side<'a> {
    pub row: usize,
    pub points: &'a [f64],
    pub motion: &'a [f64],
    pub drift: &'a [f64],
    pub radius: f64,
    pub half_length: f64,
    pub log_mass: f64,
}

/// Sums over a row with the weights `a e^x`; symbols as in the enclosure.
pub(super) struct PairSums {
    /// `Σ 1`
    pub mass: f64,
    /// `Σ x + Ξ²/2`
    pub change: f64,
    /// `Σ |δ+v|`
    pub spread: f64,
    /// `Σ x|δ+v|`
    pub changed_spread: f64,
    /// `Σ Ξ²|δ+v|`
    pub reached_spread: f64,
    /// `Σ Ξ`
    pub reach: f64,
    /// `Σ 2|δ+v|Ξ + Ξ²`
    pub blur: f64,
    /// `Σ (δ+v)(δ+v)ᵀ`, the lower triangle row by row.
    pub moment: Vec<f64>,
    /// Per column, without the row's own particle.
    pub row_sums: Vec<RowSum>,
}

/// Sums against one column `x`.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowSum {
    /// `Σ (σ + |δ+v|Ξ + Ξ(|δ|+Ξ)) x_k`
    pub plain: f64,
    /// `Σ (|δ|+Ξ) x_k`
    pub turned: f64,
}

impl<R: Real> Pairs<R> {
    pub fn new<'c>(enclosure: &Enclosure<'_>, columns: impl Iterator<Item = &'c Column<'c>>) -> Self {
        let (d, n) = (enclosure.dimension, enclosure.radius.len());
        let spread =
            |values: &[f64], c: usize| Block::row(n, |i| R::of(values[if i < n { i * d + c } else { c }]));
        let above =
            |values: &[f64]| Block::row(n, |i| values.get(i).map_or_else(R::default, |x| R::above(*x)));
        let slack = Slack::of::<R>(d);
        let radius: Vec<f64> = enclosure.radius.iter().map(|radius| slack.outward * radius).collect();
        let masses = enclosure.weights.map_or_else(|| vec![1.0 / n as f64; n], <[f64]>::to_vec);
        let logarithm = |mass: &f64| if *mass > 0.0 { mass.ln() } else { 0.0 };
        let one = |mass: &f64| if *mass > 0.0 { 1.0 } else { 0.0 };
        Self {
            dimension: d,
            points: (0..d).map(|c| spread(enclosure.points, c)).collect(),
            motion: (0..d).map(|c| spread(enclosure.motion, c)).collect(),
            radius: above(&radius),
            logarithms: above(&masses.iter().map(logarithm).collect::<Vec<_>>()),
            masses: above(&masses.iter().map(one).collect::<Vec<_>>()),
            columns: columns.map(|column| above(&column.scaled())).collect(),
        }
    }

    /// The sums of one row.
    pub fn row(&self, side: Side<'_>) -> PairSums {
        match self.dimension {
            1 => widest(RowOfPairs::<R, 1> { pairs: self, side }),
            2 => widest(RowOfPairs::<R, 2> { pairs: self, side }),
            3 => widest(RowOfPairs::<R, 3> { pairs: self, side }),
            _ => widest(RowOfPairs::<R, 0> { pairs: self, side }),
        }
    }

    /// The sums of one row in complex time, within `shrink` times the half-length.
    pub fn swing(&self, side: Side<'_>, shrink: f64) -> Swing {
        match self.dimension {
            1 => widest(RowOfSwing::<R, 1> { pairs: self, side, shrink }),
            2 => widest(RowOfSwing::<R, 2> { pairs: self, side, shrink }),
            3 => widest(RowOfSwing::<R, 3> { pairs: self, side, shrink }),
            _ => widest(RowOfSwing::<R, 0> { pairs: self, side, shrink }),
        }
    }
}

/// Sums over a row with the weights `a`, from which it follows how far the drift goes from its value at the middle while time is complex;
/// symbols as in `ellipse.rs`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Swing {
    /// `Σ e^{−θ}` where `θ ≤ 1`.
    pub kept: f64,
    /// `Σ e^θ` where `θ > 3/2`.
    pub lost: f64,
    /// `Σ e^θ (θ|δ+v| + b)`
    pub moved: f64,
}

/// Where the real part of `e^{−φ}`, `|φ| ≤ θ`, is at least `e^{−θ}`; where it is at least not negative.
const FIRM: f64 = 1.0;
const LOOSE: f64 = 1.5;

/// One row in dimension `DIMENSION`, in complex time; zero stands for a dimension known at run time only.
struct RowOfSwing<'a, R, const DIMENSION: usize> {
    pairs: &'a Pairs<R>,
    side: Side<'a>,
    /// By how much distances in time are smaller than those for which the radii hold.
    shrink: f64,
}

impl<R: Real, const DIMENSION: usize> Program for RowOfSwing<'_, R, DIMENSION> {
    type Scalar = R;
    type Output = Swing;

    fn portable(self) -> Swing {
        RowOfSwing::<R, 0> { pairs: self.pairs, side: self.side, shrink: self.shrink }
            .run(R::Plain::default())
    }

    #[inline(always)]
    fn run<V: Vector<Scalar = R>>(self, any: V) -> Swing {
        let Self { pairs, side, shrink } = self;
        let d = if DIMENSION == 0 { pairs.dimension } else { DIMENSION };
        let number = |x: f64| any.splat(R::of(x));
        let none = [any.zero(); CHAINS];
        let (largest, farthest) = (any.splat(R::LARGEST_EXPONENT), number(FARTHEST));
        let slack = Slack::of::<R>(d);
        let above = |x: f64| any.splat(R::above(x));
        let (reach, square) = (above(shrink * slack.outward * side.half_length), number(shrink * shrink));
        let own_radius = slack.outward * side.radius;
        let (own_radius, itself) = (R::above(own_radius), -R::above(own_radius).double());
        let (own_radius, log_mass) = (any.splat(own_radius), number(side.log_mass));
        let (tiny, blur) = (above(slack.inner), above(slack.square));
        let (mut kept, mut lost, mut moved) = (any.zero(), any.zero(), any.zero());
        for at in 0..pairs.masses.len() {
            let mut radius = pairs.radius[at];
            if let Some(k) = side.row.checked_sub(at * BLOCK).filter(|k| *k < BLOCK) {
                // The particle does not move against itself.
                radius[k] = R::of(itself);
            }
            for first in (0..BLOCK).step_by(CHAINS * V::WIDTH) {
                let (mut distance_2, mut along, mut motion_2, mut spread_2) = (none, none, none, none);
                for c in 0..d {
                    let (points, motions) = (&pairs.points[c][at], &pairs.motion[c][at]);
                    let (z, m) = (number(side.points[c]), number(side.motion[c]));
                    let v = number(side.drift[c]);
                    for n in 0..CHAINS {
                        let offset = z.sub(any.load(&points[first + n * V::WIDTH..]));
                        let motion = m.sub(any.load(&motions[first + n * V::WIDTH..]));
                        let spread = offset.add(v);
                        distance_2[n] = offset.mul_add(offset, distance_2[n]);
                        along[n] = offset.mul_add(motion, along[n]);
                        motion_2[n] = motion.mul_add(motion, motion_2[n]);
                        spread_2[n] = spread.mul_add(spread, spread_2[n]);
                    }
                }
                let (mut theta, mut longest, mut blurred) = (none, none, none);
                let mut exponents = [any.zero(); 2 * CHAINS];
                for n in 0..CHAINS {
                    let k = first + n * V::WIDTH;
                    let apart = square.mul(own_radius.add(any.load(&radius[k..])));
                    longest[n] = reach.mul_add(motion_2[n].sqrt(), apart);
                    let distance = distance_2[n].sqrt();
                    blurred[n] = distance.mul(tiny);
                    let lever = distance.mul_add(blur, longest[n].mul_add(tiny, apart));
                    let turn = reach.mul_add(along[n].abs(), distance.mul(lever));
                    theta[n] = longest[n].mul(number(0.5)).mul_add(longest[n], turn);
                    let share = log_mass.sub(any.load(&pairs.logarithms[at][k..]));
                    let still = distance_2[n].mul_add(number(0.5), share);
                    let bits = |x: V| x.mul(number(LOG2_E)).max(any.zero().sub(largest)).min(farthest);
                    exponents[n] = bits(still.sub(theta[n]));
                    exponents[CHAINS + n] = bits(still.add(theta[n]));
                }
                let weights = V::exp2_minus(number(1.0), exponents);
                for n in 0..CHAINS {
                    let mass = any.load(&pairs.masses[at][first + n * V::WIDTH..]);
                    let (larger, smaller) = (weights[n].mul(mass), weights[CHAINS + n].mul(mass));
                    kept = kept.add(smaller.where_at_most(theta[n], number(FIRM)));
                    lost = lost.add(larger.sub(larger.where_at_most(theta[n], number(LOOSE))));
                    moved = larger
                        .mul_add(theta[n].mul_add(spread_2[n].sqrt().add(blurred[n]), longest[n]), moved);
                }
            }
        }
        Swing { kept: kept.total(), lost: lost.total(), moved: moved.total() }
    }
}

/// One row in dimension `DIMENSION`; zero stands for one known at run time only.
struct RowOfPairs<'a, R, const DIMENSION: usize> {
    pairs: &'a Pairs<R>,
    side: Side<'a>,
}

/// A coordinate of the row's particle, in every lane.
#[derive(Clone, Copy)]
struct Own<V> {
    point: V,
    motion: V,
    drift: V,
    /// `z + v`
    barycentre: V,
}

impl<R: Real, V: Vector<Scalar = R>> Own<V> {
    #[inline(always)]
    fn new(any: V, side: &Side<'_>, c: usize) -> Self {
        let number = |x: f64| any.splat(R::of(x));
        Self {
            point: number(side.points[c]),
            motion: number(side.motion[c]),
            drift: number(side.drift[c]),
            barycentre: number(side.points[c] + side.drift[c]),
        }
    }
}

/// What is the same for the whole row.
struct Fixed<'a, V> {
    own: &'a [Own<V>],
    radius: V,
    half_length: V,
    log_mass: V,
    /// See [`Slack`].
    tiny: V,
    less_than_half: V,
    cancelled: V,
    more_than_one: V,
}

/// What the columns of a block are multiplied with.
struct Factors<R> {
    /// `σ + |δ+v|Ξ + Ξ(|δ|+Ξ)`, weighted.
    plain: Block<R>,
    /// `|δ|+Ξ`, weighted.
    turned: Block<R>,
}

/// Running sums of a row.
struct Running<V> {
    mass: V,
    change: V,
    spread: V,
    changed_spread: V,
    reached_spread: V,
    reach: V,
    blur: V,
}

/// All that a row adds up.
struct Totals<'a, R, V> {
    running: Running<V>,
    moment: &'a mut [V],
    factors: Factors<R>,
}

impl<R: Real, const DIMENSION: usize> Program for RowOfPairs<'_, R, DIMENSION> {
    type Scalar = R;
    type Output = PairSums;

    fn portable(self) -> PairSums {
        RowOfPairs::<R, 0> { pairs: self.pairs, side: self.side }.run(R::Plain::default())
    }

    #[inline(always)]
    fn run<V: Vector<Scalar = R>>(self, any: V) -> PairSums {
        let Self { pairs, side } = self;
        let d = if DIMENSION == 0 { pairs.dimension } else { DIMENSION };
        let zero = any.zero();
        let mut room = [Own::<V>::new(any, &side, 0); MOST_INLINE];
        let spill: Vec<Own<V>> =
            (0..if d > MOST_INLINE { d } else { 0 }).map(|c| Own::new(any, &side, c)).collect();
        let own = if d > MOST_INLINE {
            &spill[..]
        } else {
            for (c, own) in room.iter_mut().enumerate().take(d).skip(1) {
                *own = Own::new(any, &side, c);
            }
            &room[..d]
        };
        let slack = Slack::of::<R>(d);
        let above = |x: f64| any.splat(R::above(x));
        let own_radius = R::above(slack.outward * side.radius);
        let cancelled = slack.cancelled(side.drift);
        let fixed = Fixed {
            own,
            radius: any.splat(own_radius),
            half_length: above(slack.outward * side.half_length),
            log_mass: any.splat(R::of(side.log_mass)),
            tiny: above(slack.inner),
            less_than_half: any.splat(R::of(0.5 - slack.square)),
            cancelled: above(if d == 1 { cancelled } else { 4.0 + cancelled }),
            more_than_one: above(1.0 + cancelled),
        };
        let running = Running {
            mass: zero,
            change: zero,
            spread: zero,
            changed_spread: zero,
            reached_spread: zero,
            reach: zero,
            blur: zero,
        };
        let moments = d * (d + 1) / 2;
        let mut few = [zero; INLINE_MOMENTS];
        let mut many = vec![zero; if d > MOST_INLINE { moments } else { 0 }];
        let moment = if d > MOST_INLINE { &mut many[..] } else { &mut few[..moments] };
        let nothing = Block([R::default(); BLOCK]);
        let factors = Factors { plain: nothing, turned: nothing };
        let mut totals = Totals { running, moment, factors };
        let mut row_sums = vec![(zero, zero); pairs.columns.len()];
        for at in 0..pairs.masses.len() {
            let itself = side.row.checked_sub(at * BLOCK).filter(|k| *k < BLOCK);
            let mut radius = pairs.radius[at];
            if let Some(k) = itself {
                // The particle does not move against itself.
                radius[k] = R::of(-own_radius.double());
            }
            for k in (0..BLOCK).step_by(CHAINS * V::WIDTH) {
                step(any, pairs, &fixed, at, k, &radius, &mut totals);
            }
            if let Some(k) = itself {
                (totals.factors.plain[k], totals.factors.turned[k]) = (R::default(), R::default());
            }
            for ((plain, turned), column) in row_sums.iter_mut().zip(&pairs.columns) {
                let column = &column[at];
                for k in (0..BLOCK).step_by(V::WIDTH) {
                    let x = any.load(&column[k..]);
                    *plain = any.load(&totals.factors.plain[k..]).mul_add(x, *plain);
                    *turned = any.load(&totals.factors.turned[k..]).mul_add(x, *turned);
                }
            }
        }
        PairSums {
            mass: totals.running.mass.total(),
            change: totals.running.change.total(),
            spread: totals.running.spread.total(),
            changed_spread: totals.running.changed_spread.total(),
            reached_spread: totals.running.reached_spread.total(),
            reach: totals.running.reach.total(),
            blur: totals.running.blur.total(),
            moment: totals.moment.iter().map(|m| m.total()).collect(),
            row_sums: row_sums.iter().map(|(p, t)| RowSum { plain: p.total(), turned: t.total() }).collect(),
        }
    }
}

/// A few vectors of columns, side by side.
#[inline(always)]
fn step<R: Real, V: Vector<Scalar = R>>(
    any: V,
    pairs: &Pairs<R>,
    fixed: &Fixed<'_, V>,
    at: usize,
    first: usize,
    radius: &Block<R>,
    totals: &mut Totals<'_, R, V>,
) {
    let (own, Totals { running, moment, factors }) = (fixed.own, totals);
    let number = |x: f64| any.splat(R::of(x));
    let none = [any.zero(); CHAINS];
    let (mut distance_2, mut along, mut motion_2, mut spread_2, mut inner) = (none, none, none, none, none);
    for (c, own) in own.iter().enumerate() {
        let (points, motions) = (&pairs.points[c][at], &pairs.motion[c][at]);
        for n in 0..CHAINS {
            let offset = own.point.sub(any.load(&points[first + n * V::WIDTH..]));
            let motion = own.motion.sub(any.load(&motions[first + n * V::WIDTH..]));
            let spread = offset.add(own.drift);
            distance_2[n] = offset.mul_add(offset, distance_2[n]);
            along[n] = offset.mul_add(motion, along[n]);
            motion_2[n] = motion.mul_add(motion, motion_2[n]);
            spread_2[n] = spread.mul_add(spread, spread_2[n]);
            inner[n] = spread.mul_add(offset, inner[n]);
        }
    }
    let (mut change, mut reach, mut exponent) = (none, none, none);
    // No weight exceeds one, so whatever grows beyond `2^LARGEST` has an `x` of its own that makes the change of the mass infinite.
    let (largest, farthest) = (any.splat(R::LARGEST_EXPONENT), number(FARTHEST));
    for n in 0..CHAINS {
        let apart = fixed.radius.add(any.load(&radius[first + n * V::WIDTH..]));
        reach[n] = fixed.half_length.mul_add(motion_2[n].sqrt(), apart);
        let blurred = reach[n].mul_add(fixed.tiny, apart);
        change[n] = fixed.half_length.mul_add(along[n].abs(), distance_2[n].sqrt().mul(blurred));
        let share = fixed.log_mass.sub(any.load(&pairs.logarithms[at][first + n * V::WIDTH..]));
        let static_part = distance_2[n].mul_add(fixed.less_than_half, share);
        let bits = static_part.sub(change[n]).mul(number(LOG2_E));
        exponent[n] = bits.max(any.zero().sub(largest)).min(farthest);
    }
    let mut weight = V::exp2_minus(number(1.0), exponent);
    for n in 0..CHAINS {
        let k = first + n * V::WIDTH;
        weight[n] = weight[n].mul(any.load(&pairs.masses[at][k..]));
        let (weight, reach, change) = (weight[n], reach[n], change[n]);
        let distance = distance_2[n].sqrt();
        let spread = distance.mul_add(fixed.tiny, spread_2[n].sqrt());
        let norm = block_norm(fixed, distance.mul(spread), inner[n]);
        let longer = distance.add(reach);
        weight.mul(longer.add(spread).mul_add(reach, norm)).store(&mut factors.plain[k..]);
        weight.mul(longer).store(&mut factors.turned[k..]);
        let (spread_weight, reach_weight) = (weight.mul(spread), weight.mul(reach));
        let reach_2 = reach_weight.mul(reach);
        running.mass = running.mass.add(weight);
        running.change = weight.mul_add(change, reach_2.mul_add(number(0.5), running.change));
        running.spread = running.spread.add(spread_weight);
        running.changed_spread = spread_weight.mul_add(change, running.changed_spread);
        running.reached_spread = reach_2.mul_add(spread, running.reached_spread);
        running.reach = running.reach.add(reach_weight);
        running.blur = reach_weight.mul_add(spread.add(spread), running.blur.add(reach_2));
    }
    let mut entry = 0;
    for row in 0..own.len() {
        for column in 0..=row {
            let (rows, columns) = (&pairs.points[row][at], &pairs.points[column][at]);
            for (n, weight) in weight.iter().enumerate() {
                let k = first + n * V::WIDTH;
                let weighted = weight.mul(own[row].barycentre.sub(any.load(&rows[k..])));
                moment[entry] =
                    weighted.mul_add(own[column].barycentre.sub(any.load(&columns[k..])), moment[entry]);
            }
            entry += 1;
        }
    }
}

/// `‖I − (δ+v)δᵀ‖₂` from `√U = |δ+v||δ|` and `−s = (δ+v)·δ`, rounded up.
#[inline(always)]
fn block_norm<R: Real, V: Vector<Scalar = R>>(fixed: &Fixed<'_, V>, root: V, inner: V) -> V {
    let number = |x: f64| root.splat(R::of(x));
    if fixed.own.len() == 1 {
        return number(1.0).sub(inner).abs().add(fixed.cancelled);
    }
    let under = fixed.cancelled.sub(number(4.0).mul(inner)).add(root.mul(root).mul(fixed.more_than_one));
    root.add(under.max(root.zero()).sqrt()).mul(number(0.5))
}

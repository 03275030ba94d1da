//! Moments of the sources in a box: `M_k = Σ_j ω_j T_{k1}(s_j1) T_{k2}(s_j2)`, or one factor on a line.

use super::chebyshev;
use super::data::Sources;
use super::expansion::with_order;
use super::grid::Centre;
use super::pool::Pool;
use crate::parallel;
use crate::simd::{Program, Vector, widest};

/// Points whose products are added up before the sum joins the moments.
const BLOCK: usize = 32;
/// Points of one box that one task takes on.
const TASK: usize = 4096;

/// Longest chain of additions that a point's contribution passes through, for a box of `count` points.
pub(super) fn additions(count: usize) -> usize {
    BLOCK + count.min(TASK).div_ceil(BLOCK) + count.div_ceil(TASK)
}

/// Moments of every box, `order^D` each, in the order of the boxes; the last axis runs fastest.
pub(super) fn all<const D: usize>(sources: &Sources<D>, order: usize, scale: f64, pool: &Pool) -> Vec<f64> {
    let size = order.pow(D as u32);
    let mut moments = pool.zeros(size * sources.sorted.boxes);
    parallel::pieces(&mut moments, size, &|place, moments| {
        let cell = &sources.sorted.cells[place];
        let centre = sources.grid.centre(cell.index);
        let task = |start: usize| Task { sources, centre, scale, start, end: (start + TASK).min(cell.end) };
        if cell.len() <= TASK {
            return task(cell.start).add(order, moments);
        }
        let starts: Vec<usize> = (cell.start..cell.end).step_by(TASK).collect();
        let parts = parallel::map(starts.len(), &|which| {
            let mut part = vec![0.0; size];
            task(starts[which]).add(order, &mut part);
            part
        });
        parts.iter().for_each(|part| moments.iter_mut().zip(part).for_each(|(m, p)| *m += p));
    });
    moments
}

/// Some sources of one box.
#[derive(Clone, Copy)]
struct Task<'a, const D: usize> {
    sources: &'a Sources<D>,
    centre: [Centre; D],
    scale: f64,
    start: usize,
    end: usize,
}

/// Adds the moments of a task's sources to `moments`.
struct Fill<'a, const D: usize, const P: usize> {
    task: Task<'a, D>,
    moments: &'a mut [f64],
}

impl<const D: usize, const P: usize> Program for Fill<'_, D, P> {
    type Scalar = f64;
    type Output = ();

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, _: V) {
        let mut basis = [[[0.0; P]; BLOCK]; D];
        for start in (self.task.start..self.task.end).step_by(BLOCK) {
            let count = BLOCK.min(self.task.end - start);
            self.task.basis::<V, P>(start, count, &mut basis);
            add_products::<V, D, P>(&basis, count, self.moments);
        }
    }
}

impl<const D: usize> Task<'_, D> {
    fn add(self, order: usize, moments: &mut [f64]) {
        with_order!(order, P, widest(Fill::<D, P> { task: self, moments }));
    }

    /// Polynomials at `count` sources; the weight goes into the first axis.
    #[inline(always)]
    fn basis<V: Vector<Scalar = f64>, const P: usize>(
        &self,
        start: usize,
        count: usize,
        basis: &mut [[[f64; P]; BLOCK]; D],
    ) {
        for (axis, basis) in basis.iter_mut().enumerate() {
            let coordinates = &self.sources.sorted.coordinates[axis][start..start + count];
            let weights =
                self.sources.weights.as_ref().filter(|_| axis == 0).map(|w| &w[start..start + count]);
            for (i, (values, &x)) in basis.iter_mut().zip(coordinates).enumerate() {
                let weight = weights.map_or(1.0, |weights| weights[i]);
                *values = chebyshev::weighted::<V, P>(self.centre[axis].to(x) * self.scale, weight);
            }
        }
    }
}

/// Adds the tensor products of the axes' polynomials, summed over the block.
#[inline(always)]
fn add_products<V: Vector<Scalar = f64>, const D: usize, const P: usize>(
    basis: &[[[f64; P]; BLOCK]; D],
    count: usize,
    moments: &mut [f64],
) {
    if D == 1 {
        add_line::<P>(&basis[0][..count], moments);
    } else {
        add_plane::<V, P>(&basis[0][..count], &basis[1][..count], moments);
    }
}

#[inline(always)]
fn add_line<const P: usize>(values: &[[f64; P]], moments: &mut [f64]) {
    let mut sum = [0.0; P];
    for values in values {
        for k in 0..P {
            sum[k] += values[k];
        }
    }
    for (moment, sum) in moments.iter_mut().zip(sum) {
        *moment += sum;
    }
}

/// `M_mk += Σ_j a_jm b_jk`, two rows at a time so that the sums stay in registers.
#[inline(always)]
fn add_plane<V: Vector<Scalar = f64>, const P: usize>(a: &[[f64; P]], b: &[[f64; P]], moments: &mut [f64]) {
    for (pair, rows) in moments.chunks_exact_mut(2 * P).enumerate() {
        let mut sums = [[0.0; P]; 2];
        for (a, b) in a.iter().zip(b) {
            let (upper, lower) = (a[2 * pair], a[2 * pair + 1]);
            for k in 0..P {
                sums[0][k] = V::fused(upper, b[k], sums[0][k]);
                sums[1][k] = V::fused(lower, b[k], sums[1][k]);
            }
        }
        for (moment, sum) in rows.iter_mut().zip(sums.as_flattened()) {
            *moment += sum;
        }
    }
}

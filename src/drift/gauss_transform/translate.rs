//! Translation: from the moments of the source boxes to the local fields of the target boxes, one axis at a time.
//!
//! # Formula
//! With `A(o)` the [`Transfer`] for offset `o`, in two dimensions
//!
//! ```text
//! R_{(a1,b2)}[k2][m1] = Σ_{b1} Σ_{k1} A(a1−b1)[m1][k1] · M_{(b1,b2)}[k1][k2]
//! L_{(a1,a2)}[m1][m2] = Σ_{b2} Σ_{k2} A(a2−b2)[m2][k2] · R_{(a1,b2)}[k2][m1]
//! ```
//!
//! Only the intermediate boxes `(a1, b2)` that lie between a source and a target are formed.

use super::data::Account;
use super::expansion::{Expansion, with_order};
use super::pool::Pool;
use super::transfer::Transfer;
use crate::parallel;
use crate::simd::{Program, Vector, widest};

/// Boxes with a tensor of `order^D` numbers and an account each.
pub(super) struct Layer<const D: usize> {
    /// Box numbers.
    pub indices: Vec<[i32; D]>,
    /// Moments, local fields, or something between.
    pub tensors: Vec<f64>,
    /// What they stand for, and how well.
    pub accounts: Vec<Account<D>>,
}

/// Local fields at `targets`, in that order; boxes out of reach of every source keep an empty account.
/// The sources must be sorted with the first axis fastest.
pub(super) fn local_fields<const D: usize>(
    sources: Layer<D>,
    targets: &[[i32; D]],
    expansion: &Expansion,
    pool: &Pool,
) -> Layer<D> {
    let wanted = wanted_boxes(&sources.indices, targets, expansion.layout.reach);
    wanted.into_iter().enumerate().fold(sources, |layer, (axis, outputs)| {
        let next = Pass { layer: &layer, axis, expansion }.run(outputs, axis + 1 < D, pool);
        pool.give(layer.tensors);
        next
    })
}

/// For each axis, the boxes to form after the translation along it, sorted with the next axis fastest.
fn wanted_boxes<const D: usize>(
    sources: &[[i32; D]],
    targets: &[[i32; D]],
    reach: i32,
) -> Vec<Vec<[i32; D]>> {
    let mut wanted = vec![targets.to_vec()];
    for axis in (1..D).rev() {
        let mut numbers: Vec<i32> = sources.iter().map(|index| index[axis]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut outputs = wanted[wanted.len() - 1].clone();
        outputs.sort_unstable_by_key(|&index| axis_last(index, axis));
        wanted.push(inputs_of(&outputs, axis, &numbers, reach));
    }
    wanted.reverse();
    wanted
}

/// The boxes within reach of `outputs` along `axis` whose number along it occurs among the sources.
fn inputs_of<const D: usize>(
    outputs: &[[i32; D]],
    axis: usize,
    numbers: &[i32],
    reach: i32,
) -> Vec<[i32; D]> {
    let same_line = |a: &[i32; D], b: &[i32; D]| (0..D).all(|i| i == axis || a[i] == b[i]);
    let mut inputs = Vec::with_capacity(outputs.len());
    for line in outputs.chunk_by(same_line) {
        let mut next = 0;
        for output in line {
            next = next.max(numbers.partition_point(|&n| n < output[axis] - reach));
            while next < numbers.len() && numbers[next] <= output[axis] + reach {
                let mut input = *output;
                input[axis] = numbers[next];
                inputs.push(input);
                next += 1;
            }
        }
    }
    inputs
}

/// A sort key in which `axis` runs fastest.
fn axis_last<const D: usize>(index: [i32; D], axis: usize) -> [i32; D] {
    let mut key = [index[axis]; D];
    let others = (0..D).rev().filter(|&i| i != axis);
    key.iter_mut().zip(others).for_each(|(k, i)| *k = index[i]);
    key
}

/// Translation along one axis.
struct Pass<'a, const D: usize> {
    layer: &'a Layer<D>,
    axis: usize,
    expansion: &'a Expansion,
}

impl<const D: usize> Pass<'_, D> {
    fn run(&self, mut outputs: Vec<[i32; D]>, drop_empty: bool, pool: &Pool) -> Layer<D> {
        if drop_empty {
            outputs.retain(|&index| !self.inputs(index).is_empty());
        }
        let size = self.expansion.layout.order.pow(D as u32);
        let mut tensors = pool.zeros(size * outputs.len());
        let mut accounts = vec![Account::default(); outputs.len()];
        let mut filled: Vec<_> = tensors.chunks_mut(size).zip(&mut accounts).collect();
        parallel::each(&mut filled, &|place, (tensor, account)| {
            **account = self.output(outputs[place], tensor)
        });
        Layer { indices: outputs, tensors, accounts }
    }

    /// The inputs within reach of an output, as a range of the layer.
    fn inputs(&self, output: [i32; D]) -> std::ops::Range<usize> {
        let at = |shift: i32| {
            let mut index = output;
            index[self.axis] += shift;
            axis_last(index, self.axis)
        };
        let reach = self.expansion.layout.reach;
        let (first, last) = (at(-reach), at(reach));
        let indices = &self.layer.indices;
        let start = indices.partition_point(|&i| axis_last(i, self.axis) < first);
        let length = indices[start..].partition_point(|&i| axis_last(i, self.axis) <= last);
        start..start + length
    }

    fn output(&self, index: [i32; D], tensor: &mut [f64]) -> Account<D> {
        let range = self.inputs(index);
        let mut account = Account::default();
        let size = tensor.len();
        let mut parts = Vec::with_capacity(range.len());
        for input in range {
            let transfer = self.expansion.transfer(index[self.axis] - self.layer.indices[input][self.axis]);
            account.add_transferred(&self.layer.accounts[input], self.axis, &transfer.bounds);
            parts.push(Part { transfer, tensor: &self.layer.tensors[input * size..][..size] });
        }
        with_order!(self.expansion.layout.order, P, widest(Combine::<D, P> { parts, tensor }));
        account
    }
}

/// One input of a combination.
struct Part<'a> {
    transfer: &'a Transfer,
    tensor: &'a [f64],
}

/// Sums `Σ_k A[m][k]·input[k][lane]` over the inputs into `tensor[lane][m]`; on a line there are no lanes.
struct Combine<'a, const D: usize, const P: usize> {
    parts: Vec<Part<'a>>,
    tensor: &'a mut [f64],
}

impl<const D: usize, const P: usize> Program for Combine<'_, D, P> {
    type Scalar = f64;
    type Output = ();

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, _: V) {
        if D == 1 {
            for part in &self.parts {
                add_line::<V, P>(part, self.tensor);
            }
            return;
        }
        let mut sums = [[0.0; P]; P];
        for part in &self.parts {
            add_plane::<V, P>(part, &mut sums);
        }
        for (lane, values) in self.tensor.chunks_exact_mut(P).enumerate() {
            for (value, sum) in values.iter_mut().zip(&sums) {
                *value = sum[lane];
            }
        }
    }
}

#[inline(always)]
fn add_line<V: Vector<Scalar = f64>, const P: usize>(part: &Part<'_>, output: &mut [f64]) {
    let rows = part.transfer.coefficients.chunks_exact(P);
    for ((degree, row), value) in rows.enumerate().zip(output) {
        let length = part.transfer.lengths[degree / 2];
        let mut sum = 0.0;
        for (coefficient, moment) in row[..length].iter().zip(part.tensor) {
            sum = V::fused(*coefficient, *moment, sum);
        }
        *value += sum;
    }
}

/// `sums[m][lane] += Σ_k A[m][k]·input[k][lane]`, two rows at a time.
#[inline(always)]
fn add_plane<V: Vector<Scalar = f64>, const P: usize>(part: &Part<'_>, sums: &mut [[f64; P]; P]) {
    let (rows, _) = part.transfer.coefficients.as_chunks::<P>();
    let (inputs, _) = part.tensor.as_chunks::<P>();
    for (pair, &length) in part.transfer.lengths.iter().enumerate() {
        let mut both = [[0.0; P]; 2];
        let (upper, lower) = (&rows[2 * pair], &rows[2 * pair + 1]);
        for (k, input) in inputs.iter().enumerate().take(length.min(P)) {
            for lane in 0..P {
                both[0][lane] = V::fused(upper[k], input[lane], both[0][lane]);
                both[1][lane] = V::fused(lower[k], input[lane], both[1][lane]);
            }
        }
        for (row, half) in both.iter().enumerate() {
            for lane in 0..P {
                sums[2 * pair + row][lane] += half[lane];
            }
        }
    }
}

//! Points cut into tiles, as the kernels read them: one lane per attribute.

use super::bounds::Bounds;
use super::kernel::{Lane, QUAD, QUADS, Sides, TILE, ZERO};
use super::order::{Depth, kd_order};
use super::units::{FAR_AWAY, Units};
use crate::cloud::CloudView;
use crate::parallel;
use crate::simd::Block;

/// A weight counts as at least this (its binary logarithm) where references are compared, so that no exponent overflows.
pub(super) const LIGHTEST: f64 = -1000.0;

/// Weighted points in tiles of [`TILE`]. The last tile is padded with points far away from all others.
#[derive(Debug)]
pub(super) struct Tiles {
    dimension: usize,
    /// Which row of the cloud each place holds.
    members: Vec<usize>,
    /// Per tile: `d` coordinates, the weights, and the weights' binary logarithms.
    lanes: Vec<Lane>,
    /// Per tile: the boxes around its quads, as the kernels read them.
    boxes: Vec<Sides>,
}

impl Tiles {
    /// Orders the given rows of a cloud and cuts them into tiles. Without weights every point weighs one.
    pub(super) fn new(cloud: CloudView<'_>, mut members: Vec<usize>, depth: Depth, units: Units) -> Self {
        let dimension = cloud.dimension;
        kd_order(cloud.points, dimension, depth, &mut members);
        let attributes = dimension + 2;
        let mut lanes = vec![ZERO; members.len().div_ceil(TILE) * attributes];
        parallel::pieces(&mut lanes, attributes, &|tile, lanes| {
            fill(cloud, of_tile(&members, tile), units, lanes);
        });
        let coordinates = |tile: usize| &lanes[tile * attributes..][..dimension];
        let mut boxes = vec![[0.0; QUADS]; 2 * dimension * members.len().div_ceil(TILE)];
        parallel::pieces(&mut boxes, 2 * dimension, &|tile, boxes| {
            let sides = quad_boxes(coordinates(tile), of_tile(&members, tile).len());
            boxes.iter_mut().zip(sides).for_each(|(place, sides)| *place = sides);
        });
        Self { dimension, members, lanes, boxes }
    }

    /// Number of tiles.
    pub(super) fn len(&self) -> usize {
        self.members.len().div_ceil(TILE)
    }

    /// Dimension `d`.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The rows of the cloud that a tile holds.
    pub(super) fn members(&self, tile: usize) -> &[usize] {
        of_tile(&self.members, tile)
    }

    /// True when a tile is padded.
    pub(super) fn is_padded(&self, tile: usize) -> bool {
        self.members(tile).len() < TILE
    }

    /// The attributes of a tile: `d` coordinates, then the weights, then their binary logarithms.
    pub(super) fn lanes(&self, tile: usize) -> &[Lane] {
        let attributes = self.dimension + 2;
        &self.lanes[tile * attributes..][..attributes]
    }

    /// The boxes around the quads of a tile: low and high sides per coordinate.
    pub(super) fn boxes(&self, tile: usize) -> &[Sides] {
        &self.boxes[2 * tile * self.dimension..][..2 * self.dimension]
    }

    /// Total weight of a tile.
    pub(super) fn mass(&self, tile: usize) -> f64 {
        self.lanes(tile)[self.dimension].iter().sum()
    }

    /// Binary logarithm of the largest weight in a tile.
    pub(super) fn peak(&self, tile: usize) -> f64 {
        let count = self.members(tile).len();
        self.lanes(tile)[self.dimension + 1][..count].iter().copied().fold(LIGHTEST, f64::max)
    }

    /// The smallest box around a tile.
    pub(super) fn bounds(&self, tile: usize) -> Bounds {
        let count = self.members(tile).len();
        Bounds::around(self.lanes(tile)[..self.dimension].iter().map(|lane| &lane[..count]))
    }
}

/// What a tile has of one entry per point.
fn of_tile(members: &[usize], tile: usize) -> &[usize] {
    &members[tile * TILE..members.len().min((tile + 1) * TILE)]
}

fn fill(cloud: CloudView<'_>, members: &[usize], units: Units, lanes: &mut [Lane]) {
    let d = cloud.dimension;
    lanes[..d].fill(Block([FAR_AWAY; TILE]));
    for (place, &member) in members.iter().enumerate() {
        for (lane, x) in lanes.iter_mut().zip(&cloud.points[member * d..(member + 1) * d]) {
            lane[place] = x * units.per_length;
        }
        let weight = cloud.weights.map_or(1.0, |weights| weights[member]);
        lanes[d][place] = weight;
        lanes[d + 1][place] = weight.log2().max(LIGHTEST);
    }
}

/// Low and high sides, coordinate by coordinate, of the boxes around quads of `count` points; empty quads are infinitely far away.
pub(super) fn quad_boxes(coordinates: &[Lane], count: usize) -> impl Iterator<Item = Sides> {
    coordinates.iter().flat_map(move |lane| {
        let mut sides = [[f64::INFINITY; QUADS], [f64::NEG_INFINITY; QUADS]];
        for (quad, values) in lane[..count].chunks(QUAD).enumerate() {
            sides[0][quad] = values.iter().copied().fold(f64::INFINITY, f64::min);
            sides[1][quad] = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        }
        sides
    })
}

//! [`Frame`]: coordinates in which a cloud is about the origin, however far away it is.
//!
//! The flow does not know where the origin is, but doubles do: at a distance of `1e8` they are `1.5e-8` apart, in every step of a run. So a run is made
//! in coordinates `y = z − c`. Every `c_k` is a multiple of a power of two that is at least the extent of the cloud: then the subtraction is
//! exact for a cloud far away, and `c = 0` for one about the origin. What is seen from outside is `z₀ + (y − y₀)`: a particle that
//! does not move stays where it was, to the bit.

use super::{Moment, Step, StepObserver};
use crate::cloud::Cloud;
use crate::error::Result;

/// Where a cloud is, and where it would be about the origin.
pub(super) struct Frame<'a> {
    cloud: &'a Cloud,
    /// `y₀`; none if it is `z₀`.
    centred: Option<Cloud>,
}

impl<'a> Frame<'a> {
    /// The frame of a cloud where it starts.
    pub fn of(cloud: &'a Cloud) -> Result<Self> {
        let origin = origin(cloud);
        if origin.iter().all(|c| *c == 0.0) {
            return Ok(Self { cloud, centred: None });
        }
        let points = cloud.rows().flat_map(|row| row.iter().zip(&origin).map(|(z, c)| z - c)).collect();
        Ok(Self { cloud, centred: Some(cloud.moved_to(points)?) })
    }

    /// The cloud about the origin.
    pub fn centred(&self) -> &Cloud {
        self.centred.as_ref().unwrap_or(self.cloud)
    }

    /// Positions as they are seen from outside.
    pub fn outside(&self, points: Vec<f64>) -> Vec<f64> {
        match &self.centred {
            None => points,
            Some(centred) => {
                let starts = self.cloud.points().iter().zip(centred.points());
                points.iter().zip(starts).map(|(y, (z, start))| z + (y - start)).collect()
            }
        }
    }
}

/// A multiple of a power of two near the middle of the cloud in every coordinate.
fn origin(cloud: &Cloud) -> Vec<f64> {
    let range = |k: usize| {
        let coordinates = cloud.rows().map(|row| row[k]);
        coordinates.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)))
    };
    let ranges: Vec<(f64, f64)> = (0..cloud.dimension()).map(range).collect();
    let extent = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    let unit = extent.log2().ceil().exp2();
    let nearest = |(low, high): &(f64, f64)| unit * ((0.5 * low + 0.5 * high) / unit).round();
    // No extent, or one beyond doubles, has no unit.
    ranges.iter().map(nearest).map(|c| if c.is_finite() { c } else { 0.0 }).collect()
}

/// An observer outside of a run inside.
pub(super) struct Outside<'a, 'o> {
    pub frame: &'a Frame<'a>,
    pub observer: &'o mut dyn StepObserver,
}

impl StepObserver for Outside<'_, '_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        if self.frame.centred.is_none() {
            return self.observer.accepted(step);
        }
        let (start, end) =
            (self.frame.outside(step.start.points.to_vec()), self.frame.outside(step.end.points.to_vec()));
        let between = |time: f64| Ok(self.frame.outside(step.between(time)?));
        let start = Moment { points: &start, ..step.start };
        let end = Moment { points: &end, ..step.end };
        self.observer.accepted(&Step::new(start, end, &between))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clouds_about_the_origin_stay_and_distant_ones_come_there_exactly() {
        let near = Cloud::new(vec![-1.0, 0.3, 0.2, 0.9], 2).unwrap();
        assert!(Frame::of(&near).unwrap().centred.is_none());
        let far = Cloud::new(near.points().iter().map(|z| z + 1e8).collect(), 2).unwrap();
        let frame = Frame::of(&far).unwrap();
        let y = frame.centred().points();
        assert!(y.iter().all(|y| y.abs() <= 4.0));
        assert!((1..4).all(|i| y[i] - y[0] == far.points()[i] - far.points()[0]));
        assert_eq!(frame.outside(y.to_vec()), far.points());
    }

    #[test]
    fn a_cloud_without_extent_or_beyond_doubles_stays_where_it_is() {
        for points in [vec![3.0], vec![1e8, 1e8], vec![1e308, -1e308], vec![5e-324, 0.0]] {
            let cloud = Cloud::new(points, 1).unwrap();
            assert!(Frame::of(&cloud).unwrap().centred.is_none(), "{cloud:?}");
        }
    }
}

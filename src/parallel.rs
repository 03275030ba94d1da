//! Loops on all threads, whose results do not depend on how many there are.
//!
//! The functions to call are passed as `dyn`, so that the machinery of work stealing is compiled once for each type of result and not once for
//! each loop. A call should be worth some hundred nanoseconds.

use rayon::prelude::*;

use crate::error::Result;

/// `of(0), of(1), …, of(count − 1)`.
pub(crate) fn map<T: Send>(count: usize, of: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    (0..count).into_par_iter().map(of).collect()
}

/// The same for what may fail; of several failures the first counts.
pub(crate) fn try_map<T: Send>(count: usize, of: &(dyn Fn(usize) -> Result<T> + Sync)) -> Result<Vec<T>> {
    map(count, of).into_iter().collect()
}

/// Changes every item of a slice, given its place.
pub(crate) fn each<T: Send>(items: &mut [T], change: &(dyn Fn(usize, &mut T) + Sync)) {
    items.par_iter_mut().enumerate().for_each(|(place, item)| change(place, item));
}

/// Changes a slice in pieces of `length` items, the last of which may be shorter, given their numbers.
pub(crate) fn pieces<T: Send>(items: &mut [T], length: usize, change: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let mut pieces: Vec<&mut [T]> = items.chunks_mut(length).collect();
    each(&mut pieces, &|place, piece| change(place, piece));
}

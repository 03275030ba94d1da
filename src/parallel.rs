//! Loops on all threads, whose results do not depend on how many there are.
//!
//! The machinery of work stealing is large and compiled anew for whatever it is given. Here it is given one thing only, a function of a number;
//! results and items have a place each. A call should be worth some hundred nanoseconds.

use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use crate::error::Result;

/// Runs a task for every number below `count`.
fn run(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(task);
}

/// `of(0), of(1), …, of(count − 1)`.
pub(crate) fn map<T: Send + Sync>(count: usize, of: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let places: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    run(count, &|place| {
        places[place].get_or_init(|| of(place));
    });
    places.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// The same for what may fail; of several failures the first counts.
pub(crate) fn try_map<T: Send + Sync>(
    count: usize,
    of: &(dyn Fn(usize) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    map(count, of).into_iter().collect()
}

/// Changes every item of a slice, given its place.
pub(crate) fn each<T: Send>(items: &mut [T], change: &(dyn Fn(usize, &mut T) + Sync)) {
    let places: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
    run(places.len(), &|place| {
        change(place, &mut places[place].lock().unwrap_or_else(PoisonError::into_inner));
    });
}

/// Changes a slice in pieces of `length` items, the last of which may be shorter, given their numbers.
pub(crate) fn pieces<T: Send>(items: &mut [T], length: usize, change: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let mut pieces: Vec<&mut [T]> = items.chunks_mut(length).collect();
    each(&mut pieces, &|place, piece| change(place, piece));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn results_come_in_order() {
        assert_eq!(map(1000, &|k| k * k), (0..1000).map(|k| k * k).collect::<Vec<_>>());
        let mut items = vec![0; 10];
        pieces(&mut items, 4, &|piece, items| items.fill(piece));
        assert_eq!(items, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
        each(&mut items, &|place, item| *item += 10 * place);
        assert_eq!(items, [0, 10, 20, 30, 41, 51, 61, 71, 82, 92]);
    }

    #[test]
    fn the_first_failure_counts() {
        let failing = |k: usize| if k % 3 == 2 { Err(Error::Empty { what: k.to_string() }) } else { Ok(k) };
        assert!(matches!(try_map(100, &failing), Err(Error::Empty { what }) if what == "2"));
        assert_eq!(try_map(2, &failing).unwrap(), [0, 1]);
    }
}

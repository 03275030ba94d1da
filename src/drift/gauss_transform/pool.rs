//! [`Pool`]: memory that one evaluation leaves to the next.
//!
//! A flow evaluates its drift hundreds of times on clouds of the same size; asking the system for fresh pages every
//! time would cost more than some of the arithmetic.

use std::sync::{Mutex, PoisonError};

/// Vectors that nobody uses at the moment.
#[derive(Debug, Default)]
pub(in crate::drift) struct Pool {
    idle: Mutex<Vec<Vec<f64>>>,
}

impl Clone for Pool {
    /// A clone starts empty: memory is not shared.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Pool {
    /// A vector of `length` zeros.
    pub fn zeros(&self, length: usize) -> Vec<f64> {
        let mut vector = self.any(length);
        vector.fill(0.0);
        vector
    }

    /// A vector of `length` numbers to be overwritten, in the smallest idle one that has room.
    pub fn any(&self, length: usize) -> Vec<f64> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting =
            (0..idle.len()).filter(|&i| idle[i].capacity() >= length).min_by_key(|&i| idle[i].capacity());
        let mut vector = fitting.map(|i| idle.swap_remove(i)).unwrap_or_default();
        drop(idle);
        vector.resize(length, 0.0);
        vector
    }

    /// Takes a vector back.
    pub fn give(&self, vector: Vec<f64>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(vector);
        // An evaluation uses about ten; what is small compared with them need not be kept.
        if idle.len() > MOST_IDLE {
            idle.sort_unstable_by_key(|vector| std::cmp::Reverse(vector.capacity()));
            idle.truncate(MOST_IDLE);
        }
    }
}

/// Idle vectors kept.
const MOST_IDLE: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_out_zeros_and_reuses_memory() {
        let pool = Pool::default();
        let mut first = pool.zeros(1000);
        first.fill(7.0);
        let address = first.as_ptr();
        pool.give(first);
        let second = pool.zeros(500);
        assert_eq!(second.as_ptr(), address);
        assert!(second.iter().all(|x| *x == 0.0) && second.len() == 500);
        assert!(pool.zeros(10).capacity() < 1000);
    }
}

//! [`Keys`]: distinct box keys in the order of their first appearance, found again by hashing.

/// Slots are filled at most half.
const FIRST_SLOTS: usize = 256;
/// Marks a slot without a key.
const VACANT: u32 = u32::MAX;

/// A set of keys that numbers them.
#[derive(Debug)]
pub(super) struct Keys {
    /// The keys, by number.
    pub list: Vec<u64>,
    slots: Vec<Slot>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    number: u32,
}

impl Keys {
    /// No keys yet.
    pub fn new() -> Self {
        Self { list: Vec::new(), slots: vec![Slot { key: 0, number: VACANT }; FIRST_SLOTS] }
    }

    /// The number of a key, a new one if it was not there.
    #[inline(always)]
    pub fn number(&mut self, key: u64) -> u32 {
        let at = self.find(key);
        if self.slots[at].number == VACANT { self.insert(key) } else { self.slots[at].number }
    }

    /// The slot of a key, or the vacant one where it belongs.
    #[inline(always)]
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Neighbouring boxes differ in few bits; the product spreads them over the high half.
        let mixed = (key ^ (key >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (mixed >> 32) as usize & mask;
        while self.slots[at].number != VACANT && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    #[cold]
    fn insert(&mut self, key: u64) -> u32 {
        if 2 * self.list.len() >= self.slots.len() {
            self.slots = vec![Slot { key: 0, number: VACANT }; 4 * self.slots.len()];
            for number in 0..self.list.len() {
                self.place(self.list[number], number as u32);
            }
        }
        let number = self.list.len() as u32;
        self.place(key, number);
        self.list.push(key);
        number
    }

    fn place(&mut self, key: u64, number: u32) {
        let at = self.find(key);
        self.slots[at] = Slot { key, number };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keys_in_the_order_of_their_appearance() {
        let mut keys = Keys::new();
        for round in 0..2 {
            for i in 0..5000_u64 {
                assert_eq!(
                    u64::from(keys.number((i * i) << (i % 40))),
                    u64::from(keys.number((i * i) << (i % 40)))
                );
                assert!(round == 0 || keys.list.contains(&((i * i) << (i % 40))));
            }
        }
        let mut distinct: Vec<u64> = (0..5000_u64).map(|i| (i * i) << (i % 40)).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut listed = keys.list.clone();
        listed.sort_unstable();
        assert_eq!(listed, distinct);
    }
}

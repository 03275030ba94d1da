//! [`gather`]: the evidence of many claims, in parallel.
//!
//! Claims run one to a thread, each confined to its share of the threads, so that the time a claim takes is its own.
//! Evidence does not depend on how many threads there are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Claim, Evidence, Record};
use crate::error::{Error, Result};
use crate::preset::Preset;
use crate::provenance::Provenance;

/// Puts claims to the test on so many threads. Whenever one is finished, `watch` is shown its record and all evidence
/// so far; an error of its ends the work. Records are in the order of the claims.
pub fn gather(
    claims: &[&dyn Claim],
    preset: Preset,
    threads: usize,
    provenance: Option<Provenance>,
    mut watch: impl FnMut(&Record, &Evidence) -> Result<()>,
) -> Result<Evidence> {
    let mut finished = Finished { preset, provenance, records: vec![None; claims.len()] };
    let pools = pools(threads.max(1), claims.len())?;
    let (next, (give, take)) = (AtomicUsize::new(0), channel());
    std::thread::scope(|scope| {
        for pool in pools {
            let (give, next) = (give.clone(), &next);
            scope.spawn(move || pool.install(|| work(claims, preset, next, &give)));
        }
        drop(give);
        for (at, record) in take {
            finished.records[at] = Some(record.clone());
            if let Err(error) = watch(&record, &finished.evidence()) {
                next.store(claims.len(), Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(())
    })?;
    Ok(finished.evidence())
}

/// Records as they come in.
struct Finished {
    preset: Preset,
    provenance: Option<Provenance>,
    records: Vec<Option<Record>>,
}

impl Finished {
    fn evidence(&self) -> Evidence {
        let records = self.records.iter().flatten().cloned().collect();
        Evidence { preset: self.preset, provenance: self.provenance.clone(), records }
    }
}

/// A pool for every claim that runs at the same time.
fn pools(threads: usize, claims: usize) -> Result<Vec<ThreadPool>> {
    let workers = threads.min(claims).max(1);
    let pool = |_| {
        let pool = ThreadPoolBuilder::new().num_threads(threads / workers).build();
        pool.map_err(|error| Error::Threads { count: threads / workers, problem: error.to_string() })
    };
    (0..workers).map(pool).collect()
}

/// Takes claims until there are none left, or nobody takes the records.
fn work(claims: &[&dyn Claim], preset: Preset, next: &AtomicUsize, give: &Sender<(usize, Record)>) {
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(claim) = claims.get(at) else { return };
        if give.send((at, Record::gather(*claim, preset))).is_err() {
            return;
        }
    }
}

//! [`run()`]: the missing cells of a study, in parallel, each row safe on disk before it counts.
//!
//! Cells run one to a thread. The kernel sums inside a cell would spread over all threads on their own; each cell is confined
//! to a pool of one thread instead, so that `jobs` cells never use more than `jobs` threads. Only a cell that takes longer than its fair
//! share of all that remains gets all threads to itself. Rows are the same to the bit either way.
//!
//! One thread collects the rows and writes them. It also looks at the interruption flag, so that a run ends at once even
//! while long cells are under way: they are left behind, and are missing cells for the next run.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::cell::{Cell, Key};
use super::cost;
use super::measure::measure;
use super::row::{CellRow, Outcome};
use super::spec::Spec;
use super::store::Store;
use crate::error::{Error, Result};

/// How often the interruption flag is looked at.
const PATIENCE: Duration = Duration::from_millis(20);
/// Cells handed out ahead per thread, so that no thread waits while a row is being synced.
const AHEAD: usize = 2;

/// How to run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Threads to use, at least one.
    pub jobs: usize,
    /// Stop at the first cell that fails.
    pub fail_fast: bool,
    /// Set from outside to stop as soon as possible.
    pub interrupted: Arc<AtomicBool>,
}

/// A finished cell, as a watcher sees it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished<'a> {
    /// Its row, which is on the disk.
    pub row: &'a CellRow,
    /// Cells finished so far, those of earlier runs included.
    pub done: usize,
    /// Cells in all.
    pub total: usize,
    /// Estimated time until the last cell, by the cost model and the speed so far.
    pub remaining: Duration,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RunOutcome {
    /// Cells that this run finished.
    pub computed: usize,
    /// Cells that earlier runs, or other processes, had finished.
    pub found: usize,
    /// Whether cells were left over because of an interruption or a failure.
    pub interrupted: bool,
}

/// Computes the rows that the store does not have yet.
pub fn run(
    spec: &Arc<Spec>,
    cells: &[Cell],
    store: &mut Store,
    options: &RunOptions,
    watch: &mut dyn FnMut(&Finished<'_>),
) -> Result<RunOutcome> {
    let missing = missing(spec, cells, store);
    let found = cells.len() - missing.len();
    let plan = Plan::new(missing, options.jobs.max(1));
    let mut collector = Collector {
        spec,
        store,
        options,
        watch,
        total: cells.len(),
        outcome: RunOutcome { found, ..RunOutcome::default() },
        clock: Clock::new(plan.cost()),
    };
    collector.collect(plan.wide, WorkerPool { threads: options.jobs.max(1), workers: 1 })?;
    collector.collect(plan.narrow, WorkerPool { threads: 1, workers: options.jobs.max(1) })?;
    Ok(collector.outcome)
}

/// A cell to compute.
#[derive(Debug, Clone)]
struct Job {
    cell: Cell,
    key: Key,
    cost: f64,
}

/// What the store does not have, dearest first: what is left at the end is small and keeps no thread waiting.
fn missing(spec: &Spec, cells: &[Cell], store: &Store) -> Vec<Job> {
    let job = |cell: &Cell| Job { cell: *cell, key: cell.key(spec), cost: cost::seconds(spec, cell) };
    let mut jobs: Vec<Job> = cells.iter().map(job).filter(|job| store.get(&job.key).is_none()).collect();
    jobs.sort_by(|a, b| b.cost.total_cmp(&a.cost));
    jobs
}

/// Which cells get all threads, and which one each.
struct Plan {
    wide: VecDeque<Job>,
    narrow: VecDeque<Job>,
}

impl Plan {
    /// A cell is wide when it costs more than its share of all that is not wide.
    fn new(jobs: Vec<Job>, threads: usize) -> Self {
        let mut narrow = VecDeque::from(jobs);
        let mut rest: f64 = narrow.iter().map(|job| job.cost).sum();
        let mut wide = VecDeque::new();
        while threads > 1 && narrow.front().is_some_and(|job| job.cost * threads as f64 > rest) {
            rest -= narrow.front().map_or(0.0, |job| job.cost);
            wide.extend(narrow.pop_front());
        }
        Self { wide, narrow }
    }

    fn cost(&self) -> f64 {
        self.wide.iter().chain(&self.narrow).map(|job| job.cost).sum()
    }
}

/// Estimates the time that remains from the work done so far.
struct Clock {
    start: Instant,
    whole: f64,
    done: f64,
}

impl Clock {
    fn new(whole: f64) -> Self {
        Self { start: Instant::now(), whole, done: 0.0 }
    }

    fn remaining(&self) -> Duration {
        let share = (self.whole - self.done).max(0.0) / self.done.max(f64::MIN_POSITIVE);
        let seconds = self.start.elapsed().as_secs_f64() * share;
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

/// Threads per worker, and workers.
struct WorkerPool {
    threads: usize,
    workers: usize,
}

impl WorkerPool {
    /// Starts the workers. They stop when there are no more jobs, or when nobody takes their rows.
    fn start(&self, spec: &Arc<Spec>, jobs: Receiver<Job>, rows: &Sender<Done>) -> Result<()> {
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..self.workers {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
            let pool =
                pool.map_err(|error| Error::Threads { count: self.threads, problem: error.to_string() })?;
            let (spec, jobs, rows) = (Arc::clone(spec), Arc::clone(&jobs), rows.clone());
            pool.spawn(move || work(&spec, &jobs, &rows));
        }
        Ok(())
    }
}

/// A row and what it was estimated to cost.
struct Done {
    row: CellRow,
    cost: f64,
}

fn work(spec: &Spec, jobs: &Mutex<Receiver<Job>>, rows: &Sender<Done>) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { cell, key, cost }) = next else { return };
        let outcome = match catch_unwind(AssertUnwindSafe(|| measure(spec, &cell))) {
            Ok(Ok(values)) => Outcome::Values(Box::new(values)),
            Ok(Err(error)) => Outcome::Error(error.to_string()),
            Err(panic) => Outcome::Error(format!("the computation panicked: {}", message(panic.as_ref()))),
        };
        if rows.send(Done { row: CellRow::new(key, &cell, outcome), cost }).is_err() {
            return;
        }
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Hands out jobs, takes rows, writes them.
struct Collector<'a> {
    spec: &'a Arc<Spec>,
    store: &'a mut Store,
    options: &'a RunOptions,
    watch: &'a mut dyn FnMut(&Finished<'_>),
    total: usize,
    outcome: RunOutcome,
    clock: Clock,
}

impl Collector<'_> {
    fn collect(&mut self, mut jobs: VecDeque<Job>, pool: WorkerPool) -> Result<()> {
        if jobs.is_empty() || self.outcome.interrupted {
            return Ok(());
        }
        let ((hand_out, takers), (givers, rows)) = (channel(), channel());
        pool.start(self.spec, takers, &givers)?;
        drop(givers);
        let mut under_way = 0;
        while under_way < AHEAD * pool.workers && self.hand_out(&mut jobs, &hand_out) {
            under_way += 1;
        }
        while under_way > 0 {
            let Some(done) = self.next(&rows)? else { return Ok(()) };
            under_way += usize::from(self.hand_out(&mut jobs, &hand_out));
            under_way -= 1;
            self.keep(done)?;
        }
        Ok(())
    }

    /// Gives the next job that no other process has finished to whoever is free. False when there is none.
    fn hand_out(&mut self, jobs: &mut VecDeque<Job>, workers: &Sender<Job>) -> bool {
        while let Some(job) = jobs.pop_front() {
            if self.store.get(&job.key).is_none() {
                return workers.send(job).is_ok();
            }
            self.outcome.found += 1;
            self.clock.whole -= job.cost;
        }
        false
    }

    /// Waits for a row; none when the run is to end.
    fn next(&mut self, rows: &Receiver<Done>) -> Result<Option<Done>> {
        while !self.outcome.interrupted {
            self.outcome.interrupted |= self.options.interrupted.load(Ordering::Relaxed);
            match rows.recv_timeout(PATIENCE) {
                Ok(done) => return Ok(Some(done)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let problem = "they ended before their work was done".to_owned();
                    return Err(Error::Threads { count: self.options.jobs, problem });
                }
            }
        }
        Ok(None)
    }

    fn keep(&mut self, done: Done) -> Result<()> {
        self.store.append(done.row.clone())?;
        self.outcome.computed += 1;
        self.clock.done += done.cost;
        self.outcome.interrupted |= self.options.fail_fast && done.row.error().is_some();
        let remaining = self.clock.remaining();
        let count = self.outcome.computed + self.outcome.found;
        (self.watch)(&Finished { row: &done.row, done: count, total: self.total, remaining });
        Ok(())
    }
}

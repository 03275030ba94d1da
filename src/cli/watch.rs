//! Long work, watched: on a terminal a bar, elsewhere a line now and then, and before it a forecast where it will be long.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ebflow::drift::{Drift, DriftField, Targets};
use ebflow::{Adaptive, Beta, Cloud, Flow, Gauge, Result};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::Console;

/// How often a bar moves.
const TICK: Duration = Duration::from_millis(200);

/// Shorter work is not talked about.
const SHORT: Duration = Duration::from_secs(1);

/// When the first line is said where there is no terminal; the next ones wait for half as long again as the work has taken.
const FIRST_LINE: Duration = Duration::from_secs(30);
const PATIENCE: f64 = 1.5;

/// Work that takes longer is forecast.
const LONG: Duration = Duration::from_secs(30);

/// Timing a kernel sum may take so long without anybody noticing.
const AT_NO_COST: Duration = Duration::from_millis(30);

/// Clouds of no more points are never long work, and as many points tell how many steps a larger one takes.
const SAMPLE: usize = 400;

/// Kernel sums of a run with an error estimate, for one of a run without: the other run takes two steps for one.
const WITH_ESTIMATE: f64 = 3.0;

/// What a forecast recommends.
const CHEAPER: f64 = 1e-4;

/// Does a job while a gauge, if it shows anything, is shown.
pub fn watched<T: Send>(
    what: &str,
    gauge: &Gauge,
    console: &mut Console<'_>,
    job: impl FnOnce() -> T + Send,
) -> T {
    let begin = Instant::now();
    let mut shown = Shown { what, begin, bar: None, next_line: FIRST_LINE };
    let (done, finished) = channel();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let result = job();
            let _ = done.send(());
            result
        });
        while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(TICK) {
            shown.tick(gauge, console);
        }
        if let Some(bar) = &shown.bar {
            bar.finish_and_clear();
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// What is seen of a job.
struct Shown<'a> {
    what: &'a str,
    begin: Instant,
    bar: Option<ProgressBar>,
    next_line: Duration,
}

impl Shown<'_> {
    fn tick(&mut self, gauge: &Gauge, console: &mut Console<'_>) {
        let (passed, share) = (self.begin.elapsed(), gauge.share());
        if console.interactive {
            if passed > SHORT {
                let bar = self.bar.get_or_insert_with(|| bar(self.what));
                bar.set_position((1000.0 * share) as u64);
                bar.set_message(remaining(passed, share));
            }
        } else if passed > self.next_line {
            self.next_line = passed.mul_f64(PATIENCE);
            let percent = if share > 0.0 { format!("{:.0} % done, ", 100.0 * share) } else { String::new() };
            let passed_words = HumanDuration(passed);
            console.say(format_args!(
                "{}: {percent}{passed_words} passed{}",
                self.what,
                remaining(passed, share)
            ));
        }
    }
}

fn bar(what: &str) -> ProgressBar {
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:20} {elapsed} passed{msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(what.to_owned());
    bar
}

/// How long the rest will take, where a share is known.
fn remaining(passed: Duration, share: f64) -> String {
    if !(share > 0.0 && share <= 1.0) {
        return String::new();
    }
    let left = passed.mul_f64((1.0 - share) / share);
    format!(", about {} to go", HumanDuration(left))
}

/// How long a kernel sum takes: the shortest of a few where that costs nothing, since the first one also wakes threads.
fn time_of_a_sum(cloud: &Cloud, beta: Beta, drift: &dyn Drift) -> Result<Duration> {
    let (mut field, mut shortest, begin) = (DriftField::default(), Duration::MAX, Instant::now());
    while shortest == Duration::MAX || begin.elapsed() < AT_NO_COST {
        let begin = Instant::now();
        drift.evaluate(cloud.view(), Targets::Sources, beta, &mut field)?;
        shortest = shortest.min(begin.elapsed());
    }
    Ok(shortest)
}

/// Says before a run of some flow how long it will take, if that is long, and what would be shorter.
pub fn forecast(
    flow: &Flow<'_>,
    cloud: &Cloud,
    beta: Beta,
    drift: &dyn Drift,
    console: &mut Console<'_>,
) -> Result<()> {
    if cloud.len() <= SAMPLE {
        return Ok(());
    }
    let sum = time_of_a_sum(cloud, beta, drift)?.mul_f64(WITH_ESTIMATE);
    if sum.mul_f64(f64::from(u16::MAX)) < LONG {
        return Ok(());
    }
    let every = cloud.len().div_ceil(SAMPLE);
    let points: Vec<f64> = cloud.rows().step_by(every).flatten().copied().collect();
    let sample = Cloud::new(points, cloud.dimension())?;
    let sums = |flow: &Flow<'_>| flow.run(&sample).map(|run| run.statistics.evaluations as f64);
    let (asked, cheaper) =
        (sums(flow)?, sums(&flow.clone().with_integrator(Adaptive::new(CHEAPER, CHEAPER)?))?);
    if sum.mul_f64(asked) < LONG {
        return Ok(());
    }
    let advice = match cheaper < 0.7 * asked {
        true => format!(
            "; with --rtol {CHEAPER:e} --atol {CHEAPER:e} about {}",
            HumanDuration(sum.mul_f64(cheaper))
        ),
        false => "; fewer tokens are the way to less".into(),
    };
    console.say(format_args!("this will take about {}{advice}", HumanDuration(sum.mul_f64(asked))));
    Ok(())
}

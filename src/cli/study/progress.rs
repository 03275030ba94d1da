//! How far a study is: a bar on a terminal, a line per finished cell elsewhere. Both on stderr.

use std::time::Duration;

use ebflow::study::Finished;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use crate::cli::Console;

/// Cells, the time passed, and what the cost model expects to remain.
const TEMPLATE: &str = "{bar:32} {pos}/{len} cells, {elapsed} passed, {msg}";

pub enum Progress {
    Bar(ProgressBar),
    Lines,
}

impl Progress {
    pub fn new(cells: usize, console: &Console<'_>) -> Self {
        if !console.interactive {
            return Self::Lines;
        }
        let bar = ProgressBar::new(cells as u64);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self::Bar(bar)
    }

    pub fn show(&self, finished: &Finished<'_>, console: &mut Console<'_>) {
        let Finished { row, done, total, remaining } = *finished;
        match (self, row.error()) {
            (Self::Bar(bar), error) => {
                if let Some(error) = error {
                    bar.println(format!("failed: {}, seed {}: {error}", row.setting, row.seed));
                }
                bar.set_position(done as u64);
                bar.set_message(format!("about {} to go", HumanDuration(remaining)));
            }
            (Self::Lines, error) => {
                let state = error.map_or_else(|| "finished".to_owned(), |error| format!("failed ({error})"));
                let left = HumanDuration(remaining);
                let cell = format_args!("{}, seed {}", row.setting, row.seed);
                console.say(format_args!("[{done}/{total}] {cell}: {state}; about {left} to go"));
            }
        }
    }

    pub fn end(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

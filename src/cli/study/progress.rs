//! How far a study is: a bar on a terminal, a line per finished cell elsewhere. Both on stderr.

use std::io::IsTerminal;
use std::time::Duration;

use ebflow::study::Finished;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// Cells, the time passed, and what the cost model expects to remain.
const TEMPLATE: &str = "{bar:32} {pos}/{len} cells, {elapsed} passed, {msg}";

pub enum Progress {
    Bar(ProgressBar),
    Lines,
}

impl Progress {
    pub fn new(cells: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::Lines;
        }
        let bar = ProgressBar::new(cells as u64);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self::Bar(bar)
    }

    pub fn show(&self, finished: &Finished<'_>) {
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
                eprintln!("[{done}/{total}] {}, seed {}: {state}; about {left} to go", row.setting, row.seed);
            }
        }
    }

    pub fn end(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

//! [`Progress`]: how far long work is, on stderr: a bar on a terminal, a line for each finished part elsewhere.

use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::Console;

/// How far long work is.
pub enum Progress {
    Bar(ProgressBar),
    Lines { total: usize },
}

impl Progress {
    /// For so many parts, called what the reader calls them.
    pub fn new(total: usize, parts: &str, console: &Console<'_>) -> Self {
        if !console.interactive {
            return Self::Lines { total };
        }
        let bar = ProgressBar::new(total as u64);
        let template = format!("{{bar:32}} {{pos}}/{{len}} {parts}, {{elapsed}} passed{{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self::Bar(bar)
    }

    /// Another part is finished; what it says of itself, and how long the rest will take if that is known.
    pub fn finished(&self, done: usize, part: &str, remaining: Option<Duration>, console: &mut Console<'_>) {
        match self {
            Self::Bar(bar) => {
                bar.set_position(done as u64);
                if let Some(remaining) = remaining {
                    bar.set_message(format!(", about {} to go", HumanDuration(remaining)));
                }
            }
            Self::Lines { total } => {
                let left = remaining
                    .map(|left| format!("; about {} to go", HumanDuration(left)))
                    .unwrap_or_default();
                console.say(format_args!("[{done}/{total}] {part}{left}"));
            }
        }
    }

    /// What a reader must see even beside a bar.
    pub fn complain(&self, complaint: &str) {
        if let Self::Bar(bar) = self {
            bar.println(complaint);
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

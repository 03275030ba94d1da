//! The `ebflow` command: see [`cli`].

#![forbid(unsafe_code)]

mod cli;

use std::io::IsTerminal;
use std::process::ExitCode;

use cli::{Console, INTERRUPTED, Interruption};

fn main() -> ExitCode {
    let interruption = Interruption::default();
    end_on_request(interruption.clone());
    let (mut results, mut messages) = (std::io::stdout(), std::io::stderr());
    let interactive = messages.is_terminal();
    let mut console = Console::new(&mut results, &mut messages, interruption);
    console.interactive = interactive;
    if let Some((_, columns)) = console::Term::stdout().size_checked() {
        console.columns = columns.into();
    }
    ExitCode::from(cli::run(std::env::args_os(), &mut console))
}

/// Ctrl-C, or a polite request to end, ends the process at once and leaves no half-written file, unless a verb comes to an
/// end itself. Where signals cannot be listened to, they do what they always do.
fn end_on_request(interruption: Interruption) {
    let _ = ctrlc::set_handler(move || {
        if !interruption.raise() {
            ebflow::files::abandon();
            std::process::exit(INTERRUPTED.into());
        }
    });
}

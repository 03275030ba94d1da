//! [`SpecError`]: what is wrong with a study or a law, shown as a compiler would: the line, a caret, and the remedy.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::tree::{Place, Source};

/// Complaints about a study's texts. Its [`Display`](fmt::Display) shows all of them without colour.
///
/// ```
/// use ebflow::study::Spec;
/// let error = Spec::parse("study.toml", "titel = 'W1 against N'").unwrap_err().to_string();
/// assert!(error.contains("unknown key `titel`") && error.contains("did you mean `title`?"), "{error}");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SpecError {
    sources: Vec<Source>,
    diagnostics: Vec<Diagnostic>,
}

/// One complaint.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Diagnostic {
    title: String,
    place: Place,
    label: Option<String>,
    help: Option<String>,
}

impl Diagnostic {
    pub fn new(title: impl Into<String>, place: Place) -> Self {
        Self { title: title.into(), place, label: None, help: None }
    }

    /// What stands beside the caret.
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// The remedy.
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Without a place: what is wrong, and the remedy.
    pub fn sentence(&self) -> String {
        let parts = [Some(&self.title), self.label.as_ref(), self.help.as_ref()];
        parts.into_iter().flatten().cloned().collect::<Vec<_>>().join("; ")
    }

    fn group<'a>(&'a self, sources: &'a [Source]) -> Group<'a> {
        let source = &sources[self.place.source];
        let caret = AnnotationKind::Primary.span(self.place.span.clone()).label(self.label.as_deref());
        let snippet = Snippet::source(source.text.as_str()).path(source.name.as_str()).annotation(caret);
        let group = Level::ERROR.primary_title(self.title.as_str()).element(snippet);
        match &self.help {
            Some(help) => group.element(Level::HELP.message(help.as_str())),
            None => group,
        }
    }
}

impl SpecError {
    pub(crate) fn new(sources: Vec<Source>, mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by_key(|d| (d.place.source, d.place.span.start));
        Self { sources, diagnostics }
    }

    /// All complaints, each with its line and caret; in colour for a terminal.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let shown = self.diagnostics.iter().map(|d| renderer.render(&[d.group(&self.sources)]));
        shown.collect::<Vec<_>>().join("\n\n")
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for SpecError {}

//! [`KEYS`]: every key that a study may have, in words. A test holds the readers of the sections to this list.

/// A table of a study.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// As it is written: `[sweep]`; nothing for the top level.
    pub name: &'static str,
    /// What it holds.
    pub says: &'static str,
    /// Its keys: name, what it takes, what it means.
    pub keys: &'static [[&'static str; 3]],
}

/// The tables of a study in the order in which one writes them.
pub const KEYS: &[Section] = &[
    Section {
        name: "",
        says: "At the head of the file.",
        keys: &[
            ["title", "text", "what the study is called; needed"],
            ["prose", "text", "what is studied, and why; paragraphs are separated by empty lines"],
            ["paper", "text", "label of the paper's statement that it is about"],
            ["quantities", "list of names", "what is measured in every cell; needed"],
            ["prior", "table", "the law that clean tokens are drawn from; needed"],
            ["noise", "table", "the variance of the noise, where it is not swept"],
            ["flow", "table", "parameters that are not swept, and how the flow is integrated"],
            ["drift", "table", "how kernel sums are evaluated"],
            ["sweep", "table", "parameters that are swept, and the seeds; needed"],
            ["measure", "table", "what some quantities need to know"],
            ["fit", "list of tables", "rates to fit, each a table [[fit]]"],
            ["statement", "list of tables", "what the numbers should be, each a table [[statement]]"],
        ],
    },
    Section {
        name: "[noise]",
        says: "The noise `N(0, τI)` on the tokens.",
        keys: &[["variance", "number above 0", "τ, unless `noise_var` is swept"]],
    },
    Section {
        name: "[flow]",
        says: "Parameters that are not swept, and the integrator: `rtol` and `atol` for the flow as an ODE, or `layers` for a network.",
        keys: &[
            ["n", "integer above 0", "number of tokens N"],
            ["beta", "number above 0", "inverse temperature β"],
            [
                "radius",
                "number above 0",
                "radius R of the ball that truncates the initial cloud; without it there is none",
            ],
            ["layers", "integer above 0", "number of layers L; each step βτ/2L must be below 1"],
            [
                "rtol",
                "number above 0",
                "relative tolerance of the adaptive integrator, of the cloud's spread",
            ],
            ["atol", "number above 0", "absolute tolerance of the adaptive integrator"],
        ],
    },
    Section {
        name: "[drift]",
        says: "How kernel sums are evaluated; without the table as is fastest.",
        keys: &[
            ["method", "name", "`auto`, `dense`, `blocks`, `kdtree` or `gauss`"],
            ["eps", "number above 0", "bound on how far truncating the kernel may move a drift"],
        ],
    },
    Section {
        name: "[sweep]",
        says: "Lists of values; every combination is a setting, and every setting with every seed a cell.",
        keys: &[
            ["n", "list of integers", "numbers of tokens N"],
            ["radius", "list of numbers", "radii R"],
            ["beta", "list of numbers", "inverse temperatures β"],
            ["noise_var", "list of numbers", "variances τ of the noise"],
            ["layers", "list of integers", "numbers of layers L"],
            ["seeds", "integer, or list of integers", "how many seeds (0, 1, …), or which; needed"],
        ],
    },
    Section {
        name: "[measure]",
        says: "What some quantities need to know.",
        keys: &[
            [
                "sup_radius",
                "number above 0",
                "radius of the ball over which `posterior_sup` is the largest error",
            ],
            ["depths", "integer above 1", "points of a curve over depth, 21 where it is not given"],
            [
                "cloud_points",
                "integer above 0",
                "particles whose way is kept for the report, for the first seed",
            ],
        ],
    },
    Section {
        name: "[[fit]]",
        says: "A rate, for every value of the other swept parameters. A slope outside its band is exit code 1.",
        keys: &[
            ["quantity", "name", "what is fitted; needed"],
            [
                "against",
                "name",
                "the swept parameter: `n`, `radius`, `beta`, `noise_var` or `layers`; needed",
            ],
            ["model", "name", "`power`, C·x^s, or `mixed`, a·x^s + b"],
            ["expect", "two numbers", "the band in which the slope should lie"],
            ["from", "number", "values of the parameter below this are left out"],
            ["to", "number", "values of the parameter above this are left out"],
        ],
    },
    Section {
        name: "[[statement]]",
        says: "A statement about the numbers, judged by the rows with all their error bars. A verdict that is not the expected one is exit code 1.",
        keys: &[
            ["id", "text", "its name, of letters, digits, - and _; needed"],
            ["says", "text", "the statement in words; needed"],
            ["quantity", "name", "the number it is about: the mean over seeds, in every setting"],
            ["slope_of", "name", "in its place: the exponent of the quantity's power law in a parameter"],
            ["against", "name", "that parameter; also of the relation `decreasing`"],
            [
                "relation",
                "name",
                "`equal`, `at_most`, `at_least`, `within` two ends, or `decreasing` from each value of the parameter to the next; needed",
            ],
            [
                "to",
                "number, formula, or two of them",
                "what it is compared with; the two ends for `within`, nothing for `decreasing`",
            ],
            ["where", "condition", "settings in which it is meant to hold; others are left out"],
            [
                "beyond",
                "condition",
                "settings in which it is not meant to hold: should it fail there, the verdict is `holds_within`",
            ],
            [
                "expect",
                "name",
                "the verdict that is expected: `holds` (without the key), `holds_within`, `fails` or `inconclusive`",
            ],
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Spec;

    /// A study with every table, and in one of them a key that nobody knows.
    fn with_unknown_key_in(section: &str) -> String {
        let mut text = "title = ''\nquantities = ['coupled', 'w1_prior']\n".to_owned();
        text += "prior = { kind = 'gaussian', mean = 0, std = 1 }\n";
        let tables = [
            ("[noise]", "variance = 1"),
            ("[flow]", "beta = 1\nrtol = 1e-6\natol = 1e-6"),
            ("[drift]", "method = 'auto'"),
            ("[sweep]", "n = [10, 20, 40]\nseeds = 2"),
            ("[measure]", ""),
            ("[[fit]]", "quantity = 'coupled'\nagainst = 'n'"),
            ("[[statement]]", "id = 's'\nsays = ''\nquantity = 'coupled'\nrelation = 'equal'\nto = 1"),
        ];
        if section.is_empty() {
            text += "qqqqqq = 1\n";
        }
        for (name, content) in tables {
            let unknown = if name == section { "qqqqqq = 1\n" } else { "" };
            text += &format!("{name}\n{content}\n{unknown}");
        }
        text
    }

    #[test]
    fn the_list_has_the_keys_that_are_read() {
        for section in KEYS {
            let complaint =
                Spec::parse("study.toml", &with_unknown_key_in(section.name)).unwrap_err().to_string();
            assert!(complaint.contains("unknown key `qqqqqq`"), "{complaint}");
            let (_, known) = complaint.split_once("known here: `").unwrap();
            let known: Vec<&str> =
                known.lines().next().unwrap().trim_end_matches('`').split("`, `").collect();
            let mut listed: Vec<&str> = section.keys.iter().map(|key| key[0]).collect();
            listed.sort_unstable();
            assert_eq!(known, listed, "{}", section.name);
        }
    }
}

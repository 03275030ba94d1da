//! Laws in text, files and fields; mistakes with their place.

use super::*;

fn refusal(text: &str) -> String {
    Law::parse(text).unwrap_err().to_string()
}

#[test]
fn integers_and_scalars_are_welcome() {
    let laws = [
        r#"{ kind = "gaussian", mean = 0, std = 1 }"#,
        r#"{ kind = "gaussian", mean = [0], cov = 1 }"#,
        r#"{ kind = "gaussian", mean = 0, cov = [[1]] }"#,
    ];
    for text in laws {
        assert_eq!(Law::parse(text).unwrap(), Law::parse(laws[0]).unwrap());
    }
    let equal = Law::parse(r#"{ kind = "mixture", means = [-1, 1], covs = [0.25, 0.25] }"#).unwrap();
    let spelt = r#"{ kind = "mixture", weights = [0.5, 0.5], means = [[-1], [1]], std = 0.5 }"#;
    assert_eq!(equal, Law::parse(spelt).unwrap());
}

#[test]
fn files_and_fields_are_read_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("law.toml");
    std::fs::write(&path, "# a coin\nkind = \"atoms\"\npoints = [-1, 1]\n").unwrap();
    assert_eq!(Law::parse(path.to_str().unwrap()).unwrap().kind_name(), "atoms");
    std::fs::write(&path, "kind = \"atoms\"\npoints = [-1, \"one\"]\n").unwrap();
    let error = refusal(path.to_str().unwrap());
    assert!(error.contains("law.toml:2:15") && error.contains("a number"), "{error}");
    #[derive(Debug, serde::Deserialize)]
    struct Study {
        law: Law,
    }
    let study: Study = toml::from_str("law = { kind = \"laplace\", mean = 0, scale = 1 }").unwrap();
    assert_eq!(study.law.kind_name(), "laplace");
    let error = toml::from_str::<Study>("\nlaw = { kind = \"laplace\", mean = 0, scale = 0 }").unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
}

#[test]
fn boxes_and_independent_coordinates_are_products() {
    let plane = Law::parse("{ kind = 'uniform', low = [0, -1], high = [1, 2] }").unwrap();
    assert_eq!((plane.kind_name(), plane.dimension()), ("uniform", 2));
    let same = Law::parse("{ kind = 'laplace', mean = [0, 1, 2], scale = 2 }").unwrap();
    assert_eq!(same, Law::parse("{ kind = 'laplace', mean = [0, 1, 2], scale = [2, 2, 2] }").unwrap());
    assert_eq!(Law::parse("{ kind = 'laplace', mean = 0, scale = [1, 2] }").unwrap().dimension(), 2);
    assert_eq!(Law::parse("{ kind = 'student', df = 3, mean = [1], scale = 2 }").unwrap().dimension(), 1);
}

#[test]
fn atoms_come_from_files_of_every_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let listed = Law::parse("{ kind = 'atoms', points = [[0, 1], [2, 3]], weights = [0.25, 0.75] }").unwrap();
    std::fs::write(path("p.csv"), "x,y\n0,1\n2,3\n").unwrap();
    std::fs::write(path("w.csv"), "0.25\n0.75\n").unwrap();
    crate::files::npy::write_table(Path::new(&path("p.npy")), &[0.0, 1.0, 2.0, 3.0], 2).unwrap();
    crate::files::npy::write_vector(Path::new(&path("w.npy")), &[0.25, 0.75]).unwrap();
    for ending in ["csv", "npy"] {
        let law = format!(
            "{{ kind = 'atoms', file = '{}', weights = '{}' }}",
            path(&format!("p.{ending}")),
            path(&format!("w.{ending}"))
        );
        assert_eq!(Law::parse(&law).unwrap(), listed, "{ending}");
    }
    let missing = refusal("{ kind = 'atoms', file = 'nowhere.npy' }");
    assert!(
        missing.contains("nowhere.npy") && missing.contains("relative to the working directory"),
        "{missing}"
    );
}

/// A law with a bar where the caret is, and what is said of it.
const MISTAKES: &[(&str, &[&str])] = &[
    ("{ kind = |\"gauss\", mean = 0 }", &["unknown kind of law `gauss`", "did you mean `gaussian`?"]),
    ("{ kind = |\"stedent\", df = 3 }", &["did you mean `student`?", "`mixture`"]),
    ("|{ df = 3 }", &["has no `kind`", "kind = \"gaussian\""]),
    ("{ kind = \"gaussian\", mean = 0, |sdt = 1 }", &["unknown key `sdt`", "did you mean `std`?"]),
    (
        "{ kind = \"gaussian\", mean = 0, std = 1, |scale = 1 }",
        &["unknown key `scale`", "`cov`, `kind`, `mean`, `std`"],
    ),
    ("|{ kind = \"gaussian\", mean = 0 }", &["has no `cov` or `std`", "std = 1"]),
    ("{ kind = \"gaussian\", mean = 0, std = |1, cov = 1 }", &["given beside `cov`", "keep `cov` or `std`"]),
    (
        "{ kind = \"gaussian\", mean = [0, 0], cov = |1 }",
        &["1×1, but the mean has dimension 2", "must be 2×2"],
    ),
    ("{ kind = \"gaussian\", mean = [0, 0], cov = [[1, 0], |[0]] }", &["1 number where the first has 2"]),
    ("{ kind = \"gaussian\", mean = [0, |nan], std = 1 }", &["not finite"]),
    ("{ kind = \"gaussian\", mean = |[], std = 1 }", &["the list is empty"]),
    ("{ kind = \"gaussian\", mean = 0, std = |-1 }", &["std is -1", "not negative"]),
    ("{ kind = \"gaussian\", mean = [0, 0], cov = |[[1, 2], [2, 1]] }", &["eigenvalue -1"]),
    ("{ kind = \"gaussian\", mean = 0, std = |[1] }", &["expected a number, found a list"]),
    ("{ kind = \"gaussian\", mean = |\"0\", std = 1 }", &["expected a number, found a string"]),
    ("{ kind = \"mixture\", means = [[0, 0], |[1]], std = 1 }", &["1 number where the first has 2"]),
    ("{ kind = \"mixture\", means = [0, 1], covs = |[1] }", &["1 covariances for 2 means"]),
    ("{ kind = \"mixture\", means = |[], std = 1 }", &["the list is empty"]),
    ("{ kind = \"mixture\", means = [0, |inf], std = 1 }", &["not finite"]),
    ("{ kind = \"mixture\", means = [0, 1], weights = |[1], std = 1 }", &["1 weights for 2 means"]),
    ("{ kind = \"laplace\", mean = 0, scale = |1e200 }", &["overflow"]),
    ("{ kind = \"laplace\", mean = [0, 1, 2], scale = |[1, 2] }", &["2 numbers beside 3 of `mean`"]),
    ("{ kind = \"atoms\", points = [[0, 1], |[2]] }", &["1 number where the first has 2"]),
    ("{ kind = \"atoms\", points = [0, 1], weights = |[0.5, 0.6] }", &["divide them by their sum"]),
    ("{ kind = \"atoms\", points = [0, 1], file = |\"x.npy\" }", &["given beside `points`"]),
    ("{ kind = \"uniform\", low = |1, high = 0 }", &["low must be below high"]),
    ("{ kind = \"uniform\", |lo = 0, high = 1 }", &["did you mean `low`?"]),
    ("{ kind = \"student\", df = |2, mean = 0, scale = 1 }", &["there is no variance"]),
    ("{ kind = \"student\", df = 3, mean = |[0, 0], scale = 1 }", &["lives on the line"]),
    ("{ kind = \"uniform\", low = 1|", &["not TOML"]),
];

#[test]
fn mistakes_show_their_place_and_a_remedy() {
    for (marked, words) in MISTAKES {
        let at = marked[..marked.find('|').unwrap()].chars().count() + 1;
        let error = refusal(&marked.replace('|', ""));
        assert!(error.contains(&format!("the law:1:{at}")), "{marked}, {at}: {error}");
        assert!(error.contains('^'), "{error}");
        for words in *words {
            assert!(error.contains(words), "{marked}: {words}\n{error}");
        }
    }
    let missing = refusal("nowhere.toml");
    assert!(missing.contains("there is no such file; a law is a TOML file, or an inline table"), "{missing}");
}

//! `.npy`, `.npz` and `.csv` files of any bytes, in front of every verb that reads one.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::case::{Case, Way};
use crate::text::{double, mutated};

/// How an array is stored.
#[derive(Debug, Clone)]
struct Storage {
    version: u8,
    descr: &'static str,
    fortran: &'static str,
    flat: bool,
}

fn storage() -> impl Strategy<Value = Storage> {
    let descr =
        select(vec!["<f8", "<f8", "<f8", "<f4", ">f8", ">f4", "=f8", "|f8", "f8", "<i8", "|O", "<c16"]);
    (select(vec![1, 1, 1, 2, 3, 4]), descr, select(vec!["False", "False", "True", "0"]), any::<bool>())
        .prop_map(|(version, descr, fortran, flat)| Storage { version, descr, fortran, flat })
}

fn encoded(storage: &Storage, values: &[f64], columns: usize) -> Vec<u8> {
    let rows = values.len() / columns;
    let shape =
        if storage.flat && columns == 1 { format!("({rows},)") } else { format!("({rows}, {columns})") };
    let Storage { version, descr, fortran, .. } = storage;
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = [b"\x93NUMPY".as_slice(), &[*version, 0]].concat();
    match version {
        1 => bytes.extend((header.len() as u16).to_le_bytes()),
        _ => bytes.extend((header.len() as u32).to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    for value in values {
        match *descr {
            "<f4" => bytes.extend((*value as f32).to_le_bytes()),
            ">f4" => bytes.extend((*value as f32).to_be_bytes()),
            ">f8" => bytes.extend(value.to_be_bytes()),
            _ => bytes.extend(value.to_le_bytes()),
        }
    }
    bytes
}

/// An array that is as it should be.
pub fn good(columns: usize, most: usize) -> impl Strategy<Value = Vec<u8>> {
    let plain = Storage { version: 1, descr: "<f8", fortran: "False", flat: true };
    vec(double(), columns..=columns * most)
        .prop_map(move |values| encoded(&plain, &values[..values.len() / columns * columns], columns))
}

/// An array of any kind.
fn array(columns: usize, most: usize) -> impl Strategy<Value = Vec<u8>> {
    let stored = (storage(), vec(double(), columns..=columns * most)).prop_map(move |(storage, values)| {
        encoded(&storage, &values[..values.len() / columns * columns], columns)
    });
    prop_oneof![
        12 => good(columns, most),
        6 => mutated(stored),
        1 => vec(any::<u8>(), 0..200),
    ]
}

/// Weights: most sum to one.
fn weights() -> impl Strategy<Value = Vec<u8>> {
    let plain = Storage { version: 1, descr: "<f8", fortran: "False", flat: true };
    vec(0.0..1.0_f64, 1..12).prop_map(move |weights| {
        let sum: f64 = weights.iter().sum();
        encoded(&plain, &weights.iter().map(|w| w / sum).collect::<Vec<_>>(), 1)
    })
}

/// Numbers as text, whole or damaged.
fn table(columns: usize, most: usize) -> impl Strategy<Value = Vec<u8>> {
    let separators = select(vec![",", ";", "\t", " ", ", "]);
    let text = (separators, vec(double(), columns..=columns * most), any::<bool>()).prop_map(
        move |(separator, values, named)| {
            let name = (0..columns).map(|c| format!("x{c}")).collect::<Vec<_>>().join(separator);
            let line = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(separator);
            let rows = values.chunks_exact(columns).map(line);
            std::iter::once(name).filter(|_| named).chain(rows).collect::<Vec<_>>().join("\n").into_bytes()
        },
    );
    let text = text.boxed();
    prop_oneof![3 => text.clone(), 1 => mutated(text)]
}

/// An archive of one array or two, whole or damaged.
fn archive(columns: usize, most: usize) -> impl Strategy<Value = Vec<u8>> {
    let zipped = (array(columns, most), any::<bool>(), any::<bool>()).prop_map(|(array, two, packed)| {
        use zip::write::SimpleFileOptions;
        let method = if packed { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for name in &["points.npy", "others.npy"][..1 + usize::from(two)] {
            archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
            std::io::Write::write_all(&mut archive, &array).unwrap();
        }
        archive.finish().unwrap().into_inner()
    });
    let zipped = zipped.boxed();
    prop_oneof![3 => zipped.clone(), 1 => mutated(zipped)]
}

const LINES: &[&str] = &[
    "flow @a.npy --beta 4 --raw-time 1 --out @out.npy",
    "flow @a.npy --beta 20 --noise-var 0.3 --layers 9 --out @out.npy --json",
    "flow @a.npy --beta 2 --score-time 0.2 --rtol 1e-4 --out @out.npy --drift blocks",
    "flow @a.npy --beta 2 --raw-time 0.5 --rtol 1e-4 --out @out.npy --drift kdtree --json",
    "flow @a.npy --beta 2 --raw-time 0.5 --atol 1e-4 --out @out.npy --drift gauss",
    "flow @a.npy --beta 2 --raw-time 0.5 --out @out.npy --bound --json",
    "flow @a.npy --beta 2 --raw-time 0.5 --out @out.npy --weights @w.npy",
    "flow @a.npy --beta 2 --raw-time 0.5 --out @a.npy",
    "flow @a.npy --beta 2 --raw-time 0.5 --radius 1.5 --out @out.npy",
    "denoise @a.npy --noise-var 0.3 --beta 4 --out @out.npy --particles @z.npy",
    "denoise @a.npy --noise-var 0.3 --beta 4 --out @out.npy --clean @b.npy --json",
    "denoise @a.npy --noise-std 0.5 --out @out.csv --sd @sd.npy --report @page.html",
    "denoise @t.csv --noise-var 0.3 --out @out.npy --json",
    "denoise @t.csv --noise-var 1e-3 --beta 4 --depth auto --out @out.txt",
    "flow @t.csv --beta 2 --raw-time 0.5 --out @out.csv",
    "posterior @p.npz @t.csv --noise-var 0.5 --out @out.csv --energy @e.csv",
    "w1 @p.npz @t.csv --json",
    "denoise @a.npy --noise-var 0.3 --beta 4 --layers 4 --out @out.npy --particles @out.npy",
    "posterior @a.npy @b.npy --noise-var 0.5 --out @out.npy --energy @e.npy",
    "posterior @a.npy @b.npy --noise-var 1e-3 --out @out.npy --json",
    "posterior @a.npy @b.npy --noise-var 1e-300 --out @out.npy --energy @e.npy",
    "w1 @a.npy @b.npy --json",
    "w1 @a.npy @b.npy --weights-a @w.npy",
];

pub fn cases() -> impl Strategy<Value = Case> {
    let way = prop_oneof![60 => Just(Way::Call), 1 => Just(Way::Process)];
    (1..4_usize, select(LINES), way)
        .prop_flat_map(|(columns, line, way)| {
            let files =
                (array(columns, 12), array(columns, 12), weights(), table(columns, 12), archive(columns, 12));
            (files, Just(line), Just(way))
        })
        .prop_map(|((a, b, w, t, p), line, way)| {
            let files = vec![("a.npy", a), ("b.npy", b), ("w.npy", w), ("t.csv", t), ("p.npz", p)];
            Case::new(files, line.split_whitespace(), way)
        })
}

//! `rows.csv`: one line per cell, in the study's order. Curves over depth are left to the rows themselves.

use super::Material;
use crate::error::{Error, Result};
use crate::study::{Axis, Filled, Measurement, Quantity};

/// The rows as a table with a header.
pub fn csv(material: &Material<'_>) -> Result<String> {
    let columns = columns(material);
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).map_err(|e| failed(e.into()));
    let fixed = Axis::ALL.iter().map(|axis| axis.key()).chain(["seed", "key", "error"]).map(str::to_owned);
    write(fixed.chain(columns.iter().map(Column::name)).collect())?;
    for filled in &material.table.cells {
        write(record(material, filled, &columns))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn failed(source: std::io::Error) -> Error {
    Error::Io { action: "write", path: "rows.csv".into(), source }
}

/// A number of a quantity: its value, its error bar, or an end of its bracket.
struct Column {
    quantity: Quantity,
    part: Part,
}

#[derive(Clone, Copy)]
enum Part {
    Value,
    Numerical,
    Lower,
    Upper,
}

impl Column {
    fn name(&self) -> String {
        let suffix = match self.part {
            Part::Value => "",
            Part::Numerical => "_numerical",
            Part::Lower => "_lower",
            Part::Upper => "_upper",
        };
        format!("{}{suffix}", self.quantity.key())
    }

    fn of(&self, measurement: &Measurement) -> Option<f64> {
        match (self.part, measurement) {
            (Part::Value, measurement) => measurement.number(),
            (Part::Numerical, measurement) => measurement.measured().map(|number| number.numerical),
            (Part::Lower, Measurement::Bracket { bracket, .. }) => Some(bracket.lower),
            (Part::Upper, Measurement::Bracket { bracket, .. }) => Some(bracket.upper),
            _ => None,
        }
    }
}

fn columns(material: &Material<'_>) -> Vec<Column> {
    let mut columns = Vec::new();
    for &quantity in material.spec.quantities.iter().filter(|quantity| !quantity.is_path()) {
        columns.extend([Part::Value, Part::Numerical].map(|part| Column { quantity, part }));
        let measured = material.table.rows().filter_map(|row| row.measurement(quantity));
        if measured.into_iter().any(|m| matches!(m, Measurement::Bracket { .. })) {
            columns.extend([Part::Lower, Part::Upper].map(|part| Column { quantity, part }));
        }
    }
    columns
}

fn record(material: &Material<'_>, filled: &Filled, columns: &[Column]) -> Vec<String> {
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
    let row = filled.row.as_ref();
    let mut record: Vec<String> =
        Axis::ALL.iter().map(|axis| number(filled.cell.setting.get(*axis))).collect();
    record.push(filled.cell.seed.to_string());
    record.push(filled.cell.key(material.spec).to_string());
    record.push(match row {
        Some(row) => row.error().unwrap_or_default().to_owned(),
        None => "not computed".to_owned(),
    });
    for column in columns {
        let measurement = row.and_then(|row| row.measurement(column.quantity));
        record.push(number(measurement.and_then(|measurement| column.of(measurement))));
    }
    record
}

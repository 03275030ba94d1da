//! [`check`]: whether every number of a result is finite. JSON would turn the others into null without a word.

use std::fmt::Display;

use ebflow::{Error, Result};
use serde::Serialize;
use serde::ser::{self, Serializer};

/// Refuses a result with a number that is not finite, and says which it is.
pub fn check(result: &impl Serialize) -> Result<()> {
    match result.serialize(Probe) {
        Err(Found::NotFinite { path, value }) => {
            let names: Vec<&str> = path.iter().rev().map(String::as_str).collect();
            Err(Error::Overflow { what: format!("the result's {}", names.join(" ")), value })
        }
        // What cannot be serialised at all is noticed when it is.
        Ok(()) | Err(Found::Unspeakable) => Ok(()),
    }
}

/// A serialiser that writes nothing and stops at the first number that is not finite.
#[derive(Clone, Copy)]
struct Probe;

#[derive(Debug)]
enum Found {
    /// Names of the fields that lead to it, the innermost first, and what it is.
    NotFinite { path: Vec<String>, value: f64 },
    /// Something else.
    Unspeakable,
}

impl Found {
    fn within(self, field: &str) -> Self {
        match self {
            Self::NotFinite { mut path, value } => {
                path.push(field.into());
                Self::NotFinite { path, value }
            }
            other => other,
        }
    }
}

impl Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a number that is not finite")
    }
}

impl std::error::Error for Found {}

impl ser::Error for Found {
    fn custom<T: Display>(_: T) -> Self {
        Self::Unspeakable
    }
}

type Outcome = std::result::Result<(), Found>;

/// Values without numbers in them.
macro_rules! harmless {
    ($($method:ident($($argument:ty),*);)*) => {
        $(fn $method(self $(, _: $argument)*) -> Outcome { Ok(()) })*
    };
}

/// Values that have parts, which this serialiser looks at one by one.
macro_rules! compound {
    ($($method:ident($($argument:ty),*);)*) => {
        $(fn $method(self $(, _: $argument)*) -> std::result::Result<Self, Found> { Ok(self) })*
    };
}

/// The part of a value with parts.
macro_rules! part {
    ($($trait:ident, $method:ident;)*) => {$(
        impl ser::$trait for Probe {
            type Ok = ();
            type Error = Found;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome { value.serialize(*self) }
            fn end(self) -> Outcome { Ok(()) }
        }
    )*};
}

/// The same with names.
macro_rules! field {
    ($($trait:ident;)*) => {$(
        impl ser::$trait for Probe {
            type Ok = ();
            type Error = Found;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Outcome {
                value.serialize(*self).map_err(|found| found.within(key))
            }
            fn end(self) -> Outcome { Ok(()) }
        }
    )*};
}

part! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

field! { SerializeStruct; SerializeStructVariant; }

impl ser::SerializeMap for Probe {
    type Ok = ();
    type Error = Found;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Outcome {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        value.serialize(*self)
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Outcome {
        let name =
            |found: Found| found.within(serde_json::to_string(key).unwrap_or_default().trim_matches('"'));
        value.serialize(*self).map_err(name)
    }

    fn end(self) -> Outcome {
        Ok(())
    }
}

impl Serializer for Probe {
    type Ok = ();
    type Error = Found;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    harmless! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    compound! {
        serialize_seq(Option<usize>);
        serialize_tuple(usize);
        serialize_tuple_struct(&'static str, usize);
        serialize_tuple_variant(&'static str, u32, &'static str, usize);
        serialize_map(Option<usize>);
        serialize_struct(&'static str, usize);
        serialize_struct_variant(&'static str, u32, &'static str, usize);
    }

    fn serialize_f32(self, value: f32) -> Outcome {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Outcome {
        if value.is_finite() { Ok(()) } else { Err(Found::NotFinite { path: Vec::new(), value }) }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Outcome {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Outcome {
        value.serialize(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Inner {
        values: Vec<Option<f64>>,
    }

    #[derive(Serialize)]
    struct Outer {
        n: u64,
        #[serde(flatten)]
        inner: Inner,
        pair: (f64, f32),
    }

    #[test]
    fn numbers_that_are_not_finite_are_named() {
        let result = |value: f64, last: f32| Outer {
            n: 1,
            inner: Inner { values: vec![None, Some(value)] },
            pair: (0.0, last),
        };
        assert!(check(&result(1.0, 2.0)).is_ok());
        let error = check(&result(f64::NAN, 2.0)).unwrap_err();
        assert!(error.is_numerical() && error.to_string().contains("values is NaN"), "{error}");
        let error = check(&result(1.0, f32::NEG_INFINITY)).unwrap_err();
        assert!(error.to_string().contains("pair is -inf"), "{error}");
    }
}

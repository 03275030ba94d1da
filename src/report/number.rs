//! Numbers as people read them.

/// Superscript digits.
const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// A standard error below this share of its mean is rounding: all seeds gave the same number.
const ROUNDING: f64 = 1e-14;

/// More digits than these are known to the error bar and shown to nobody.
const MOST_DIGITS: f64 = 8.0;

/// A number to about `digits` significant digits, without trailing zeros; powers of ten where it would be long.
pub(super) fn plain(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let exponent = x.abs().log10().floor() as i32;
    if !(-4..=5).contains(&exponent) {
        return scientific(x, digits);
    }
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    let text = format!("{x:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "−")
}

/// `1.2·10⁻⁹`; a bare power where the digits are one.
fn scientific(x: f64, digits: usize) -> String {
    let text = format!("{:.*e}", digits.saturating_sub(1), x);
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let mantissa =
        if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    let power = power_of_ten(exponent.parse().unwrap_or(0));
    match mantissa {
        "1" => power,
        _ => format!("{}·{power}", mantissa.replace('-', "−")),
    }
}

/// `10⁻³`.
pub(super) fn power_of_ten(exponent: i32) -> String {
    let sign = if exponent < 0 { "⁻" } else { "" };
    let digits = exponent.unsigned_abs().to_string();
    let digits: String = digits.bytes().map(|digit| SUPERSCRIPTS[usize::from(digit - b'0')]).collect();
    format!("10{sign}{digits}")
}

/// `0.1234 ± 0.0012`: the error to two digits, the number to as many decimals.
pub(super) fn with_error(value: f64, error: Option<f64>) -> String {
    let Some(error) = error.filter(|error| *error > ROUNDING * value.abs()) else { return plain(value, 4) };
    let decimals = usize::try_from(1 - error.log10().floor() as i32).unwrap_or(0);
    if decimals > 6 || value.abs() >= 1e6 {
        let known = (value.abs() / error).log10().ceil().clamp(4.0, MOST_DIGITS) as usize;
        return format!("{} ± {}", plain(value, known), plain(error, 2));
    }
    format!("{value:.decimals$} ± {error:.decimals$}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact() {
        assert_eq!(plain(0.0, 3), "0");
        assert_eq!(plain(100.0, 3), "100");
        assert_eq!(plain(0.25, 3), "0.25");
        assert_eq!(plain(-0.5, 3), "−0.5");
        assert_eq!(plain(1e-9, 3), "10⁻⁹");
        assert_eq!(plain(1.25e-9, 3), "1.25·10⁻⁹");
        assert_eq!(plain(123_456.0, 3), "123456");
        assert_eq!(with_error(0.12345, Some(0.00123)), "0.1235 ± 0.0012");
        assert_eq!(with_error(-0.5, Some(0.02)), "−0.500 ± 0.020");
        assert_eq!(with_error(1.5, None), "1.5");
        assert_eq!(with_error(0.050_000_107, Some(1.5e-12)), "0.050000107 ± 1.5·10⁻¹²");
        assert_eq!(with_error(1.234_567_89e-7, Some(1e-10)), "1.235·10⁻⁷ ± 10⁻¹⁰");
    }
}

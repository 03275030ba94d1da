//! Contours of a table of values by marching squares, joined into paths.

/// A place in the table: column and row, fractions in between.
pub(super) type Place = (f64, f64);

/// The segments of a contour, in units of columns and rows. Squares with a missing corner have none.
pub(super) fn segments(values: &[Vec<Option<f64>>], level: f64) -> Vec<[Place; 2]> {
    let mut segments = Vec::new();
    for row in 0..values.len().saturating_sub(1) {
        for column in 0..values[row].len().saturating_sub(1) {
            let corners = [(0, 0), (1, 0), (1, 1), (0, 1)];
            let found: Option<Vec<(Place, f64)>> = corners
                .iter()
                .map(|(right, down)| {
                    let value = values[row + down][column + right]?;
                    Some((((column + right) as f64, (row + down) as f64), value - level))
                })
                .collect();
            segments.extend(found.into_iter().flat_map(|corners| square(&corners)));
        }
    }
    segments
}

/// The segments inside one square, from its corners in order around it.
fn square(corners: &[(Place, f64)]) -> Vec<[Place; 2]> {
    let mut crossings = Vec::new();
    for k in 0..4 {
        let (((ax, ay), a), ((bx, by), b)) = (corners[k], corners[(k + 1) % 4]);
        if (a > 0.0) != (b > 0.0) {
            let share = a / (a - b);
            crossings.push((ax + share * (bx - ax), ay + share * (by - ay)));
        }
    }
    crossings.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_has_a_straight_contour() {
        let plane: Vec<Vec<Option<f64>>> =
            (0..4).map(|r| (0..4).map(|c| Some(f64::from(r) + 2.0 * f64::from(c))).collect()).collect();
        let found = segments(&plane, 4.5);
        assert!(!found.is_empty());
        for (x, y) in found.into_iter().flatten() {
            assert!((y + 2.0 * x - 4.5).abs() < 1e-12);
        }
        assert!(segments(&[vec![Some(0.0), None], vec![Some(1.0), Some(1.0)]], 0.5).is_empty());
    }
}

//! Laws on the line as weighted clouds of quadrature nodes.

use crate::cloud::Cloud;
use crate::error::Result;
use crate::law::Law;
use crate::numeric::quadrature::{Node, SIXTEEN};

/// A law on the line as a cloud: its density at the nodes of panels between places where it is not smooth.
pub(super) fn cloud_of(law: &Law, breaks: &[f64], panels: usize) -> Result<Cloud> {
    let between = breaks.windows(2).flat_map(|ends| SIXTEEN.panels(ends[0], ends[1], panels));
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for Node { at, weight } in between {
        points.push(at);
        weights.push(weight * law.density(&[at])?);
    }
    Cloud::new(points, 1)?.with_weights(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clouds_of_laws_have_their_moments() {
        let law = Law::parse("{ kind = 'laplace', mean = 0.5, scale = 0.25 }").unwrap();
        let cloud = cloud_of(&law, &[-9.5, 0.5, 10.5], 20).unwrap();
        assert!((cloud.mean()[0] - 0.5).abs() < 1e-14);
        assert!((cloud.covariance()[(0, 0)] - 0.125).abs() < 1e-14);
    }
}

//! Adaptive integration over a rectangle.

/// Minimum and maximum number of subdivisions of the rectangle into quarters.
#[derive(Clone, Copy)]
pub(super) struct Depths {
    least: u32,
    most: u32,
}

/// Depths that suffice for smooth functions and for discontinuities along edges.
pub(super) const QUICK: Depths = Depths { least: 1, most: 8 };
/// Depths that find peaks of a thousandth of the area.
pub(super) const THOROUGH: Depths = Depths { least: 4, most: 9 };

/// Subdivision ends where it changes the integral by less than this. The integrals are sample counts, whose standard
/// deviation is larger than 1.
const TOLERANCE: f64 = 0.02;

/// Nodes and weights of the Gauss–Legendre rule with four nodes on [-1, 1] [Abramowitz64, Table 25.4].
const NODES: [(f64, f64); 4] = [
    (-0.861_136_311_594_053, 0.347_854_845_137_454),
    (-0.339_981_043_584_856, 0.652_145_154_862_546),
    (0.339_981_043_584_856, 0.652_145_154_862_546),
    (0.861_136_311_594_053, 0.347_854_845_137_454),
];

/// Integrates `f` over the rectangle between two corners.
pub(super) fn integrate(f: &mut impl FnMut([f64; 2]) -> f64, corners: [[f64; 2]; 2], depths: Depths) -> f64 {
    let whole = gauss_legendre(f, corners);
    refine(f, corners, whole, depths)
}

fn refine(f: &mut impl FnMut([f64; 2]) -> f64, corners: [[f64; 2]; 2], whole: f64, depths: Depths) -> f64 {
    let quarters = divide(corners).map(|quarter| (quarter, gauss_legendre(f, quarter)));
    let sum: f64 = quarters.iter().map(|&(_, part)| part).sum();
    let settled = depths.least == 0 && (sum - whole).abs() < TOLERANCE;
    if depths.most == 0 || settled {
        return sum;
    }
    let depths = Depths { least: depths.least.saturating_sub(1), most: depths.most - 1 };
    quarters.into_iter().map(|(quarter, part)| refine(f, quarter, part, depths)).sum()
}

fn divide([[x0, y0], [x1, y1]]: [[f64; 2]; 2]) -> [[[f64; 2]; 2]; 4] {
    let (x, y) = (0.5 * (x0 + x1), 0.5 * (y0 + y1));
    [[[x0, y0], [x, y]], [[x, y0], [x1, y]], [[x0, y], [x, y1]], [[x, y], [x1, y1]]]
}

fn gauss_legendre(f: &mut impl FnMut([f64; 2]) -> f64, [[x0, y0], [x1, y1]]: [[f64; 2]; 2]) -> f64 {
    let (half_x, half_y) = (0.5 * (x1 - x0), 0.5 * (y1 - y0));
    let mut sum = 0.0;
    for (node_y, weight_y) in NODES {
        for (node_x, weight_x) in NODES {
            let point = [x0 + half_x * (1.0 + node_x), y0 + half_y * (1.0 + node_y)];
            sum += weight_x * weight_y * f(point);
        }
    }
    sum * half_x * half_y
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [[f64; 2]; 2] = [[0.0, 0.0], [1.0, 1.0]];

    #[test]
    fn rule_is_exact_for_degree_seven() {
        let mut f = |[x, y]: [f64; 2]| x.powi(7) * y.powi(6);
        assert!((gauss_legendre(&mut f, [[0.0, 0.0], [2.0, 1.0]]) - 256.0 / 8.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn edges_are_found() {
        let mut quarter_disk = |[x, y]: [f64; 2]| if x * x + y * y < 1.0 { 1000.0 } else { 0.0 };
        let found = integrate(&mut quarter_disk, SQUARE, QUICK);
        assert!((found - 250.0 * std::f64::consts::PI).abs() < 0.3, "{found}");
    }

    #[test]
    fn peaks_are_found() {
        // A normal distribution with standard deviation 1/50, whose integral is 1000
        let mut peak = |[x, y]: [f64; 2]| {
            let r2 = (x - 0.37).powi(2) + (y - 0.61).powi(2);
            1000.0 * 2500.0 / std::f64::consts::TAU * (-0.5 * 2500.0 * r2).exp()
        };
        let found = integrate(&mut peak, SQUARE, THOROUGH);
        assert!((found - 1000.0).abs() < 0.1, "{found}");
    }
}

//! The feature pipeline: differences of edges and points.

use super::{Opponent, convolve, filters};

/// Returns the feature difference of each pixel, without its exponent, in [0, 1] [Andersson20, feature metric].
pub(super) fn differences(test: &Opponent, reference: &Opponent, pixels_per_degree: f32) -> Vec<f32> {
    let kernels = filters::features(pixels_per_degree);
    let [test_edges, test_points] = detect(test, &kernels);
    let [reference_edges, reference_points] = detect(reference, &kernels);
    let difference = |i: usize| {
        let edge = (test_edges[i] - reference_edges[i]).abs();
        let point = (test_points[i] - reference_points[i]).abs();
        edge.max(point) * std::f32::consts::FRAC_1_SQRT_2
    };
    (0..test_edges.len()).map(difference).collect()
}

/// Returns the strengths of edges and of points at each pixel: lengths of first and second derivatives of the
/// achromatic channel.
fn detect(picture: &Opponent, kernels: &filters::FeatureKernels) -> [Vec<f32>; 2] {
    let grey: Vec<f32> = picture.planes[0].iter().map(|y| (y + 16.0) / 116.0).collect();
    [&kernels.edge, &kernels.point].map(|kernel| {
        let across = convolve::separable(&grey, picture.width as usize, kernel, &kernels.smooth);
        let down = convolve::separable(&grey, picture.width as usize, &kernels.smooth, kernel);
        across.iter().zip(&down).map(|(dx, dy)| (dx * dx + dy * dy).sqrt()).collect()
    })
}

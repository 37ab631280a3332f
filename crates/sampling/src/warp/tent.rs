/// Samples a number in (-1, 1) with density 1 - |x|. The mapping is monotone in `u`.
#[inline(always)]
pub fn tent(u: f32) -> f32 {
    // Invert the cumulative distribution function of each half, in terms of the distance to its end
    let lower = u < 0.5;
    let to_end = if lower { u } else { 1.0 - u };
    let magnitude = 1.0 - (2.0 * to_end).sqrt();
    if lower { -magnitude } else { magnitude }
}

/// Returns the density of [`tent`], per unit length.
#[inline(always)]
pub fn tent_pdf(x: f32) -> f32 {
    (1.0 - x.abs()).max(0.0)
}

//! Microfacets with a roughness along u and another one along v.

/// Largest anisotropy that scenes have.
pub(crate) const MAX_ANISOTROPY: f32 = 0.99;

/// Smallest α: that of Mitsuba.
const ALPHA_MIN: f32 = 1e-4;

/// Returns the perceptual roughness, whose square is the geometric mean of two α, and the anisotropy, which is their
/// difference divided by their sum.
pub(crate) fn roughness_and_anisotropy(alpha_u: f32, alpha_v: f32) -> (f32, f32) {
    if alpha_u == alpha_v {
        return (alpha_u.clamp(0.0, 1.0).sqrt(), 0.0);
    }
    let (u, v) = (alpha_u.max(ALPHA_MIN), alpha_v.max(ALPHA_MIN));
    let anisotropy = ((u - v) / (u + v)).clamp(-MAX_ANISOTROPY, MAX_ANISOTROPY);
    ((u * v).sqrt().min(1.0).sqrt(), anisotropy)
}

/// Returns the texel of an image that multiplies a roughness of 1 by its green channel, and an anisotropy of
/// [`MAX_ANISOTROPY`] by twice its blue channel minus 1.
pub(crate) fn texel(alpha_u: f32, alpha_v: f32) -> [f32; 4] {
    let (roughness, anisotropy) = roughness_and_anisotropy(alpha_u, alpha_v);
    [1.0, roughness, 0.5 + 0.5 * anisotropy / MAX_ANISOTROPY, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alphas_are_recovered() {
        for (u, v) in [(0.05, 0.3), (0.3, 0.05), (0.25, 0.25), (1.0, 0.02)] {
            let (roughness, anisotropy) = roughness_and_anisotropy(u, v);
            let ratio = (1.0 + anisotropy) / (1.0 - anisotropy);
            let (found_u, found_v) =
                (roughness * roughness * ratio.sqrt(), roughness * roughness / ratio.sqrt());
            assert!((found_u - u).abs() < 1e-5 && (found_v - v).abs() < 1e-5, "{found_u} {found_v}");
        }
    }
}

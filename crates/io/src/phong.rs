//! Phong's model, in which older formats describe highlights, in terms of microfacets.

/// Returns the perceptual roughness (√α) of the microfacet distribution whose highlight is as wide as that of a Phong
/// exponent n: α² = 2 / (n + 2) [Walter07, §5.2].
pub(crate) fn roughness_of_phong(exponent: f32) -> f32 {
    let alpha = (2.0 / (exponent.max(0.0) + 2.0)).sqrt();
    alpha.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phong_exponents_become_roughness() {
        assert_eq!(roughness_of_phong(0.0), 1.0);
        // n = 198: α = √(2/200) = 0.1.
        assert!((roughness_of_phong(198.0) - 0.1f32.sqrt()).abs() < 1e-6);
    }
}

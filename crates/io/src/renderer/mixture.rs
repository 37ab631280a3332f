//! Sums of scattering models with weights: one layer for each model, all at the same place. A ray is scattered by a layer
//! with the probability of its alpha, else it reaches the next one, as pbrt chooses a material of a mixture at random
//! [PBRT4, §10.5.1].

/// Layer of a mixture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layer {
    /// Index of the model.
    pub(crate) model: usize,
    /// Probability with which a ray that reaches the layer is scattered by it.
    pub(crate) alpha: f32,
}

/// Returns the layers of a mixture, that on top first; all but the last one need an alpha. `None` if that is not
/// possible.
///
/// * `weights` — weight of each model, positive; their sum is 1. * `can_be_above` — whether the model can have an alpha.
pub(crate) fn layers(weights: &[f32], can_be_above: &[bool]) -> Option<Vec<Layer>> {
    let (above, below): (Vec<usize>, Vec<usize>) = (0..weights.len()).partition(|&model| can_be_above[model]);
    if below.len() > 1 {
        return None;
    }
    let order: Vec<usize> = above.into_iter().chain(below).collect();
    let mut left: f32 = weights.iter().sum();
    let mut layers = Vec::new();
    for (i, &model) in order.iter().enumerate() {
        let is_last = i + 1 == order.len();
        let alpha = if is_last || left <= 0.0 { 1.0 } else { (weights[model] / left).clamp(0.0, 1.0) };
        left -= weights[model];
        layers.push(Layer { model, alpha });
    }
    Some(layers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_scatters_the_share_of_its_weight() {
        let weights = [0.1, 0.2, 0.3, 0.4];
        let layers = layers(&weights, &[true, false, true, true]).unwrap();
        assert_eq!(layers.iter().map(|layer| layer.model).collect::<Vec<_>>(), [0, 2, 3, 1]);
        let mut reaching = 1.0;
        for layer in &layers {
            assert!((reaching * layer.alpha - weights[layer.model]).abs() < 1e-6, "{layer:?}");
            reaching *= 1.0 - layer.alpha;
        }
        assert_eq!(layers.last().unwrap().alpha, 1.0);
        assert_eq!(super::layers(&weights, &[false, true, false, true]), None);
    }
}

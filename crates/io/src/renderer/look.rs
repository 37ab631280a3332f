//! Look of a surface: its scattering model with what belongs to it, before it becomes the materials of a scene.

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, ColorTexture, Emission, NormalMap, Surface};

use super::image_use::ImageUse;

/// Converted scattering model.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) surface: Surface,
    /// Image of the surface's main colour, which a mask gets as its alpha.
    pub(crate) image: Option<ImageUse>,
    /// Whether colours of the mesh's vertices multiply the main colour.
    pub(crate) has_vertex_colors: bool,
    pub(crate) alpha: Alpha,
    /// Whether the alpha varies with an image.
    pub(crate) is_masked: bool,
    pub(crate) normal_map: Option<NormalMap>,
    pub(crate) bump: Option<BumpMap>,
    /// Whether there is no surface, so that rays pass.
    pub(crate) is_nothing: bool,
    /// Looks at the same place, which rays reach that pass this one, in this order.
    pub(crate) below: Vec<Look>,
}

/// Heights along the normal, in metres.
#[derive(Clone, Debug)]
pub(crate) struct BumpMap {
    pub(crate) heights: ImageUse,
    /// Factor of the heights.
    pub(crate) scale: f32,
}

impl Look {
    /// Creates a look without an image.
    pub(crate) fn new(surface: Surface) -> Self {
        Self {
            surface,
            image: None,
            has_vertex_colors: false,
            alpha: Alpha::Opaque,
            is_masked: false,
            normal_map: None,
            bump: None,
            is_nothing: false,
            below: Vec::new(),
        }
    }

    /// Returns an ideal diffuse reflection.
    pub(crate) fn diffuse(albedo: Vec3) -> Self {
        Self::new(Surface::Lambert { albedo: ColorTexture::plain(albedo) })
    }

    /// Returns a surface that does not exist.
    pub(crate) fn nothing() -> Self {
        let mut look = Self::diffuse(Vec3::ZERO);
        look.multiply_alpha(0.0);
        Self { alpha: Alpha::Blend, is_nothing: true, ..look }
    }

    /// Returns the albedo of an ideal diffuse reflection that is the same everywhere; `None` of any other look.
    pub(crate) fn plain_albedo(&self) -> Option<Vec3> {
        let is_plain = self.alpha == Alpha::Opaque
            && self.normal_map.is_none()
            && self.bump.is_none()
            && !self.has_vertex_colors
            && self.below.is_empty();
        match &self.surface {
            Surface::Lambert { albedo } if is_plain && albedo.texture.is_none() => {
                Some(albedo.factor.truncate())
            }
            _ => None,
        }
    }

    /// Multiplies the probability with which a ray is scattered. Returns whether the surface has one.
    pub(crate) fn multiply_alpha(&mut self, opacity: f32) -> bool {
        let Some(color) = self.surface.alpha_color_mut() else { return false };
        color.factor.w *= opacity;
        true
    }

    /// Returns whether rays can pass the look to another one below it.
    pub(crate) fn can_be_above(&self) -> bool {
        let has_alpha = self.surface.clone().alpha_color_mut().is_some();
        has_alpha && self.alpha == Alpha::Opaque && self.below.is_empty()
    }

    /// Puts the look above another one.
    pub(crate) fn put_above(&mut self, mut other: Self) {
        let below = std::mem::take(&mut other.below);
        self.below = std::iter::once(other).chain(below).filter(|look| !look.is_nothing).collect();
    }

    /// Changes the look and those below it.
    pub(crate) fn change_layers(&mut self, change: impl Fn(&mut Self)) {
        self.below.iter_mut().for_each(&change);
        change(self);
    }

    /// Returns the look and those below it, each with its emission, and whether all are there.
    ///
    /// A surface that emits E does so whichever of its models scatters. Rays see the first layer with the probability of
    /// its alpha α, and light sampling multiplies its radiance by α, so that both find E if it emits E / α and the
    /// others nothing. Under an alpha that varies no radiance does that: only the last layer is left then.
    pub(crate) fn into_layers(mut self, emission: Emission) -> (Vec<(Self, Emission)>, bool) {
        let mut below = std::mem::take(&mut self.below);
        if emission.radiance == Vec3::ZERO || below.is_empty() {
            let layers = std::iter::once(self).chain(below).map(|look| (look, emission));
            return (layers.collect(), true);
        }
        let alpha = self.surface.alpha_color_mut().map_or(1.0, |color| color.factor.w);
        match below.pop() {
            Some(last) if self.is_masked || alpha <= 0.0 => (vec![(last, emission)], false),
            last => {
                let radiance = (emission.radiance / alpha).min(Vec3::splat(f32::MAX));
                let dark = below.into_iter().chain(last).map(|look| (look, Emission::default()));
                (std::iter::once((self, Emission { radiance, ..emission })).chain(dark).collect(), true)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layered(alpha: f32) -> Look {
        let mut look = Look::diffuse(Vec3::ONE);
        look.multiply_alpha(alpha);
        look.alpha = Alpha::Blend;
        look.put_above(Look::new(Surface::Mirror { reflectance: Vec3::ONE }));
        look
    }

    #[test]
    fn layers_emit_as_much_as_one_surface() {
        let lamp = Emission { radiance: Vec3::new(1.0, 2.0, 3.0), texture: None };
        let (layers, is_complete) = layered(0.25).into_layers(lamp);
        let radiances: Vec<Vec3> = layers.iter().map(|(_, emission)| emission.radiance).collect();
        assert_eq!(radiances, [lamp.radiance * 4.0, Vec3::ZERO]);
        assert!(is_complete);
        let masked = Look { is_masked: true, ..layered(1.0) };
        let (layers, is_complete) = masked.into_layers(lamp);
        assert!(!is_complete && layers.len() == 1 && layers[0].1 == lamp);
        assert!(matches!(layers[0].0.surface, Surface::Mirror { .. }), "the opaque one");
        let (layers, _) = layered(0.25).into_layers(Emission::default());
        assert_eq!(layers.len(), 2);
    }
}

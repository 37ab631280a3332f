//! Third pass: the scattered light where a camera ray meets the surface.

use std::f32::consts::FRAC_1_PI;

use sunfleck_math::Vec3;
use sunfleck_transport::{SurfaceInteraction, SurfaceLight, World};

use super::TexelMedia;
use crate::atlas::{Atlas, Bilinear};

/// Light that leaves the surfaces of media after it was scattered in them.
#[derive(Clone, Debug)]
pub struct SubsurfaceLight {
    atlas: Atlas,
    media: TexelMedia,
    exitance: Vec<Vec3>,
}

impl SubsurfaceLight {
    /// Returns the light of a radiant exitance.
    ///
    /// * `media` — those of the texels of `atlas`.
    /// * `exitance` — of each texel, W/m²; texels that are missing are dark.
    pub fn new(atlas: Atlas, media: TexelMedia, mut exitance: Vec<Vec3>) -> Self {
        exitance.resize(atlas.texels().len(), Vec3::ZERO);
        Self { atlas, media, exitance }
    }

    /// Returns the radiant exitance at a hit, interpolated between texels of a triangle, W/m²; `None` where there is no
    /// medium.
    ///
    /// * `uv` — barycentric coordinates of vertices 1 and 2.
    pub fn exitance_at(&self, inst_id: u32, prim_id: u32, uv: [f32; 2]) -> Option<Vec3> {
        let point = self.atlas.point_of(inst_id, prim_id, uv)?;
        if self.media.of_texel(self.atlas.texel_at(point) as usize) == TexelMedia::NONE {
            return None;
        }
        let Bilinear { texels, weights } = self.atlas.bilinear(point);
        Some(texels.iter().zip(weights).map(|(&texel, weight)| self.exitance[texel as usize] * weight).sum())
    }
}

impl SurfaceLight for SubsurfaceLight {
    /// Light that is scattered many times leaves a medium diffusely. Fresnel's transmittance towards the viewer is not
    /// contained in it [Radiosity03, Eq. 6]. From the back, inside the medium, nothing is seen.
    fn outgoing(&self, _world: &World, surface: &SurfaceInteraction, wo_world: Vec3) -> Option<Vec3> {
        let hit = &surface.hit;
        let exitance = self.exitance_at(hit.inst_id, hit.prim_id, [hit.u, hit.v])?;
        Some(if wo_world.dot(surface.ng) > 0.0 { exitance * FRAC_1_PI } else { Vec3::ZERO })
    }
}

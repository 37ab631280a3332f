//! Light that can be looked up at hits.

use std::f32::consts::FRAC_1_PI;

use sunfleck_math::Vec3;
use sunfleck_transport::{SurfaceInteraction, SurfaceLight, World};

use crate::atlas::{Atlas, Bilinear};

/// Irradiance of all surfaces of a world.
#[derive(Clone, Debug)]
pub struct RadiosityMap {
    atlas: Atlas,
    /// Of the fronts of all texels, then of their backs, W/m².
    irradiance: Vec<Vec3>,
}

impl RadiosityMap {
    pub(super) fn new(atlas: Atlas, irradiance: Vec<Vec3>) -> Self {
        Self { atlas, irradiance }
    }

    /// Returns the atlas.
    pub fn atlas(&self) -> &Atlas {
        &self.atlas
    }

    /// Returns the irradiance of the fronts of all texels, then of their backs, W/m².
    pub fn irradiance(&self) -> &[Vec3] {
        &self.irradiance
    }

    /// Returns the irradiance at a hit, interpolated between texels; `None` if the atlas does not have its triangle.
    ///
    /// * `uv` — barycentric coordinates of vertices 1 and 2.
    /// * `towards` — any direction on the side of the surface.
    pub fn irradiance_at(&self, inst_id: u32, prim_id: u32, uv: [f32; 2], towards: Vec3) -> Option<Vec3> {
        let point = self.atlas.point_of(inst_id, prim_id, uv)?;
        let is_front =
            self.atlas.surfaces().normal_at(point.triangle, point.barycentrics).dot(towards) >= 0.0;
        let (front, back) = self.irradiance.split_at(self.atlas.texels().len());
        let side = if is_front { front } else { back };
        let Bilinear { texels, weights } = self.atlas.bilinear(point);
        Some(texels.iter().zip(weights).map(|(&texel, weight)| side[texel as usize] * weight).sum())
    }
}

impl SurfaceLight for RadiosityMap {
    /// Emission and reflectance are those of the point, only the irradiance is interpolated.
    fn outgoing(&self, world: &World, surface: &SurfaceInteraction, wo_world: Vec3) -> Option<Vec3> {
        let bsdf = world.bsdf(surface);
        if bsdf.is_delta() {
            return None;
        }
        let hit = &surface.hit;
        let irradiance = self.irradiance_at(hit.inst_id, hit.prim_id, [hit.u, hit.v], wo_world)?;
        let is_front = wo_world.dot(surface.ng) > 0.0;
        let emitted = world.emission(surface.material, &surface.attributes, is_front);
        Some(emitted + bsdf.reflectance(1.0) * irradiance * FRAC_1_PI)
    }
}

//! Values of texels that can be looked up at hits.

use std::f32::consts::FRAC_1_PI;

use sunfleck_math::Vec3;
use sunfleck_transport::{SurfaceInteraction, SurfaceLight, World};

use crate::atlas::{Atlas, Bilinear};
use crate::reflectance::diffuse_reflectance;

/// Values on both sides of all surfaces of a world.
#[derive(Clone, Debug)]
pub struct TexelValues {
    atlas: Atlas,
    /// Of the fronts of all texels, then of their backs.
    values: Vec<Vec3>,
    is_smooth: bool,
}

impl TexelValues {
    /// Returns values of an atlas.
    ///
    /// * `values` — of all elements; those that are missing are zero.
    /// * `is_smooth` — whether they are interpolated between texels.
    pub fn new(atlas: Atlas, mut values: Vec<Vec3>, is_smooth: bool) -> Self {
        values.resize(2 * atlas.texels().len(), Vec3::ZERO);
        Self { atlas, values, is_smooth }
    }

    /// Returns the value at a hit; `None` if the atlas does not have its triangle.
    ///
    /// * `uv` — barycentric coordinates of vertices 1 and 2.
    /// * `towards` — any direction on the side of the surface.
    pub fn at(&self, inst_id: u32, prim_id: u32, uv: [f32; 2], towards: Vec3) -> Option<Vec3> {
        let point = self.atlas.point_of(inst_id, prim_id, uv)?;
        let is_front =
            self.atlas.surfaces().normal_at(point.triangle, point.barycentrics).dot(towards) >= 0.0;
        let (front, back) = self.values.split_at(self.atlas.texels().len());
        let side = if is_front { front } else { back };
        if !self.is_smooth {
            return Some(side[self.atlas.texel_at(point) as usize]);
        }
        let Bilinear { texels, weights } = self.atlas.bilinear(point);
        Some(texels.iter().zip(weights).map(|(&texel, weight)| side[texel as usize] * weight).sum())
    }

    fn seen(&self, surface: &SurfaceInteraction, wo_world: Vec3) -> Option<Vec3> {
        let hit = &surface.hit;
        self.at(hit.inst_id, hit.prim_id, [hit.u, hit.v], wo_world)
    }
}

/// Values of texels are shown as radiance on every surface, as in pictures of texels and their errors.
impl SurfaceLight for TexelValues {
    fn outgoing(&self, _world: &World, surface: &SurfaceInteraction, wo_world: Vec3) -> Option<Vec3> {
        self.seen(surface, wo_world)
    }
}

/// Irradiance of all surfaces of a world, W/m².
#[derive(Clone, Debug)]
pub struct RadiosityMap {
    irradiance: TexelValues,
}

impl RadiosityMap {
    pub(crate) fn new(atlas: Atlas, irradiance: Vec<Vec3>) -> Self {
        Self { irradiance: TexelValues::new(atlas, irradiance, true) }
    }

    /// Returns the atlas.
    pub fn atlas(&self) -> &Atlas {
        &self.irradiance.atlas
    }

    /// Returns the irradiance of the fronts of all texels, then of their backs, W/m².
    pub fn irradiance(&self) -> &[Vec3] {
        &self.irradiance.values
    }

    /// Returns the irradiance at a hit, interpolated between texels: see [`TexelValues::at`].
    pub fn irradiance_at(&self, inst_id: u32, prim_id: u32, uv: [f32; 2], towards: Vec3) -> Option<Vec3> {
        self.irradiance.at(inst_id, prim_id, uv, towards)
    }
}

impl SurfaceLight for RadiosityMap {
    /// Emission and reflectance are those of the point, only the irradiance is interpolated.
    fn outgoing(&self, world: &World, surface: &SurfaceInteraction, wo_world: Vec3) -> Option<Vec3> {
        let reflectance = diffuse_reflectance(&world.bsdf(surface))?;
        let irradiance = self.irradiance.seen(surface, wo_world)?;
        let is_front = wo_world.dot(surface.ng) > 0.0;
        let emitted = world.emission(surface.material, &surface.attributes, is_front);
        Some(emitted + reflectance * irradiance * FRAC_1_PI)
    }
}

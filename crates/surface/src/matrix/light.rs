//! Light at points of surfaces, by the values of patches.

use std::collections::BTreeMap;
use std::f32::consts::FRAC_1_PI;
use std::sync::Arc;

use sunfleck_math::{Aabb, Vec2, Vec3};
use sunfleck_transport::{SurfaceInteraction, SurfaceLight, World};

use super::patches::PatchPoint;
use super::{Channels, Patches};
use crate::reflectance::diffuse_reflectance;

/// Corners closer than this fraction of the size of the scene are the same.
const WELDED: f32 = 1e-5;
/// Cosine of the angle between normals up to which light is interpolated across an edge.
const LEAST_COSINE: f32 = 0.8;

/// Interpolation of values on surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Constant on every patch.
    Flat,
    /// Between the corners of patches, at which the values of all patches of the surface there are averaged
    /// [Gouraud71, shading].
    #[default]
    Smooth,
}

/// Values of patches, to be looked up at hits.
#[derive(Clone, Debug)]
pub struct PatchValues {
    patches: Arc<Patches>,
    /// Values at the corners of each patch.
    corners: Vec<[Vec3; 4]>,
}

impl PatchValues {
    /// Returns values, one for each patch, such as radiosities.
    pub fn new(patches: Arc<Patches>, values: &Channels, interpolation: Interpolation) -> Self {
        let corners = match interpolation {
            Interpolation::Flat => values.iter().map(|value| [value; 4]).collect(),
            Interpolation::Smooth => at_corners(&patches, values),
        };
        Self { patches, corners }
    }

    /// Returns the value at a point of a surface; `None` on a side that no light reaches.
    ///
    /// * `instance`, `triangle` — `inst_id` and `prim_id` of a hit.
    /// * `uv` — barycentric coordinates of the hit.
    /// * `is_front` — side of the surface.
    pub fn at(&self, instance: u32, triangle: u32, uv: [f32; 2], is_front: bool) -> Option<Vec3> {
        let PatchPoint { patch, local } = self.patches.at(instance, triangle, uv, is_front)?;
        let [a, b, c, d] = *self.corners.get(patch as usize)?;
        let Vec2 { x, y } = local;
        Some(if self.patches.patches()[patch as usize].corners().len() == 4 {
            (a * (1.0 - x) + b * x) * (1.0 - y) + (d * (1.0 - x) + c * x) * y
        } else {
            a * (1.0 - x - y) + b * x + c * y
        })
    }

    /// Returns the value at the side of a surface that the viewer sees, or zero: see [`at`](Self::at).
    fn seen(&self, surface: &SurfaceInteraction, wo_world: Vec3) -> Vec3 {
        let hit = &surface.hit;
        self.at(hit.inst_id, hit.prim_id, [hit.u, hit.v], wo_world.dot(surface.ng) > 0.0)
            .unwrap_or(Vec3::ZERO)
    }
}

/// Values of patches are shown as radiance on every surface, as in pictures of patches and their errors.
impl SurfaceLight for PatchValues {
    fn outgoing(&self, _world: &World, surface: &SurfaceInteraction, wo_world: Vec3) -> Option<Vec3> {
        Some(self.seen(surface, wo_world))
    }
}

/// Light of a radiosity solution on the surfaces of a world.
#[derive(Clone, Debug)]
pub struct RadiosityLight {
    irradiance: PatchValues,
}

impl RadiosityLight {
    /// Returns the light of a solution.
    ///
    /// * `irradiance` — of the patches, W/m²: see [`RadiositySystem::irradiance`](super::RadiositySystem::irradiance).
    pub fn new(irradiance: PatchValues) -> Self {
        Self { irradiance }
    }
}

impl SurfaceLight for RadiosityLight {
    /// Emission and reflectance are those of the point, so that textures are as sharp as in other images. Only the
    /// irradiance is that of patches.
    fn outgoing(&self, world: &World, surface: &SurfaceInteraction, wo_world: Vec3) -> Option<Vec3> {
        let reflectance = diffuse_reflectance(&world.bsdf(surface))?;
        let is_front = wo_world.dot(surface.ng) > 0.0;
        let emitted = world.emission(surface.material, &surface.attributes, is_front);
        Some(emitted + reflectance * self.irradiance.seen(surface, wo_world) * FRAC_1_PI)
    }
}

/// Returns the values at the corners of each patch: the mean of the patches of the same instance there that face
/// almost the same way.
fn at_corners(patches: &Patches, values: &Channels) -> Vec<[Vec3; 4]> {
    let all = patches.patches();
    let bounds = Aabb::from_points(all.iter().flat_map(|patch| patch.corners().iter().copied()));
    let scale = 1.0 / (bounds.diagonal() * WELDED).max(f32::MIN_POSITIVE);
    // The odd offset keeps coordinates such as 0 and 1 from the boundaries at which rounding changes
    #[allow(clippy::cast_possible_truncation, reason = "at most 1 / WELDED")]
    let key = |instance: u32, p: Vec3| {
        (instance, ((p - bounds.min) * scale + 0.37).floor().to_array().map(|x| x as i32))
    };
    let mut at_point: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, patch) in all.iter().enumerate() {
        for corner in patch.corners() {
            at_point.entry(key(patch.instance, *corner)).or_default().push(index);
        }
    }
    let of_corner = |index: usize, corner: Vec3| {
        let patch = &all[index];
        let near = at_point.get(&key(patch.instance, corner)).map_or(&[][..], Vec::as_slice);
        let alike = near.iter().filter(|&&other| {
            let other = &all[other];
            let is_alike = other.reflectance == patch.reflectance && other.emission == patch.emission;
            other.normal.dot(patch.normal) > LEAST_COSINE && (is_alike || other.face == patch.face)
        });
        let (sum, count) =
            alike.fold((Vec3::ZERO, 0.0), |(sum, count), &other| (sum + values.get(other), count + 1.0));
        if count > 0.0 { sum / count } else { values.get(index) }
    };
    let corners =
        |(index, patch): (usize, &super::Patch)| patch.corners.map(|corner| of_corner(index, corner));
    all.iter().enumerate().map(corners).collect()
}

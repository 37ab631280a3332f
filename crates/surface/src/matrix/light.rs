//! Radiance at points of surfaces, by the radiosities of patches.

use std::collections::BTreeMap;
use std::f32::consts::FRAC_1_PI;
use std::sync::Arc;

use sunfleck_math::{Aabb, Vec2, Vec3};

use super::patches::PatchPoint;
use super::{Channels, Patches};

/// Corners closer than this fraction of the size of the scene are the same.
const WELDED: f32 = 1e-5;
/// Cosine of the angle between normals up to which light is interpolated across an edge.
const LEAST_COSINE: f32 = 0.8;

/// Interpolation of light on surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Constant on every patch.
    Flat,
    /// Between the corners of patches, at which the radiosities of all patches of the surface there are averaged
    /// [Gouraud71, shading].
    #[default]
    Smooth,
}

/// Light of a radiosity solution on the surfaces of a world.
#[derive(Clone, Debug)]
pub struct RadiosityLight {
    patches: Arc<Patches>,
    /// Radiosity at the corners of each patch.
    corners: Vec<[Vec3; 4]>,
}

impl RadiosityLight {
    /// Returns the light of radiosities, one for each patch.
    pub fn new(patches: Arc<Patches>, radiosity: &Channels, interpolation: Interpolation) -> Self {
        let corners = match interpolation {
            Interpolation::Flat => radiosity.iter().map(|value| [value; 4]).collect(),
            Interpolation::Smooth => at_corners(&patches, radiosity),
        };
        Self { patches, corners }
    }

    /// Returns the radiance, W/(m² sr), that a point of a surface emits and reflects in every direction; `None` where
    /// no light can be.
    ///
    /// * `instance`, `triangle` — `inst_id` and `prim_id` of a hit.
    /// * `uv` — barycentric coordinates of the hit.
    /// * `is_front` — side of the surface.
    pub fn radiance_at(&self, instance: u32, triangle: u32, uv: [f32; 2], is_front: bool) -> Option<Vec3> {
        let PatchPoint { patch, local } = self.patches.at(instance, triangle, uv, is_front)?;
        let [a, b, c, d] = *self.corners.get(patch as usize)?;
        let Vec2 { x, y } = local;
        let radiosity = if self.patches.patches()[patch as usize].corners().len() == 4 {
            (a * (1.0 - x) + b * x) * (1.0 - y) + (d * (1.0 - x) + c * x) * y
        } else {
            a * (1.0 - x - y) + b * x + c * y
        };
        Some(radiosity * FRAC_1_PI)
    }
}

/// Returns the radiosity at the corners of each patch: the mean of the patches of the same instance there that face
/// almost the same way.
fn at_corners(patches: &Patches, radiosity: &Channels) -> Vec<[Vec3; 4]> {
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
            alike.fold((Vec3::ZERO, 0.0), |(sum, count), &other| (sum + radiosity.get(other), count + 1.0));
        if count > 0.0 { sum / count } else { radiosity.get(index) }
    };
    let corners =
        |(index, patch): (usize, &super::Patch)| patch.corners.map(|corner| of_corner(index, corner));
    all.iter().enumerate().map(corners).collect()
}

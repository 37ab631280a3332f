//! Emissive triangles as area lights.

use sunfleck_math::float::gamma;
use sunfleck_math::{Aabb, Vec2, Vec3, Vec4};
use sunfleck_sampling::warp::{self, SphericalTriangle};

use super::LightSample;
use super::emission::EmitterKind;
use super::emission_means::EmissionMeans;
use super::packed;
use crate::{MaterialTable, SurfaceAttributes};

/// A triangle with an emissive material, in world space.
#[derive(Clone, Debug)]
pub struct EmissiveTriangle {
    /// Index of the instance, as in hits.
    pub inst_id: u32,
    /// Index of the triangle in the mesh, as in hits.
    pub prim_id: u32,
    /// Dense index of its material.
    pub material: u32,
    /// Corners in world space.
    pub corners: [Vec3; 3],
    /// First texture coordinates of the corners.
    pub uv0: [Vec2; 3],
    /// Second texture coordinates of the corners.
    pub uv1: [Vec2; 3],
    /// Colours of the corners.
    pub colors: [Vec4; 3],
    /// Whether the instance mirrors the mesh, so that in world space the corners run clockwise seen from the front.
    pub flipped: bool,
}

/// An [`EmissiveTriangle`] with its normal and flags.
#[derive(Clone, Debug)]
pub(super) struct TriangleLight {
    triangle: EmissiveTriangle,
    /// Normal of the front face; its length is twice the area.
    ng: Vec3,
    double_sided: bool,
    /// Distance to the plane, times the length of `ng`, within which rounding decides on which side a point is.
    margin: f32,
}

impl TriangleLight {
    /// Returns `None` for a triangle without area.
    pub(super) fn new(triangle: EmissiveTriangle, materials: &MaterialTable) -> Option<Self> {
        let [a, b, c] = triangle.corners;
        let counter_clockwise = (b - a).cross(c - a);
        let ng = if triangle.flipped { -counter_clockwise } else { counter_clockwise };
        let double_sided = materials.is_double_sided(triangle.material);
        let margin = position_error([a, b, c]) * ng.abs().element_sum();
        (ng != Vec3::ZERO && ng.is_finite()).then_some(Self { triangle, ng, double_sided, margin })
    }

    /// Returns the key by which a triangle is found from a hit. Keys are ordered by instance, then by triangle.
    #[inline(always)]
    pub(super) fn key_of(inst_id: u32, prim_id: u32) -> u64 {
        u64::from(inst_id) << 32 | u64::from(prim_id)
    }

    /// Returns the key of this triangle, see [`TriangleLight::key_of`].
    pub(super) fn key(&self) -> u64 {
        Self::key_of(self.triangle.inst_id, self.triangle.prim_id)
    }

    /// Returns the instance and the triangle, as in hits.
    pub(super) fn ids(&self) -> (u32, u32) {
        (self.triangle.inst_id, self.triangle.prim_id)
    }

    /// Returns the triangle with another material.
    pub(super) fn with_material(&self, material: u32) -> Self {
        Self { triangle: EmissiveTriangle { material, ..self.triangle.clone() }, ..self.clone() }
    }

    /// Returns the record of the triangle on the GPU.
    ///
    /// * `path_bits` — path from the root of the light tree to the triangle.
    pub(super) fn packed(&self, materials: &MaterialTable, path_bits: u32) -> packed::AreaLight {
        let EmissiveTriangle { inst_id, prim_id, material, corners: [a, b, c], .. } = self.triangle;
        let (radiance, _) = materials.emission_factors(material);
        packed::AreaLight {
            a: a.to_array(),
            inst_id,
            b: b.to_array(),
            prim_id,
            c: c.to_array(),
            material,
            ng: self.ng.to_array(),
            flags: packed::AreaLight::flags(materials, material),
            radiance: radiance.to_array(),
            path_bits,
        }
    }

    /// Returns the bounding box.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::from_points(self.triangle.corners)
    }

    /// Returns the unit normal of the emitting side; `None` if both sides emit.
    pub(super) fn front(&self) -> Option<Vec3> {
        if self.double_sided { None } else { self.ng.try_normalize() }
    }

    /// Returns an estimate of the power, weighted by luminance, W; positive if any point of the triangle emits. Alpha
    /// is not taken into account.
    pub(super) fn power(&self, emission: &EmissionMeans) -> f32 {
        let sides = if self.double_sided { 2.0 } else { 1.0 };
        let area = 0.5 * self.ng.length();
        emission.luminance(&self.triangle) * (area * sides * std::f32::consts::PI)
    }

    /// Samples a direction from `from` to the triangle, uniformly in solid angle [Arvo95]; `None` if `from`
    /// lies in the plane of the triangle, or behind a triangle that is not double-sided.
    #[inline(always)]
    pub(super) fn sample(&self, materials: &MaterialTable, from: Vec3, u: Vec2) -> Option<LightSample> {
        let sample = self.seen_from(from)?.sample(u);
        if !(sample.distance > 0.0 && sample.distance.is_finite()) {
            return None;
        }
        Some(LightSample {
            wi: sample.direction,
            distance: sample.distance,
            radiance: self.radiance(materials, sample.barycentrics),
            pdf_solid_angle: sample.pdf_solid_angle,
            light: 0,
            delta: false,
        })
    }

    /// Returns the radiance at a point of the triangle.
    #[inline(always)]
    pub(super) fn radiance(&self, materials: &MaterialTable, barycentrics: Vec2) -> Vec3 {
        materials.light_radiance(self.triangle.material, || self.attributes(barycentrics))
    }

    /// Returns the corners if the point `from` sees an emitting side, else a triangle without area.
    #[inline(always)]
    pub(super) fn corners_seen_from(&self, from: Vec3) -> [Vec3; 3] {
        let [a, b, c] = self.triangle.corners;
        if self.is_seen_from(from) { [a, b, c] } else { [a; 3] }
    }

    /// Samples a point uniformly over the area, and returns it with the emission of the whole triangle as if it were
    /// concentrated there, multiplied by `scale`.
    pub(super) fn sample_emission(
        &self,
        materials: &MaterialTable,
        u: Vec2,
        scale: f32,
    ) -> Option<(Vec3, EmitterKind)> {
        let barycentrics = warp::uniform_triangle(u);
        let radiance = self.radiance(materials, barycentrics);
        let twice_area = self.ng.length();
        let intensity = radiance * (0.5 * twice_area * scale);
        let [a, b, c] = self.triangle.corners;
        let position = a + (b - a) * barycentrics.x + (c - a) * barycentrics.y;
        let kind = EmitterKind::Area { ng: self.ng / twice_area, double_sided: self.double_sided, intensity };
        (intensity != Vec3::ZERO && intensity.is_finite()).then_some((position, kind))
    }

    /// Returns [`VirtualEmitter::position_error`]: the bound of the triangle intersection test, doubled for the
    /// transforms from world to object space and back. The rounding errors of the test mix the axes, so that
    /// the bound follows from the largest coordinate of the corners.
    ///
    /// [`VirtualEmitter::position_error`]: super::VirtualEmitter::position_error
    pub(super) fn position_error(&self) -> f32 {
        position_error(self.triangle.corners)
    }

    /// Returns the density of [`TriangleLight::sample`] at `point` of the triangle, per solid angle seen from `from`.
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, from: Vec3, point: Vec3) -> f32 {
        let direction = (point - from).normalize_or(Vec3::ZERO);
        let pdf = match self.seen_from(from) {
            Some(seen) => seen.pdf_solid_angle(direction),
            None => 0.0,
        };
        if pdf.is_finite() { pdf } else { 0.0 }
    }

    #[inline(always)]
    fn seen_from(&self, from: Vec3) -> Option<SphericalTriangle> {
        if self.is_seen_from(from) { SphericalTriangle::new(from, self.triangle.corners) } else { None }
    }

    /// Returns whether the point `from` sees an emitting side. Points of the back, which rounding may move in front of
    /// the triangle, do not.
    #[inline(always)]
    fn is_seen_from(&self, from: Vec3) -> bool {
        self.double_sided || (from - self.triangle.corners[0]).dot(self.ng) > self.margin
    }

    #[inline(always)]
    fn attributes(&self, barycentrics: Vec2) -> SurfaceAttributes {
        let Vec2 { x: u, y: v } = barycentrics;
        let b = [1.0 - u - v, u, v];
        let EmissiveTriangle { uv0, uv1, colors, .. } = &self.triangle;
        SurfaceAttributes {
            uv0: uv0[0] * b[0] + uv0[1] * b[1] + uv0[2] * b[2],
            uv1: uv1[0] * b[0] + uv1[1] * b[1] + uv1[2] * b[2],
            color: colors[0] * b[0] + colors[1] * b[1] + colors[2] * b[2],
            ..SurfaceAttributes::default()
        }
    }
}

/// Returns a bound of the rounding error of points of a triangle, on all axes: see [`TriangleLight::position_error`].
fn position_error([a, b, c]: [Vec3; 3]) -> f32 {
    a.abs().max(b.abs()).max(c.abs()).max_element() * gamma(32)
}

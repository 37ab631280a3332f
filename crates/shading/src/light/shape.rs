//! Emissive shapes as area lights.

use std::f32::consts::{PI, TAU};

use sunfleck_math::float::gamma;
use sunfleck_math::{Aabb, Affine3, Frame, Shape, UnitShape, Vec2, Vec3, vec2};
use sunfleck_sampling::warp::{self, UnitShapeSample};

use super::LightSample;
use super::emission::EmitterKind;
use super::emission_means::EmissionMeans;
use super::packed;
use super::triangle::TriangleLight;
use crate::{MaterialTable, SurfaceAttributes};

/// A shape with an emissive material, in world space.
#[derive(Clone, Debug)]
pub struct EmissiveShape {
    /// Index of the instance, as in hits.
    pub inst_id: u32,
    /// Index of the shape in the mesh, as in hits.
    pub prim_id: u32,
    /// Dense index of its material.
    pub material: u32,
    /// The shape in world space.
    pub shape: Shape,
    /// Transform of the instance, for patterns of the material in object space.
    pub object_from_world: Affine3,
}

/// An [`EmissiveShape`] with what sampling needs.
#[derive(Clone, Debug)]
pub(super) struct ShapeLight {
    shape: EmissiveShape,
    unit_from_world: Affine3,
    /// Absolute determinant of the transform from unit space to the world.
    volume: f32,
    /// Radius of a round sphere, which is sampled by the cone in which it is seen.
    radius: Option<f32>,
    double_sided: bool,
}

/// Point sampled over the area of the shape, as [`warp::unit_shape`] does in unit space.
struct AreaSample {
    position: Vec3,
    normal: Vec3,
    location: Vec2,
    /// Density per area in the world.
    pdf: f32,
}

impl ShapeLight {
    pub(super) fn new(shape: EmissiveShape, materials: &MaterialTable) -> Self {
        let m = &shape.shape.object_from_unit;
        let radius = m.matrix3.x_axis.length();
        let scaled = m.matrix3.transpose() * m.matrix3 * (1.0 / (radius * radius));
        let is_round =
            shape.shape.unit == UnitShape::Sphere && scaled.abs_diff_eq(sunfleck_math::Mat3::IDENTITY, 1e-5);
        Self {
            unit_from_world: m.inverse(),
            volume: m.matrix3.determinant().abs(),
            radius: is_round.then_some(radius),
            double_sided: materials.is_double_sided(shape.material),
            shape,
        }
    }

    /// Returns the key by which a shape is found from a hit, as for triangles.
    pub(super) fn key(&self) -> u64 {
        TriangleLight::key_of(self.shape.inst_id, self.shape.prim_id)
    }

    /// Returns the record of the shape on the GPU.
    ///
    /// * `path_bits` — path from the root of the light tree to the shape.
    pub(super) fn packed(&self, materials: &MaterialTable, path_bits: u32) -> packed::AreaLight {
        let EmissiveShape { inst_id, prim_id, material, ref shape, .. } = self.shape;
        let [a, b, c, origin] = shape.object_from_unit.to_cols_array_2d();
        packed::AreaLight {
            a,
            inst_id,
            b,
            prim_id,
            c,
            material,
            ng: origin,
            flags: packed::AreaLight::flags(materials, material) | packed::AreaLight::SHAPE,
            radiance: materials.emission_factors(material).0.to_array(),
            path_bits,
        }
    }

    /// Returns the bounding box.
    pub(super) fn bounds(&self) -> Aabb {
        self.shape.shape.bounds()
    }

    /// Returns the normal of the emitting side of a flat shape; `None` if there are several, or if both sides emit.
    pub(super) fn front(&self) -> Option<Vec3> {
        let is_flat = matches!(self.shape.shape.unit, UnitShape::Disk { .. } | UnitShape::Rectangle);
        (is_flat && !self.double_sided).then(|| self.shape.shape.normal_at(vec2(0.5, 0.0)))
    }

    /// Returns an estimate of the power, weighted by luminance, W, positive if any point of the shape emits. Alpha is not
    /// taken into account.
    pub(super) fn power(&self, means: &EmissionMeans) -> f32 {
        let material = self.shape.material;
        let steps: u16 = if means.is_constant(material) { 8 } else { 16 };
        let cells = (0..steps).flat_map(|i| (0..steps).map(move |j| [i, j]));
        let sum: f32 = cells
            .map(|cell| {
                let at =
                    |offset: Vec2| (vec2(f32::from(cell[0]), f32::from(cell[1])) + offset) / f32::from(steps);
                let point = self.area_sample(at(Vec2::splat(0.5)));
                let uv = self.shape.shape.point_at(point.location).uv[0];
                let corners = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE].map(|corner| self.uv_at(at(corner)));
                let reach = corners.into_iter().map(|corner| {
                    let way = (corner - uv).abs();
                    // Across the seam, u jumps by one
                    vec2(way.x.min(1.0 - way.x.min(1.0)), way.y)
                });
                means.luminance_around(material, uv, reach.fold(Vec2::ZERO, Vec2::max)) / point.pdf
            })
            .sum();
        let sides = if self.double_sided { 2.0 } else { 1.0 };
        sum / f32::from(steps * steps) * (sides * PI)
    }

    /// Returns the texture coordinates of the point to which `u` in [0, 1]² is mapped.
    fn uv_at(&self, u: Vec2) -> Vec2 {
        let shape = &self.shape.shape;
        shape.point_at(warp::unit_shape(&shape.unit, u).location).uv[0]
    }

    /// Samples a direction from `from` to the shape: uniformly in the cone of a round sphere, else uniformly over the
    /// area in unit space. `None` if the sampled point shows `from` a side that does not emit.
    #[inline]
    pub(super) fn sample(&self, materials: &MaterialTable, from: Vec3, u: Vec2) -> Option<LightSample> {
        if let Some((center, radius, one_minus_cos)) = self.cone_seen_from(from) {
            let axis = (center - from).normalize_or(Vec3::Z);
            let local = warp::uniform_cone(u, one_minus_cos);
            let wi = Frame::from_normal(axis).world_from_local(local);
            // The nearer intersection of the direction with the sphere [PBRT4, §6.2.4]
            let to_center = center - from;
            let along = to_center.dot(wi);
            let beside = (to_center - wi * along).length_squared();
            let distance = along - (radius * radius - beside).max(0.0).sqrt();
            let pdf_solid_angle = warp::uniform_cone_pdf(local, one_minus_cos);
            if !(distance > 0.0 && pdf_solid_angle.is_finite()) {
                return None;
            }
            let location = self.location_of(from + wi * distance);
            let radiance = self.radiance(materials, location);
            return Some(LightSample { wi, distance, radiance, pdf_solid_angle, light: 0, delta: false });
        }
        let point = self.area_sample(u);
        let way = point.position - from;
        let distance = way.length();
        let wi = way / distance;
        let cos = -wi.dot(point.normal);
        let is_seen = if self.double_sided { cos != 0.0 } else { cos > 0.0 };
        if !(is_seen && distance > 0.0 && distance.is_finite()) {
            return None;
        }
        let pdf_solid_angle = point.pdf * distance * distance / cos.abs();
        let radiance = self.radiance(materials, point.location);
        Some(LightSample { wi, distance, radiance, pdf_solid_angle, light: 0, delta: false })
    }

    /// Returns the density of [`ShapeLight::sample`] at `point` of the shape, per solid angle seen from `from`.
    ///
    /// * `location` — location of the point; see [`UnitShape::location_of`].
    #[inline]
    pub(super) fn pdf_solid_angle(&self, from: Vec3, point: Vec3, location: Vec2) -> f32 {
        let way = point - from;
        let pdf = match self.cone_seen_from(from) {
            Some((center, radius, one_minus_cos)) => {
                // Only the side that is seen is sampled: those points are above the plane of the rim.
                let height = (point - center).dot(from - center);
                let is_seen = height >= radius * radius * 0.999;
                if is_seen { 1.0 / (TAU * one_minus_cos) } else { 0.0 }
            }
            None => {
                let normal = match &self.shape.shape.unit {
                    UnitShape::Patch(patch) => patch.at(location).normal,
                    unit => {
                        let on_unit = self.unit_from_world.transform_point3(point).as_dvec3();
                        unit.normal_of(on_unit).as_vec3()
                    }
                };
                let (pdf, normal) = self.area_pdf(normal, location);
                let cos = normal.dot(way) / way.length();
                pdf * way.length_squared() / cos.abs()
            }
        };
        if pdf.is_finite() { pdf } else { 0.0 }
    }

    /// Samples a point over the area, and returns it with the emission of the whole shape as if it were concentrated
    /// there, multiplied by `scale`.
    pub(super) fn sample_emission(
        &self,
        materials: &MaterialTable,
        u: Vec2,
        scale: f32,
    ) -> Option<(Vec3, EmitterKind)> {
        let point = self.area_sample(u);
        let intensity = self.radiance(materials, point.location) * (scale / point.pdf);
        let kind = EmitterKind::Area { ng: point.normal, double_sided: self.double_sided, intensity };
        (intensity != Vec3::ZERO && intensity.is_finite()).then_some((point.position, kind))
    }

    /// Returns [`VirtualEmitter::position_error`](super::VirtualEmitter::position_error): a bound of the rounding
    /// errors of locations and transforms.
    pub(super) fn position_error(&self) -> f32 {
        let bounds = self.bounds();
        bounds.min.abs().max(bounds.max.abs()).max_element() * gamma(32)
    }

    /// Returns the centre, the radius, and 1 − cos of the half angle of the cone in which a round sphere is seen from
    /// outside; `None` for other shapes and from inside.
    #[inline]
    fn cone_seen_from(&self, from: Vec3) -> Option<(Vec3, f32, f32)> {
        let radius = self.radius?;
        let center = self.shape.shape.object_from_unit.translation;
        let squared = center.distance_squared(from);
        let sin_squared = radius * radius / squared;
        let shows_front = self.double_sided || !self.shape.shape.flipped;
        // Without cancellation for small angles
        let one_minus_cos = sin_squared / (1.0 + (1.0 - sin_squared).max(0.0).sqrt());
        (sin_squared < 0.9999 && one_minus_cos > 0.0 && shows_front).then_some((
            center,
            radius,
            one_minus_cos,
        ))
    }

    #[inline]
    fn location_of(&self, position: Vec3) -> Vec2 {
        self.shape.shape.unit.location_of(self.unit_from_world.transform_point3(position).as_dvec3())
    }

    #[inline]
    fn area_sample(&self, u: Vec2) -> AreaSample {
        let Shape { unit, object_from_unit, .. } = &self.shape.shape;
        let UnitShapeSample { position, location } = warp::unit_shape(unit, u);
        let normal = match unit {
            UnitShape::Patch(patch) => patch.at(location).normal,
            unit => unit.normal_of(position.as_dvec3()).as_vec3(),
        };
        let (pdf, normal) = self.area_pdf(normal, location);
        AreaSample { position: object_from_unit.transform_point3(position), normal, location, pdf }
    }

    /// Returns the density per area in the world at a point with a normal in unit space, and its unit normal in the
    /// world.
    #[inline]
    fn area_pdf(&self, normal: Vec3, location: Vec2) -> (f32, Vec3) {
        let unit_normal = normal.normalize_or(Vec3::Z);
        let transformed = self.unit_from_world.matrix3.transpose() * unit_normal;
        // Areas are stretched by |det M| |M⁻ᵀ n|.
        let stretch = self.volume * transformed.length();
        let side = if self.shape.shape.flipped { -1.0 } else { 1.0 };
        let pdf = warp::unit_shape_pdf(&self.shape.shape.unit, location) / stretch;
        (pdf, transformed.normalize_or(Vec3::Z) * side)
    }

    /// Returns the radiance at a point.
    #[inline]
    fn radiance(&self, materials: &MaterialTable, location: Vec2) -> Vec3 {
        materials.light_radiance(self.shape.material, || self.attributes(location))
    }

    fn attributes(&self, location: Vec2) -> SurfaceAttributes {
        let point = self.shape.shape.point_at(location);
        let position = self.shape.object_from_world.transform_point3(point.corners[0]);
        SurfaceAttributes { uv0: point.uv[0], position, ..SurfaceAttributes::default() }
    }
}

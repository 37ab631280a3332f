//! Triangles that radiate.

use sunfleck_math::{Vec2, Vec3, Vec4};

use super::sample::{DirectionToLight, LightSample};
use crate::{MaterialTable, SurfaceAttributes};

/// A triangle of an emissive material, in the world.
#[derive(Clone, Debug)]
pub struct EmissiveTriangle {
    /// Instance, as hits name it.
    pub inst_id: u32,
    /// Triangle of the mesh, as hits name it.
    pub prim_id: u32,
    /// Dense index of its material.
    pub material: u32,
    /// Corners in the world.
    pub corners: [Vec3; 3],
    /// First texture coordinates of the corners.
    pub uv0: [Vec2; 3],
    /// Second texture coordinates of the corners.
    pub uv1: [Vec2; 3],
    /// Colours of the corners.
    pub colors: [Vec4; 3],
    /// Whether the instance mirrors the mesh, so that in the world the corners go clockwise seen from the front.
    pub flipped: bool,
}

/// The same with what follows from it.
#[derive(Clone, Debug)]
pub(super) struct TriangleLight {
    triangle: EmissiveTriangle,
    /// Unit, on the front.
    normal: Vec3,
    area: f32,
    double_sided: bool,
}

impl TriangleLight {
    /// `None` for a triangle without area.
    pub(super) fn new(triangle: EmissiveTriangle, materials: &MaterialTable) -> Option<Self> {
        let [a, b, c] = triangle.corners;
        let cross = (b - a).cross(c - a);
        let area = 0.5 * cross.length();
        let front = cross.try_normalize()?;
        let double_sided = materials.is_double_sided(triangle.material);
        let normal = if triangle.flipped { -front } else { front };
        (area > 0.0 && area.is_finite()).then_some(Self { triangle, normal, area, double_sided })
    }

    /// By which hits find it.
    pub(super) fn key(&self) -> (u32, u32) {
        (self.triangle.inst_id, self.triangle.prim_id)
    }

    /// Flux, W for each colour.
    pub(super) fn power(&self, materials: &MaterialTable) -> Vec3 {
        let sides = if self.double_sided { 2.0 } else { 1.0 };
        materials.mean_emission(self.triangle.material) * (self.area * sides * std::f32::consts::PI)
    }

    /// A point as seen from `from`; `None` from behind, unless the triangle is double-sided, and from its plane.
    #[inline(always)]
    pub(super) fn sample(&self, materials: &MaterialTable, from: Vec3, u: Vec2) -> Option<LightSample> {
        let [a, b, c] = self.triangle.corners;
        let root = u.x.sqrt();
        let barycentrics = [1.0 - root, root * (1.0 - u.y), root * u.y];
        let point = a * barycentrics[0] + b * barycentrics[1] + c * barycentrics[2];
        let to_light = DirectionToLight::between(from, point)?;
        let pdf_solid_angle = self.pdf_of_area(&to_light)?;
        let radiance = materials.emission(self.triangle.material, &self.attributes(barycentrics));
        let DirectionToLight { wi, distance } = to_light;
        Some(LightSample { wi, distance, radiance, pdf_solid_angle, delta: false })
    }

    /// Density of [`TriangleLight::sample`] at `point` of the triangle, per solid angle seen from `from`.
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, from: Vec3, point: Vec3) -> f32 {
        DirectionToLight::between(from, point).and_then(|to_light| self.pdf_of_area(&to_light)).unwrap_or(0.0)
    }

    #[inline(always)]
    fn pdf_of_area(&self, to_light: &DirectionToLight) -> Option<f32> {
        let cos = -to_light.wi.dot(self.normal);
        let cos = if self.double_sided { cos.abs() } else { cos };
        let pdf = to_light.distance * to_light.distance / (cos * self.area);
        (cos > 0.0 && pdf > 0.0 && pdf.is_finite()).then_some(pdf)
    }

    #[inline(always)]
    fn attributes(&self, b: [f32; 3]) -> SurfaceAttributes {
        let EmissiveTriangle { uv0, uv1, colors, .. } = &self.triangle;
        SurfaceAttributes {
            uv0: uv0[0] * b[0] + uv0[1] * b[1] + uv0[2] * b[2],
            uv1: uv1[0] * b[0] + uv1[1] * b[1] + uv1[2] * b[2],
            color: colors[0] * b[0] + colors[1] * b[1] + colors[2] * b[2],
        }
    }
}

//! The surfaces of a world as triangles in world space.

use std::sync::Arc;

use sunfleck_kernel::{Hit, InstPath};
use sunfleck_math::{Affine3, Vec2, Vec3, vec2};
use sunfleck_scene::Mesh;
use sunfleck_transport::{SurfaceInteraction, World};

use super::AtlasError;

/// Triangle of an instance in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceTriangle {
    /// Index of the instance, as in hits.
    pub inst_id: u32,
    /// Index of the triangle in its mesh, as in hits.
    pub prim_id: u32,
    /// Corners, counter-clockwise seen from the front.
    pub corners: [Vec3; 3],
}

impl SurfaceTriangle {
    /// Returns `e1 × e2`, whose length is twice the area. Under a mirroring transform it points to the back.
    fn cross(&self) -> Vec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a)
    }

    /// Returns the area, m².
    pub fn area(&self) -> f32 {
        let area = 0.5 * self.cross().length();
        if area.is_finite() { area } else { 0.0 }
    }

    /// Returns the centroid.
    pub fn centroid(&self) -> Vec3 {
        let [a, b, c] = self.corners;
        (a + b + c) / 3.0
    }

    /// Returns the point at barycentric coordinates of vertices 1 and 2.
    pub fn point(&self, b: Vec2) -> Vec3 {
        let [p, q, r] = self.corners;
        p * (1.0 - b.x - b.y) + q * b.x + r * b.y
    }
}

/// All triangles of a world, and where to find those of an instance.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    triangles: Vec<SurfaceTriangle>,
    /// Index of the first triangle of each instance, and the number of triangles.
    first: Vec<u32>,
    /// Sign of the determinant of each instance's transform.
    mirrored: Vec<bool>,
}

impl Surfaces {
    /// Returns the triangles of all instances.
    ///
    /// Errors: [`AtlasError::TooManyTriangles`]; [`AtlasError::Shapes`] for worlds with shapes.
    pub fn of(world: &World) -> Result<Self, AtlasError> {
        let meshes: Vec<&Arc<Mesh>> = world.meshes().map(|(_, mesh)| mesh).collect();
        let mut surfaces = Self { first: vec![0], ..Self::default() };
        for (instance, inst_id) in world.tlas().instances().iter().zip(0..) {
            let Some(mesh) = meshes.get(instance.blas as usize) else { continue };
            surfaces.add(inst_id, mesh, &instance.world_from_object)?;
        }
        Ok(surfaces)
    }

    fn add(&mut self, inst_id: u32, mesh: &Mesh, world_from_object: &Affine3) -> Result<(), AtlasError> {
        if !mesh.shapes().is_empty() {
            return Err(AtlasError::Shapes);
        }
        self.triangles.extend((0u32..).zip(mesh.triangles()).map(|(prim_id, triangle)| {
            let corner = |v: u32| world_from_object.transform_point3(mesh.positions()[v as usize]);
            SurfaceTriangle { inst_id, prim_id, corners: triangle.map(corner) }
        }));
        let count = u32::try_from(self.triangles.len()).ok().filter(|&count| count < u32::MAX / 2);
        self.first.push(count.ok_or(AtlasError::TooManyTriangles)?);
        self.mirrored.push(world_from_object.matrix3.determinant() < 0.0);
        Ok(())
    }

    /// Returns the triangles, in the order of instances.
    pub fn triangles(&self) -> &[SurfaceTriangle] {
        &self.triangles
    }

    /// Returns the index of a hit's triangle; `None` if there is none.
    #[inline(always)]
    pub fn index_of(&self, inst_id: u32, prim_id: u32) -> Option<u32> {
        let inst = inst_id as usize;
        let (first, end) = (*self.first.get(inst)?, *self.first.get(inst + 1)?);
        let index = first.checked_add(prim_id)?;
        (index < end).then_some(index)
    }

    /// Returns the unit normal of the front of a triangle; zero if it is degenerate.
    pub fn normal(&self, triangle: u32) -> Vec3 {
        let Some(found) = self.triangles.get(triangle as usize) else { return Vec3::ZERO };
        let normal = found.cross().normalize_or(Vec3::ZERO);
        if self.mirrored[found.inst_id as usize] { -normal } else { normal }
    }

    /// Returns the surface interaction at a point of a triangle, as seen from the front or from the back; `None` if the
    /// triangle is degenerate or does not exist.
    ///
    /// * `b` — barycentric coordinates of vertices 1 and 2.
    /// * `width` — see [`World::surface_interaction`].
    pub fn interaction(
        &self,
        world: &World,
        triangle: u32,
        b: Vec2,
        is_front: bool,
        width: f32,
    ) -> Option<SurfaceInteraction> {
        let SurfaceTriangle { inst_id, prim_id, .. } = *self.triangles.get(triangle as usize)?;
        let ng = self.normal(triangle);
        if ng == Vec3::ZERO {
            return None;
        }
        let inst_path = InstPath::EMPTY;
        let hit = Hit { t: 0.0, u: b.x, v: b.y, ng, prim_id, geom_id: 0, inst_id, inst_path };
        Some(world.surface_interaction(&hit, if is_front { ng } else { -ng }, width))
    }

    /// Returns the barycentric coordinates of a hit on its triangle.
    #[inline(always)]
    pub fn barycentrics(&self, [u, v]: [f32; 2]) -> Vec2 {
        vec2(u, v)
    }
}

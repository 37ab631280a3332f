//! The surfaces of a world as triangles in world space.

use std::ops::Range;
use std::sync::Arc;

use sunfleck_kernel::{Hit, InstPath};
use sunfleck_math::{Affine3, Mat3, Vec2, Vec3};
use sunfleck_scene::Mesh;
use sunfleck_transport::{SurfaceInteraction, World};

use super::AtlasError;
use super::shapes::TessellatedShapes;

/// Triangle of an instance in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceTriangle {
    /// Index of the instance, as in hits.
    pub inst_id: u32,
    /// Index of the triangle in its mesh, as in hits; of a triangle that stands for a part of a shape, that of the shape.
    pub prim_id: u32,
    /// Corners, counter-clockwise seen from the front, unless the instance is mirrored.
    pub corners: [Vec3; 3],
}

impl SurfaceTriangle {
    /// Returns `e1 × e2`, whose length is twice the area.
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

/// An instance in the list of triangles.
#[derive(Clone, Debug, Default)]
pub struct PlacedTriangles {
    first: u32,
    end: u32,
    is_mirrored: bool,
    /// Inverse transpose of the transform.
    world_from_normal: Mat3,
    shapes: Option<Arc<TessellatedShapes>>,
}

impl PlacedTriangles {
    /// Returns the indices of the triangles.
    pub fn triangles(&self) -> Range<u32> {
        self.first..self.end
    }

    /// Returns the triangles in object space, if they stand for shapes. Instances of one mesh share them.
    pub fn shapes(&self) -> Option<&Arc<TessellatedShapes>> {
        self.shapes.as_ref()
    }
}

/// All triangles of a world, and where to find those of an instance. Shapes are divided into triangles.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    triangles: Vec<SurfaceTriangle>,
    instances: Vec<PlacedTriangles>,
}

impl Surfaces {
    /// Returns the triangles of all instances. Errors: [`AtlasError::TooManyTriangles`].
    pub fn of(world: &World) -> Result<Self, AtlasError> {
        let with_shapes = |mesh: &Arc<Mesh>| {
            let shapes = (!mesh.shapes().is_empty()).then(|| Arc::new(TessellatedShapes::new(mesh)));
            (mesh.clone(), shapes)
        };
        let meshes: Vec<_> = world.meshes().map(|(_, mesh)| with_shapes(mesh)).collect();
        let mut surfaces = Self::default();
        for instance in world.tlas().instances() {
            let Some((mesh, shapes)) = meshes.get(instance.blas as usize) else {
                // Without triangles, so that later instances keep their numbers
                surfaces.instances.push(PlacedTriangles::default());
                continue;
            };
            surfaces.add(mesh, shapes.as_ref(), &instance.world_from_object)?;
        }
        Ok(surfaces)
    }

    fn add(
        &mut self,
        mesh: &Mesh,
        shapes: Option<&Arc<TessellatedShapes>>,
        world_from_object: &Affine3,
    ) -> Result<(), AtlasError> {
        let count = |count: usize| {
            let count = u32::try_from(count).ok().filter(|&count| count < u32::MAX / 2);
            count.ok_or(AtlasError::TooManyTriangles)
        };
        let (first, inst_id) = (count(self.triangles.len())?, count(self.instances.len())?);
        let triangle = |prim_id: u32, corners: [Vec3; 3]| SurfaceTriangle {
            inst_id,
            prim_id,
            corners: corners.map(|corner| world_from_object.transform_point3(corner)),
        };
        if let Some(shapes) = shapes {
            let of_shapes = shapes.shape.iter().zip(&shapes.corners);
            self.triangles.extend(of_shapes.map(|(&shape, &corners)| triangle(shape, corners)));
        } else {
            let of_mesh = (0u32..).zip(mesh.triangles());
            let corners = |t: &[u32; 3]| t.map(|v| mesh.positions()[v as usize]);
            self.triangles.extend(of_mesh.map(|(prim_id, t)| triangle(prim_id, corners(t))));
        }
        self.instances.push(PlacedTriangles {
            first,
            end: count(self.triangles.len())?,
            is_mirrored: world_from_object.matrix3.determinant() < 0.0,
            world_from_normal: world_from_object.matrix3.inverse().transpose(),
            shapes: shapes.cloned(),
        });
        Ok(())
    }

    /// Returns the triangles, in the order of instances.
    pub fn triangles(&self) -> &[SurfaceTriangle] {
        &self.triangles
    }

    /// Returns where the triangles of each instance are.
    pub fn instances(&self) -> &[PlacedTriangles] {
        &self.instances
    }

    /// Returns the index of a hit's triangle and the barycentric coordinates of its vertices 1 and 2; `None` if there is
    /// no such triangle or shape.
    ///
    /// * `uv` — `u` and `v` of the hit.
    #[inline(always)]
    pub fn find(&self, inst_id: u32, prim_id: u32, uv: Vec2) -> Option<(u32, Vec2)> {
        let placed = self.instances.get(inst_id as usize)?;
        if let Some(shapes) = &placed.shapes {
            let (triangle, b) = shapes.find(prim_id, uv)?;
            return Some((placed.first + triangle, b));
        }
        let triangle = placed.first.checked_add(prim_id)?;
        (triangle < placed.end).then_some((triangle, uv))
    }

    /// Returns the unit normal of the front of a triangle; zero if it is degenerate.
    #[inline(always)]
    pub fn normal(&self, triangle: u32) -> Vec3 {
        let Some(found) = self.triangles.get(triangle as usize) else { return Vec3::ZERO };
        let normal = found.cross().normalize_or(Vec3::ZERO);
        if self.instances[found.inst_id as usize].is_mirrored { -normal } else { normal }
    }

    /// Returns the unit geometric normal of the front at a point of a triangle, which is that of the shape if it stands
    /// for one; zero if it is degenerate.
    ///
    /// * `b` — barycentric coordinates of vertices 1 and 2.
    #[inline(always)]
    pub fn normal_at(&self, triangle: u32, b: Vec2) -> Vec3 {
        let Some(found) = self.triangles.get(triangle as usize) else { return Vec3::ZERO };
        let placed = &self.instances[found.inst_id as usize];
        match &placed.shapes {
            None => self.normal(triangle),
            Some(shapes) => {
                let in_object = shapes.normal((triangle - placed.first) as usize, b);
                (placed.world_from_normal * in_object).normalize_or(Vec3::ZERO)
            }
        }
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
        let ng = self.normal_at(triangle, b);
        if ng == Vec3::ZERO {
            return None;
        }
        let placed = &self.instances[inst_id as usize];
        let location =
            |shapes: &Arc<TessellatedShapes>| shapes.location((triangle - placed.first) as usize, b);
        let uv = placed.shapes.as_ref().map_or(b, location);
        let inst_path = InstPath::EMPTY;
        let hit = Hit { t: 0.0, u: uv.x, v: uv.y, ng, prim_id, geom_id: 0, inst_id, inst_path };
        Some(world.surface_interaction(&hit, if is_front { ng } else { -ng }, width))
    }
}

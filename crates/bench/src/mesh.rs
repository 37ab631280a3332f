use std::collections::HashMap;

use sunfleck_math::{Aabb, Vec3};
use sunfleck_scene::Scene;

/// List of triangles in world space, which Sunfleck and its peers trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices.
    pub positions: Vec<Vec3>,
    /// Vertex indices; the index of a triangle is its `prim_id`.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Flattens all visible instances of a scene, in their order. `None` if vertices need more than 32-bit indices.
    pub fn flatten(scene: &Scene) -> Option<Self> {
        let mut flat = Self::default();
        for instance in scene.world_instances() {
            let Some(mesh) = scene.mesh(instance.mesh) else { continue };
            let first = u32::try_from(flat.positions.len()).ok()?;
            first.checked_add(u32::try_from(mesh.positions().len()).ok()?)?;
            let placed = mesh.positions().iter().map(|&p| instance.world_from_object.transform_point3(p));
            flat.positions.extend(placed);
            flat.triangles.extend(mesh.triangles().iter().map(|t| t.map(|i| first + i)));
        }
        Some(flat)
    }

    /// Subdivides each triangle at the midpoints of its edges, `times` times, into 4ᵗⁱᵐᵉˢ: the surface is the same up
    /// to rounding. Neighbours share the new vertices. `None` if vertices need more than 32-bit indices.
    pub fn subdivided(mut self, times: u32) -> Option<Self> {
        for _ in 0..times {
            self = self.subdivided_once()?;
        }
        Some(self)
    }

    fn subdivided_once(self) -> Option<Self> {
        let Self { mut positions, triangles } = self;
        u32::try_from(positions.len() + 3 * triangles.len()).ok()?;
        let mut midpoints: HashMap<[u32; 2], u32> = HashMap::with_capacity(triangles.len() * 3 / 2);
        let mut midpoint = |a: u32, b: u32| {
            *midpoints.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                positions.push((positions[a as usize] + positions[b as usize]) * 0.5);
                u32::try_from(positions.len() - 1).unwrap_or(u32::MAX)
            })
        };
        let mut pieces = Vec::with_capacity(triangles.len() * 4);
        for [a, b, c] in triangles {
            let (ab, bc, ca) = (midpoint(a, b), midpoint(b, c), midpoint(c, a));
            pieces.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        Some(Self { positions, triangles: pieces })
    }

    /// Returns the bounding box of all triangles.
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.triangles.iter().flatten().map(|&i| self.positions[i as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::{Material, MeshData, Node};

    fn area(mesh: &Mesh) -> f32 {
        let corners = mesh.triangles.iter().map(|t| t.map(|i| mesh.positions[i as usize]));
        corners.map(|[a, b, c]| (b - a).cross(c - a).length() * 0.5).sum()
    }

    fn square() -> Mesh {
        Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, vec3(1.0, 1.0, 0.0), Vec3::Y],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        }
    }

    #[test]
    fn subdivision_keeps_the_surface_and_shares_vertices() {
        let fine = square().subdivided(3).unwrap();
        assert_eq!(fine.triangles.len(), 2 * 64);
        assert_eq!(fine.positions.len(), 9 * 9, "a grid of 8 × 8 cells");
        assert!((area(&fine) - 1.0).abs() < 1e-6);
        let up = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| fine.positions[i as usize]);
            (b - a).cross(c - a).z > 0.0
        };
        assert!(fine.triangles.iter().all(up), "orientation is kept");
    }

    #[test]
    fn instances_are_placed_one_after_the_other() {
        let mut scene = Scene::default();
        let Mesh { positions, triangles } = square();
        let data = MeshData { positions, triangles, ..MeshData::default() };
        let mesh = scene.add_mesh(sunfleck_scene::Mesh::new(data).unwrap()).unwrap();
        let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
        for x in [0.0, 10.0] {
            let at = Affine3::from_translation(vec3(x, 0.0, 0.0));
            scene.add_node(Node::new("n").at(at).with_mesh(mesh, vec![grey])).unwrap();
        }
        let flat = Mesh::flatten(&scene).unwrap();
        assert_eq!(flat.triangles[2], [4, 5, 6]);
        assert_eq!(flat.positions[5], vec3(11.0, 0.0, 0.0));
        assert_eq!(flat.bounds().size(), vec3(11.0, 1.0, 0.0));
    }
}

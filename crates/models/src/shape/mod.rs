//! Construction of meshes from simple solids. Solids are closed unless stated otherwise; their normals point outwards.

mod block;
mod extrude;
mod lathe;
mod pipe;
mod sheet;
mod tube;

pub(crate) use block::BoxFace;
pub(crate) use extrude::CrossSection;
pub(crate) use lathe::circle_sin_cos;

use sunfleck_math::transform::transform_normal;
use sunfleck_math::{Affine3, Vec2, Vec3};
use sunfleck_scene::MeshData;

/// Builder of a mesh. Solids are added with the transform, the material slot and the vertex colour that were set last.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    data: MeshData,
    /// Transform of the solids that are added next.
    object_from_solid: Affine3,
    slot: u16,
    color: Option<Vec3>,
    attributes: Attributes,
}

/// Attributes of each vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attributes {
    /// Position only.
    Positions,
    /// Position and normal.
    Normals,
    /// Position, normal and texture coordinates.
    NormalsAndUvs,
}

impl Shape {
    /// Creates an empty mesh with normals and texture coordinates.
    pub(crate) fn new(name: impl Into<String>) -> Self {
        let data = MeshData { name: name.into(), ..MeshData::default() };
        let attributes = Attributes::NormalsAndUvs;
        Self { data, object_from_solid: Affine3::IDENTITY, slot: 0, color: None, attributes }
    }

    /// Creates an empty mesh whose vertices have positions only, for large flat objects.
    pub(crate) fn without_normals(name: impl Into<String>) -> Self {
        Self { attributes: Attributes::Positions, ..Self::new(name) }
    }

    /// Creates an empty mesh without texture coordinates, for large round objects.
    pub(crate) fn without_uvs(name: impl Into<String>) -> Self {
        Self { attributes: Attributes::Normals, ..Self::new(name) }
    }

    /// Creates an empty mesh with normals, texture coordinates and vertex colours, which are white until set.
    pub(crate) fn colored(name: impl Into<String>) -> Self {
        Self { color: Some(Vec3::ONE), ..Self::new(name) }
    }

    /// Sets the transform of the solids that are added next; it must not mirror.
    pub(crate) fn transform(&mut self, object_from_solid: Affine3) -> &mut Self {
        self.object_from_solid = object_from_solid;
        self
    }

    /// Sets the transform of the solids that are added next to a translation.
    pub(crate) fn at(&mut self, x: f32, y: f32, z: f32) -> &mut Self {
        self.transform(Affine3::from_translation(Vec3::new(x, y, z)))
    }

    /// Sets the material slot of the triangles that are added next.
    pub(crate) fn slot(&mut self, slot: u16) -> &mut Self {
        self.slot = slot;
        self
    }

    /// Sets the colour of the vertices that are added next, in meshes with vertex colours.
    pub(crate) fn color(&mut self, color: Vec3) -> &mut Self {
        self.color = Some(color);
        self
    }

    pub(crate) fn finish(mut self) -> MeshData {
        if self.data.slots.iter().all(|&slot| slot == 0) {
            self.data.slots = Vec::new();
        }
        self.data
    }

    /// Appends another mesh with the current transform, keeping its slots and colours.
    pub(crate) fn append(&mut self, other: &MeshData) -> &mut Self {
        self.append_mapped(other, |slot| slot)
    }

    /// Appends another mesh with the current transform and other slots: `slots[i]` replaces its slot `i`; `slots[0]`
    /// replaces those beyond the end.
    pub(crate) fn append_with_slots(&mut self, other: &MeshData, slots: &[u16]) -> &mut Self {
        self.append_mapped(other, |slot| slots.get(usize::from(slot)).or(slots.first()).copied().unwrap_or(0))
    }

    fn append_mapped(&mut self, other: &MeshData, slot: impl Fn(u16) -> u16) -> &mut Self {
        let first = self.next_index();
        let object_from_solid = self.object_from_solid;
        self.data.positions.extend(other.positions.iter().map(|&p| object_from_solid.transform_point3(p)));
        if self.attributes != Attributes::Positions {
            let normal = |&n: &Vec3| transform_normal(&object_from_solid, n).normalize_or(Vec3::Y);
            self.data.normals.extend(other.normals.iter().map(normal));
        }
        if self.attributes == Attributes::NormalsAndUvs {
            self.data.uv0.extend(&other.uv0);
        }
        self.data.colors.extend(&other.colors);
        self.data.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
        let slots = (0..other.triangles.len()).map(|i| slot(other.slots.get(i).copied().unwrap_or(0)));
        self.data.slots.extend(slots);
        self
    }

    /// Adds a vertex and returns its index for [`Shape::triangle`]. `normal` may have any length.
    pub(crate) fn vertex(&mut self, position: Vec3, normal: Vec3, uv: Vec2) -> u32 {
        let index = self.next_index();
        self.data.positions.push(self.object_from_solid.transform_point3(position));
        if self.attributes != Attributes::Positions {
            self.data.normals.push(transform_normal(&self.object_from_solid, normal).normalize_or(Vec3::Y));
        }
        if self.attributes == Attributes::NormalsAndUvs {
            self.data.uv0.push(uv);
        }
        self.data.colors.extend(self.color.map(|c| c.extend(1.0)));
        index
    }

    /// Adds a triangle of vertices of this mesh, counter-clockwise seen from the front.
    pub(crate) fn triangle(&mut self, corners: [u32; 3]) {
        self.data.triangles.push(corners);
        self.data.slots.push(self.slot);
    }

    #[allow(clippy::cast_possible_truncation, reason = "validation rejects meshes of 2³² vertices")]
    fn next_index(&self) -> u32 {
        self.data.positions.len() as u32
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use sunfleck_math::{vec2, vec3};

    /// Returns whether every edge belongs to exactly two triangles that traverse it in opposite directions. Vertices
    /// with equal positions count as one.
    pub(crate) fn is_closed(mesh: &MeshData) -> bool {
        let position = |v: u32| (mesh.positions[v as usize] + 0.0).to_array().map(f32::to_bits);
        let mut edges: BTreeMap<[[u32; 3]; 2], [u32; 2]> = BTreeMap::new();
        for t in &mesh.triangles {
            for i in 0..3 {
                let (a, b) = (position(t[i]), position(t[(i + 1) % 3]));
                if a == b {
                    return false;
                }
                edges.entry(if a < b { [a, b] } else { [b, a] }).or_default()[usize::from(a < b)] += 1;
            }
        }
        edges.values().all(|&uses| uses == [1, 1])
    }

    /// Returns the number of emissive triangles in the world.
    pub(crate) fn emissive_triangle_count(scene: &sunfleck_scene::Scene) -> usize {
        let is_emissive = |id| scene.material(id).unwrap().emission.radiance != Vec3::ZERO;
        let of_instance = |i: &sunfleck_scene::WorldInstance<'_>| {
            let mesh = scene.mesh(i.mesh).unwrap();
            let triangles = 0..u32::try_from(mesh.triangles().len()).unwrap();
            triangles.filter(|&t| is_emissive(i.materials[usize::from(mesh.slot(t))])).count()
        };
        scene.world_instances().iter().map(of_instance).sum()
    }

    /// Returns the volume of a closed mesh, positive if its triangles face outwards (divergence theorem).
    pub(crate) fn volume(mesh: &MeshData) -> f64 {
        let corner = |v: u32| mesh.positions[v as usize].as_dvec3();
        let cone = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0;
        mesh.triangles.iter().map(cone).sum()
    }

    /// Returns whether the shading normals lie on the front side of their triangles.
    pub(crate) fn normals_agree(mesh: &MeshData) -> bool {
        mesh.triangles.iter().all(|t| {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            let ng = (b - a).cross(c - a);
            t.iter().all(|&v| ng.length() < 1e-12 || mesh.normals[v as usize].dot(ng) > 0.0)
        })
    }

    #[test]
    fn solids_are_closed_and_face_outwards() {
        use std::f64::consts::PI;
        let mut solids: Vec<(&str, Shape, f64, f64)> = Vec::new();
        let mut solid = |name, expected, tolerance, add: &dyn Fn(&mut Shape)| {
            let mut shape = Shape::new(name);
            add(shape.transform(sunfleck_math::transform::rotation_y(0.7)));
            solids.push((name, shape, expected, tolerance));
        };
        solid("block", 0.75, 1e-6, &|s| {
            s.block(vec3(-1.0, 0.0, 0.0), vec3(0.5, 0.5, 1.0));
        });
        solid("chamfered", 1.0, 0.02, &|s| {
            s.chamfered(Vec3::ZERO, Vec3::ONE, 0.05);
        });
        solid("sphere", 4.0 / 3.0 * PI, 0.05, &|s| {
            s.sphere(Vec3::ONE, 1.0, 48);
        });
        solid("lathe", PI * 2.0, 0.02, &|s| {
            s.lathe(&[vec2(0.0, 2.0), vec2(1.0, 2.0), vec2(1.0, 0.0), vec2(0.0, 0.0)], 48);
        });
        solid("tube", PI * 3.0, 0.05, &|s| {
            s.tube(&[vec3(1.0, 0.0, 0.0), vec3(2.0, 0.0, 0.0), vec3(4.0, 0.0, 0.0)], &[1.0; 3], 48);
        });
        solid("cushion", 8.0, 1.0, &|s| {
            s.superellipsoid(Vec3::ZERO, Vec3::ONE, 24, 12, 0.2);
        });
        for (name, shape, expected, tolerance) in solids {
            let mesh = shape.finish();
            assert!(is_closed(&mesh), "{name} has a hole");
            let found = volume(&mesh);
            assert!((found - expected).abs() < tolerance, "{name}: volume {found} for {expected}");
            assert!(normals_agree(&mesh), "{name}: a normal points inwards");
            assert!(sunfleck_scene::Mesh::new(mesh).is_ok(), "{name} is a mesh");
        }
    }

    #[test]
    fn is_closed_detects_a_missing_triangle() {
        let mut shape = Shape::new("open");
        shape.block(Vec3::ZERO, Vec3::ONE);
        let mut mesh = shape.finish();
        assert!(is_closed(&mesh));
        mesh.triangles.pop();
        assert!(!is_closed(&mesh));
    }
}

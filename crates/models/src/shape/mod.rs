//! Building meshes out of simple solids. Every solid is closed or says otherwise, with outward normals.

mod block;
mod extrude;
mod lathe;
mod pipe;
mod sheet;
mod tube;

pub(crate) use block::Side;
pub(crate) use extrude::Outline;
pub(crate) use lathe::around;

use sunfleck_math::transform::transform_normal;
use sunfleck_math::{Affine3, Vec2, Vec3};
use sunfleck_scene::MeshData;

/// A mesh in the making; what is added goes where [`Shape::place`] said last, in the slot and colour set last.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    data: MeshData,
    place: Affine3,
    slot: u16,
    color: Option<Vec3>,
    attributes: Attributes,
}

/// What each vertex has besides its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attributes {
    Nothing,
    Normals,
    NormalsAndUvs,
}

impl Shape {
    /// Empty; without vertex colours.
    pub(crate) fn new(name: impl Into<String>) -> Self {
        let data = MeshData { name: name.into(), ..MeshData::default() };
        let attributes = Attributes::NormalsAndUvs;
        Self { data, place: Affine3::IDENTITY, slot: 0, color: None, attributes }
    }

    /// Empty; vertices have positions alone. For large flat things.
    pub(crate) fn bare(name: impl Into<String>) -> Self {
        Self { attributes: Attributes::Nothing, ..Self::new(name) }
    }

    /// Empty; without texture coordinates. For large round things.
    pub(crate) fn smooth(name: impl Into<String>) -> Self {
        Self { attributes: Attributes::Normals, ..Self::new(name) }
    }

    /// Empty; with vertex colours, white at first.
    pub(crate) fn colored(name: impl Into<String>) -> Self {
        Self { color: Some(Vec3::ONE), ..Self::new(name) }
    }

    /// `object_from_solid` for what is added next; must not mirror.
    pub(crate) fn place(&mut self, object_from_solid: Affine3) -> &mut Self {
        self.place = object_from_solid;
        self
    }

    /// Only moved, for what is added next.
    pub(crate) fn at(&mut self, x: f32, y: f32, z: f32) -> &mut Self {
        self.place(Affine3::from_translation(Vec3::new(x, y, z)))
    }

    /// The material slot of what is added next.
    pub(crate) fn slot(&mut self, slot: u16) -> &mut Self {
        self.slot = slot;
        self
    }

    /// The colour of the vertices added next; for shapes with colours.
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

    /// Adds all of another shape where [`Shape::place`] said, with its own slots and colours.
    pub(crate) fn append(&mut self, other: &MeshData) -> &mut Self {
        self.append_with(other, |slot| slot)
    }

    /// The same in other slots: `slots` has one for each of the other shape's; those missing become the first.
    pub(crate) fn append_as(&mut self, other: &MeshData, slots: &[u16]) -> &mut Self {
        self.append_with(other, |slot| slots.get(usize::from(slot)).or(slots.first()).copied().unwrap_or(0))
    }

    fn append_with(&mut self, other: &MeshData, slot: impl Fn(u16) -> u16) -> &mut Self {
        let first = self.next_index();
        let place = self.place;
        self.data.positions.extend(other.positions.iter().map(|&p| place.transform_point3(p)));
        if self.attributes != Attributes::Nothing {
            let normal = |&n: &Vec3| transform_normal(&place, n).normalize_or(Vec3::Y);
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

    /// A vertex for [`Shape::triangle`]; `normal` of any length.
    pub(crate) fn vertex(&mut self, position: Vec3, normal: Vec3, uv: Vec2) -> u32 {
        let index = self.next_index();
        self.data.positions.push(self.place.transform_point3(position));
        if self.attributes != Attributes::Nothing {
            self.data.normals.push(transform_normal(&self.place, normal).normalize_or(Vec3::Y));
        }
        if self.attributes == Attributes::NormalsAndUvs {
            self.data.uv0.push(uv);
        }
        self.data.colors.extend(self.color.map(|c| c.extend(1.0)));
        index
    }

    /// A triangle of vertices of this shape, counter-clockwise from the front.
    pub(crate) fn triangle(&mut self, corners: [u32; 3]) {
        self.data.triangles.push(corners);
        self.data.slots.push(self.slot);
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "a mesh of 2³² vertices is refused when it is checked"
    )]
    fn next_index(&self) -> u32 {
        self.data.positions.len() as u32
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use sunfleck_math::{vec2, vec3};

    /// Whether every edge belongs to exactly two triangles that run along it in opposite directions; vertices at the
    /// same place count as one.
    pub(crate) fn is_closed(mesh: &MeshData) -> bool {
        let place = |v: u32| (mesh.positions[v as usize] + 0.0).to_array().map(f32::to_bits);
        let mut edges: BTreeMap<[[u32; 3]; 2], [u32; 2]> = BTreeMap::new();
        for t in &mesh.triangles {
            for i in 0..3 {
                let (a, b) = (place(t[i]), place(t[(i + 1) % 3]));
                if a == b {
                    return false;
                }
                edges.entry(if a < b { [a, b] } else { [b, a] }).or_default()[usize::from(a < b)] += 1;
            }
        }
        edges.values().all(|&uses| uses == [1, 1])
    }

    /// Triangles in the world whose material radiates.
    pub(crate) fn shining_triangles(scene: &sunfleck_scene::Scene) -> usize {
        let is_emissive = |id| scene.material(id).unwrap().emission.radiance != Vec3::ZERO;
        let of_instance = |i: &sunfleck_scene::WorldInstance<'_>| {
            let mesh = scene.mesh(i.mesh).unwrap();
            let triangles = 0..u32::try_from(mesh.triangles().len()).unwrap();
            triangles.filter(|&t| is_emissive(i.materials[usize::from(mesh.slot(t))])).count()
        };
        scene.world_instances().iter().map(of_instance).sum()
    }

    /// The volume inside a closed mesh, positive if its triangles face outwards (divergence theorem).
    pub(crate) fn volume(mesh: &MeshData) -> f64 {
        let corner = |v: u32| mesh.positions[v as usize].as_dvec3();
        let cone = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0;
        mesh.triangles.iter().map(cone).sum()
    }

    /// Whether shading normals and triangles agree about what is outside.
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
            add(shape.place(sunfleck_math::transform::rotation_y(0.7)));
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
            s.cushion(Vec3::ZERO, Vec3::ONE, 24, 12, 0.2);
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
    fn the_test_for_closedness_sees_a_missing_triangle() {
        let mut shape = Shape::new("open");
        shape.block(Vec3::ZERO, Vec3::ONE);
        let mut mesh = shape.finish();
        assert!(is_closed(&mesh));
        mesh.triangles.pop();
        assert!(!is_closed(&mesh));
    }
}

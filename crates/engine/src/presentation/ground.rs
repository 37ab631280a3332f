//! Ground of a stage: a disc that catches the shadows of an object.

use sunfleck_math::{Aabb, Vec3, Vec4, cos, exp, pow, sin, vec3};
use sunfleck_scene::{Material, MaterialId, Mesh, MeshData, MeshId, Node, NodeId, Scene, SceneEdit};

use super::environment::{self, Look};
use super::framing::vertex_bounds;

/// Name of the node, the mesh and the material of the ground.
const GROUND: &str = "stage ground";
/// Distance of the ground below the object, in diagonals of its bounds: the object may have a floor of its own.
const GAP: f32 = 2e-4;
/// Radius of the disc, and of its innermost ring, in diagonals of the object's bounds.
const GROUND_RADIUS: f32 = 3.0;
const FIRST_RING: f32 = 0.05;
/// The ground is this much lighter below the object than at the horizon, unless its albedo would exceed the largest
/// one.
const CENTER_LIGHTER: f32 = 1.5;
pub(super) const MAX_ALBEDO: f32 = 0.9;
/// Radius over which the ground fades to that of the horizon, in diagonals of the object's bounds.
const FADE: f32 = 1.1;

/// Disc on which an object stands.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GroundDisc {
    /// Point below the centre of the object, in world space.
    center: Vec3,
    /// Diagonal of the object's bounds, metres.
    unit: f32,
    /// Albedo at the centre over that at the horizon.
    center_lighter: f32,
}

impl GroundDisc {
    /// Returns the disc, as rings whose colours fade from a lighter centre to the albedo of the horizon.
    /// `None` if its positions are not finite.
    fn mesh(&self) -> Option<Mesh> {
        const CORNERS: u32 = 64;
        const RINGS: u32 = 16;
        // Each ring is this much wider than the one within
        let growth = pow(GROUND_RADIUS / FIRST_RING, 1.0 / (RINGS - 1) as f32);
        let (mut positions, mut colors) = (vec![self.center], vec![Vec4::ONE]);
        for ring in 0..RINGS {
            let radius = FIRST_RING * pow(growth, ring as f32);
            let lighter = 1.0 + (self.center_lighter - 1.0) * exp(-radius * radius / (FADE * FADE));
            positions.extend((0..CORNERS).map(|i| {
                let angle = std::f32::consts::TAU * i as f32 / CORNERS as f32;
                self.center + self.unit * radius * vec3(sin(angle), 0.0, cos(angle))
            }));
            let color = Vec3::splat(lighter / self.center_lighter).extend(1.0);
            colors.extend(std::iter::repeat_n(color, CORNERS as usize));
        }
        let vertex = |ring: u32, i: u32| 1 + ring * CORNERS + i % CORNERS;
        // Counter-clockwise seen from above
        let inner = (0..CORNERS).map(|i| [0, vertex(0, i), vertex(0, i + 1)]);
        let outer = (1..RINGS).flat_map(|ring| {
            (0..CORNERS).flat_map(move |i| {
                let [a, b, c, d] =
                    [vertex(ring - 1, i), vertex(ring, i), vertex(ring, i + 1), vertex(ring - 1, i + 1)];
                [[a, b, c], [a, c, d]]
            })
        });
        let triangles = inner.chain(outer).collect();
        let data = MeshData { name: GROUND.into(), positions, colors, triangles, ..MeshData::default() };
        Mesh::new(data).ok()
    }
}

/// Returns the edits that add the ground of a stage below the object; none if the scene is empty, a single point, or
/// too large for a disc around it.
pub(super) fn addition(look: Look, scene: &Scene) -> Vec<SceneEdit> {
    let Some((disc, lambert)) = parts(look, scene) else { return Vec::new() };
    let (mesh, material) = (scene.next_mesh_id(), scene.next_material_id());
    let node = Node::new(GROUND).with_mesh(mesh, vec![material]);
    vec![
        SceneEdit::Mesh { id: mesh, mesh: Some(disc.into()) },
        SceneEdit::Material { id: material, material: Some(lambert) },
        SceneEdit::Node { id: scene.next_node_id(), node: Some(node) },
    ]
}

/// Returns the edits that fit the ground to another look, if there is one. Its ids stay; a mesh and materials that it
/// was given later, or that something else uses, stay as they are.
pub(super) fn change(look: Look, scene: &Scene) -> Vec<SceneEdit> {
    let ground = scene.nodes().find(|(_, node)| is_ground(node));
    let Some((id, (disc, lambert))) = ground.map(|(id, _)| id).zip(parts(look, scene)) else {
        return Vec::new();
    };
    let (mesh, materials) = owned_by(id, scene);
    let is_own = |name: Option<&str>| name == Some(GROUND);
    let mesh = mesh.filter(|&id| is_own(scene.mesh(id).map(|mesh| mesh.name())));
    let materials =
        materials.into_iter().filter(|&id| is_own(scene.material(id).map(|material| material.name.as_str())));
    let mesh = mesh.map(|id| SceneEdit::Mesh { id, mesh: Some(disc.into()) });
    let fitted = |id| SceneEdit::Material { id, material: Some(lambert.clone()) };
    mesh.into_iter().chain(materials.map(fitted)).collect()
}

/// Returns the mesh and the materials of a node that no other node uses.
fn owned_by(id: NodeId, scene: &Scene) -> (Option<MeshId>, Vec<MaterialId>) {
    let Some(instance) = scene.node(id).and_then(|node| node.instance.as_ref()) else {
        return (None, Vec::new());
    };
    let others =
        || scene.nodes().filter(|(other, _)| *other != id).filter_map(|(_, node)| node.instance.as_ref());
    let mesh = Some(instance.mesh).filter(|&mesh| others().all(|other| other.mesh != mesh));
    let unused = |id: &MaterialId| others().all(|other| !other.materials.contains(id));
    (mesh, instance.materials.iter().copied().filter(unused).collect())
}

/// Returns the mesh and the material of the ground; see [`addition`].
fn parts(look: Look, scene: &Scene) -> Option<(Mesh, Material)> {
    let [low, high] = vertex_bounds(scene)?;
    let unit = (high - low).length();
    if unit <= 0.0 {
        return None;
    }
    // Far from the origin the gap is less than rounding
    let height = (low.y - GAP * unit).min(low.y.next_down());
    let horizon = environment::ground_albedo(look);
    let center_lighter = CENTER_LIGHTER.min(MAX_ALBEDO / horizon.max_element());
    let disc = GroundDisc { center: (0.5 * (low + high)).with_y(height), unit, center_lighter };
    Some((disc.mesh()?, Material::lambert(GROUND, horizon * center_lighter)))
}

/// Returns the edits that remove the ground, with its mesh and its material unless something else uses them.
pub(super) fn removal(scene: &Scene) -> Vec<SceneEdit> {
    let mut edits = Vec::new();
    for (id, _) in scene.nodes().filter(|(_, node)| is_ground(node)) {
        let (mesh, materials) = owned_by(id, scene);
        edits.push(SceneEdit::Node { id, node: None });
        edits.extend(mesh.map(|id| SceneEdit::Mesh { id, mesh: None }));
        edits.extend(materials.into_iter().map(|id| SceneEdit::Material { id, material: None }));
    }
    edits
}

/// Returns whether a node is the ground of a stage.
pub fn is_stage_ground(scene: &Scene, id: NodeId) -> bool {
    scene.node(id).is_some_and(is_ground)
}

fn is_ground(node: &Node) -> bool {
    node.name == GROUND && node.instance.is_some()
}

/// Visible instances of a scene but the ground of a stage.
#[derive(Clone, Copy, Debug)]
pub struct VisibleContent {
    /// Bounds in world space; empty if there are no instances.
    pub bounds: Aabb,
    /// Number of instances.
    pub instances: usize,
    /// Number of triangles; a mesh counts once per instance.
    pub triangles: u64,
    /// Number of spheres and other shapes; a mesh counts once per instance.
    pub shapes: u64,
}

impl VisibleContent {
    /// Counts the instances of a scene.
    pub fn of(scene: &Scene) -> Self {
        let instances = scene.world_instances();
        let objects = instances.iter().filter(|instance| !is_stage_ground(scene, instance.node));
        let nothing = Self { bounds: Aabb::EMPTY, instances: 0, triangles: 0, shapes: 0 };
        objects.fold(nothing, |sum, instance| match scene.mesh(instance.mesh) {
            Some(mesh) => Self {
                bounds: sum.bounds.union(mesh.bounds().transformed(&instance.world_from_object)),
                instances: sum.instances + 1,
                triangles: sum.triangles + mesh.triangles().len() as u64,
                shapes: sum.shapes + mesh.shapes().len() as u64,
            },
            None => sum,
        })
    }
}

//! Stages: environment and ground for scenes that have no light of their own.

use std::fmt;
use std::str::FromStr;

use sunfleck_math::{Vec3, Vec4, cos, exp, pow, sin, vec3};
use sunfleck_scene::{Environment, Material, Mesh, MeshData, Node, NodeId, Scene, SceneEdit};

use super::environment;

/// Name of the node, the mesh and the material of the ground.
const GROUND: &str = "stage ground";

/// Environment with a matching ground, for scenes without light. The three differ in the direction and size of their
/// lights; none changes a material of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Photo studio: a large key light, a fill light and a rim light in front of a grey backdrop.
    Studio,
    /// Outdoors: a clear sky with the sun.
    Sky,
    /// Soft, even, warm light from all sides, which shows shape rather than material.
    Clay,
}

/// A name that is not that of a stage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no stage `{0}` (there are studio, sky and clay)")]
pub struct UnknownStage(pub String);

impl Stage {
    /// All stages.
    pub const ALL: [Self; 3] = [Self::Studio, Self::Sky, Self::Clay];

    /// Returns the name in options and in the user interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Studio => "studio",
            Self::Sky => "sky",
            Self::Clay => "clay",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Stage {
    type Err = UnknownStage;

    fn from_str(name: &str) -> Result<Self, UnknownStage> {
        Self::ALL.into_iter().find(|stage| stage.name() == name).ok_or_else(|| UnknownStage(name.to_owned()))
    }
}

/// Radius of the disc, and of its innermost ring, in diagonals of the object's bounds.
const GROUND_RADIUS: f32 = 3.0;
const FIRST_RING: f32 = 0.05;
/// The ground is this much lighter below the object than at the horizon, and fades over this radius.
const CENTER_LIGHTER: f32 = 1.5;
const FADE: f32 = 1.1;

/// Disc on which an object stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GroundDisc {
    /// Point below the centre of the object, in world space.
    pub(super) center: Vec3,
    /// Diagonal of the object's bounds, metres.
    pub(super) unit: f32,
}

/// Returns the edits that set a stage: its environment, and its ground if there is to be one. A ground that an earlier
/// stage added is replaced.
///
/// * `azimuth` — direction to the camera, radians about y from +z: the key light is at the camera's left.
pub(super) fn edits(stage: Stage, scene: &Scene, azimuth: f32, disc: Option<GroundDisc>) -> Vec<SceneEdit> {
    let texture = scene.next_texture_id();
    let environment = Environment::Map { texture, rotation_y_radians: azimuth, scale: Vec3::ONE };
    let mut edits = remove_ground(scene);
    edits.push(SceneEdit::Texture {
        id: texture,
        texture: Some(environment::image(stage, disc.is_some()).into()),
    });
    edits.push(SceneEdit::Environment { environment });
    if let Some(disc) = disc {
        let (mesh, material) = (scene.next_mesh_id(), scene.next_material_id());
        let lambert = Material::lambert(GROUND, environment::ground_albedo(stage) * CENTER_LIGHTER);
        let node = Node::new(GROUND).with_mesh(mesh, vec![material]);
        edits.push(SceneEdit::Mesh { id: mesh, mesh: Some(disc.mesh().into()) });
        edits.push(SceneEdit::Material { id: material, material: Some(lambert) });
        edits.push(SceneEdit::Node { id: scene.next_node_id(), node: Some(node) });
    }
    edits
}

impl GroundDisc {
    /// Returns the disc, as rings whose colours fade from a lighter centre to the albedo of the horizon.
    fn mesh(&self) -> Mesh {
        const CORNERS: u32 = 96;
        const RINGS: u32 = 24;
        // Each ring is this much wider than the one within
        let growth = pow(GROUND_RADIUS / FIRST_RING, 1.0 / (RINGS - 1) as f32);
        let (mut positions, mut colors) = (vec![self.center], vec![Vec4::ONE]);
        for ring in 0..RINGS {
            let radius = FIRST_RING * pow(growth, ring as f32);
            let lighter = 1.0 + (CENTER_LIGHTER - 1.0) * exp(-radius * radius / (FADE * FADE));
            positions.extend((0..CORNERS).map(|i| {
                let angle = std::f32::consts::TAU * i as f32 / CORNERS as f32;
                self.center + self.unit * radius * vec3(sin(angle), 0.0, cos(angle))
            }));
            let color = Vec3::splat(lighter / CENTER_LIGHTER).extend(1.0);
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
        Mesh::new(data).unwrap_or_else(|error| unreachable!("a finite disc: {error}"))
    }
}

/// Returns the edits that remove a stage: its ground, and the environment.
pub(super) fn removal(scene: &Scene) -> Vec<SceneEdit> {
    let mut edits = remove_ground(scene);
    edits.push(SceneEdit::Environment { environment: Environment::Black });
    edits
}

fn remove_ground(scene: &Scene) -> Vec<SceneEdit> {
    ground_nodes(scene).map(|id| SceneEdit::Node { id, node: None }).collect()
}

/// Returns whether a node is the ground of a stage.
pub fn is_stage_ground(scene: &Scene, id: NodeId) -> bool {
    ground_nodes(scene).any(|ground| ground == id)
}

/// Returns the nodes of the ground.
pub(super) fn ground_nodes(scene: &Scene) -> impl Iterator<Item = NodeId> + '_ {
    scene.nodes().filter(|(_, node)| node.name == GROUND && node.instance.is_some()).map(|(id, _)| id)
}

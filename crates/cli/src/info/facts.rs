use serde::Serialize;
use sunfleck_command::scene::OpenedScene;
use sunfleck_math::{Aabb, Vec2, Vec3, Vec4};
use sunfleck_scene::{Environment, LightKind, MeshData, Projection, Scene, Surface, Texels};

/// What a scene holds. Sizes are in bytes, lengths in metres.
#[derive(Debug, Serialize)]
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) notes: Vec<String>,
    pub(super) meshes: u64,
    /// Each mesh once.
    pub(super) unique_triangles: u64,
    /// Of vertices and triangles, each mesh once.
    pub(super) geometry_bytes: u64,
    /// Visible ones.
    pub(super) instances: u64,
    /// Over all visible instances.
    pub(super) instanced_triangles: u64,
    /// Of everything visible.
    pub(super) bounds: Option<Bounds>,
    pub(super) materials: Vec<Kind>,
    pub(super) textures: Vec<TextureFacts>,
    pub(super) lights: Vec<Kind>,
    pub(super) environment: String,
    /// In the order of their indices for `--camera`.
    pub(super) cameras: Vec<CameraFacts>,
    /// In the order of their indices for `--animation`.
    pub(super) animations: Vec<AnimationFacts>,
}

/// A box in the world.
#[derive(Debug, Serialize)]
pub(super) struct Bounds {
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
}

/// How many there are of a kind.
#[derive(Debug, Serialize)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) count: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct TextureFacts {
    pub(super) name: String,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) encoding: &'static str,
    pub(super) bytes: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct CameraFacts {
    pub(super) name: String,
    pub(super) projection: String,
}

/// How long, and how much moves.
#[derive(Debug, Serialize)]
pub(super) struct AnimationFacts {
    pub(super) name: String,
    pub(super) duration_secs: f32,
    pub(super) nodes: u64,
    /// Whose morph targets come and go.
    pub(super) meshes: u64,
}

impl Facts {
    pub(super) fn gather(opened: &OpenedScene) -> Self {
        let scene = &opened.scene;
        let instances = scene.world_instances();
        Self {
            name: opened.name.clone(),
            notes: opened.notes.clone(),
            meshes: scene.meshes().len() as u64,
            unique_triangles: scene.meshes().map(|(_, mesh)| mesh.triangles().len() as u64).sum(),
            geometry_bytes: scene.meshes().map(|(_, mesh)| geometry_bytes(mesh.data())).sum(),
            instances: instances.len() as u64,
            instanced_triangles: scene.instanced_triangle_count(),
            bounds: bounds(scene),
            materials: materials(scene),
            textures: textures(scene),
            lights: lights(scene),
            environment: environment(scene),
            cameras: cameras(scene),
            animations: animations(scene),
        }
    }
}

fn geometry_bytes(data: &MeshData) -> u64 {
    fn bytes<T>(values: &[T]) -> u64 {
        size_of_val(values) as u64
    }
    bytes::<Vec3>(&data.positions)
        + bytes::<Vec3>(&data.normals)
        + bytes::<Vec4>(&data.tangents)
        + bytes::<Vec2>(&data.uv0)
        + bytes::<Vec2>(&data.uv1)
        + bytes::<Vec4>(&data.colors)
        + bytes::<[u32; 3]>(&data.triangles)
        + bytes::<u16>(&data.slots)
}

fn bounds(scene: &Scene) -> Option<Bounds> {
    let instances = scene.world_instances();
    let boxes = instances.iter().filter_map(|placed| {
        let in_object = scene.mesh(placed.mesh)?.bounds();
        (!in_object.is_empty()).then(|| in_object.transformed(&placed.world_from_object))
    });
    let all = boxes.fold(Aabb::EMPTY, Aabb::union);
    (!all.is_empty()).then(|| Bounds { min: all.min.to_array(), max: all.max.to_array() })
}

/// The kinds that occur, in the order given, with how often.
fn tally(kinds: &[&'static str], found: impl Iterator<Item = &'static str>) -> Vec<Kind> {
    let found: Vec<_> = found.collect();
    let count = |&name: &&'static str| Kind {
        name,
        count: found.iter().filter(|kind| **kind == name).count() as u64,
    };
    kinds.iter().map(count).filter(|kind| kind.count > 0).collect()
}

fn materials(scene: &Scene) -> Vec<Kind> {
    let names: Vec<_> = Surface::VARIANTS.iter().map(|row| row.name).collect();
    tally(&names, scene.materials().map(|(_, material)| material.surface.name()))
}

fn textures(scene: &Scene) -> Vec<TextureFacts> {
    let facts = scene.textures().map(|(_, texture)| {
        let (encoding, texel_bytes) = match texture.texels() {
            Texels::Srgb8(_) => ("sRGB, 8 bits", 4),
            Texels::Linear8(_) => ("linear, 8 bits", 4),
            Texels::Float(_) => ("linear, float", 16),
        };
        TextureFacts {
            name: texture.name().to_string(),
            width: texture.width(),
            height: texture.height(),
            encoding,
            bytes: texture.texels().len() as u64 * texel_bytes,
        }
    });
    facts.collect()
}

/// Visible punctual lights, and visible triangles that radiate.
fn lights(scene: &Scene) -> Vec<Kind> {
    let punctual = scene.world_lights();
    let found =
        punctual.iter().filter_map(|placed| scene.light(placed.light)).map(|light| match light.kind {
            LightKind::Point => "point",
            LightKind::Spot { .. } => "spot",
            LightKind::Directional => "directional",
        });
    let mut kinds = tally(&["point", "spot", "directional"], found);
    let emissive = emissive_triangles(scene);
    if emissive > 0 {
        kinds.push(Kind {
            name: if emissive == 1 { "emissive triangle" } else { "emissive triangles" },
            count: emissive,
        });
    }
    kinds
}

fn emissive_triangles(scene: &Scene) -> u64 {
    let radiates = |id| scene.material(id).is_some_and(|material| material.emission.radiance != Vec3::ZERO);
    let instances = scene.world_instances();
    let per_instance = instances.iter().filter_map(|placed| {
        let slots: Vec<bool> = placed.materials.iter().map(|&id| radiates(id)).collect();
        if !slots.contains(&true) {
            return None;
        }
        let mesh = scene.mesh(placed.mesh)?;
        let triangles = 0..u32::try_from(mesh.triangles().len()).unwrap_or(u32::MAX);
        Some(triangles.filter(|&triangle| slots.get(mesh.slot(triangle) as usize) == Some(&true)).count()
            as u64)
    });
    per_instance.sum()
}

fn environment(scene: &Scene) -> String {
    match scene.environment() {
        Environment::Black => "black".to_string(),
        Environment::Constant { radiance } => {
            format!("constant ({}, {}, {})", radiance.x, radiance.y, radiance.z)
        }
        Environment::Map { texture, rotation_y_radians, .. } => {
            let name = scene.texture(*texture).map_or("?", |texture| texture.name());
            format!("map `{name}`, turned by {:.0}°", rotation_y_radians.to_degrees())
        }
    }
}

fn cameras(scene: &Scene) -> Vec<CameraFacts> {
    let placed = scene.world_cameras();
    let facts = placed.iter().filter_map(|placed| {
        let camera = scene.camera(placed.camera)?;
        let node_name = scene.node(placed.node).map(|node| node.name.clone()).unwrap_or_default();
        let name = if camera.name.is_empty() { node_name } else { camera.name.clone() };
        let degrees = |radians: f32| format!("{:.1}°", radians.to_degrees());
        let projection = match camera.projection {
            Projection::Perspective { fov_y_radians } => format!("perspective, {}", degrees(fov_y_radians)),
            Projection::Orthographic { height } => format!("orthographic, {height} m high"),
            Projection::ThinLens { fov_y_radians, focus_distance, .. } => {
                format!("thin lens, {}, in focus at {focus_distance} m", degrees(fov_y_radians))
            }
        };
        Some(CameraFacts { name, projection })
    });
    facts.collect()
}

fn animations(scene: &Scene) -> Vec<AnimationFacts> {
    let facts = scene.animations().map(|(_, animation)| AnimationFacts {
        name: animation.name.clone(),
        duration_secs: animation.duration_secs(),
        nodes: animation.nodes.len() as u64,
        meshes: animation.weights.len() as u64,
    });
    facts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::{Camera, Light, Material, Mesh, Node};

    /// A lamp of two triangles (one radiates) twice, 10 m apart, a point light, a camera without a name.
    fn scene() -> Scene {
        let mut scene = Scene::default();
        let data = MeshData {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, vec3(1.0, 1.0, 0.0)],
            triangles: vec![[0, 1, 2], [1, 3, 2]],
            slots: vec![0, 1],
            ..MeshData::default()
        };
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        let dark = scene.add_material(Material::lambert("dark", Vec3::ZERO)).unwrap();
        let lamp = scene.add_material(Material::emitter("lamp", Vec3::ONE)).unwrap();
        let light = Light { name: String::new(), emission: Vec3::ONE, kind: LightKind::Point };
        let light = scene.add_light(light).unwrap();
        let camera = scene.add_camera(Camera::perspective("", 1.0)).unwrap();
        scene.add_node(Node::new("a").with_mesh(mesh, vec![dark, lamp]).with_light(light)).unwrap();
        let far = Affine3::from_translation(vec3(10.0, 0.0, 0.0));
        scene.add_node(Node::new("b").at(far).with_mesh(mesh, vec![dark, lamp]).with_camera(camera)).unwrap();
        scene
    }

    #[test]
    fn everything_is_counted() {
        let opened = OpenedScene {
            name: "s".into(),
            scene: scene(),
            added: sunfleck_io::Added::default(),
            notes: vec![],
            elapsed: std::time::Duration::ZERO,
        };
        let facts = Facts::gather(&opened);
        assert_eq!((facts.meshes, facts.unique_triangles), (1, 2));
        assert_eq!((facts.instances, facts.instanced_triangles), (2, 4));
        // 4 positions of 12 bytes, 2 triangles of 12, 2 slots of 2.
        assert_eq!(facts.geometry_bytes, 48 + 24 + 4);
        assert_eq!(facts.bounds.unwrap().max, [11.0, 1.0, 0.0]);
        let lights: Vec<_> = facts.lights.iter().map(|kind| (kind.name, kind.count)).collect();
        assert_eq!(lights, [("point", 1), ("emissive triangles", 2)]);
        assert_eq!(facts.materials[0].count, 2);
        assert_eq!(facts.cameras[0].name, "b", "a camera without a name is called as its node");
        assert_eq!(facts.environment, "black");
    }
}

//! Statistics of a scene: counts, sizes, bounds, and lists of textures, cameras and animations.

use serde::Serialize;
use sunfleck_command::scene::OpenedScene;
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::Vec3;
use sunfleck_scene::{Environment, LightKind, Projection, Scene, Surface, Texels};

/// Statistics of a scene. Sizes are in bytes, lengths in metres.
#[derive(Debug, Serialize)]
pub(super) struct SceneReport {
    pub(super) name: String,
    pub(super) notes: Vec<String>,
    pub(super) meshes: u64,
    /// Number of triangles, each mesh counted once.
    pub(super) unique_triangles: u64,
    /// Number of spheres and other shapes, each mesh counted once.
    pub(super) unique_shapes: u64,
    /// Size of vertices, triangles and shapes, each mesh counted once.
    pub(super) geometry_bytes: u64,
    /// Number of visible instances.
    pub(super) instances: u64,
    /// Number of triangles of all visible instances.
    pub(super) instanced_triangles: u64,
    /// Number of shapes of all visible instances.
    pub(super) instanced_shapes: u64,
    /// Bounding box of all visible instances.
    pub(super) bounds: Option<Bounds>,
    pub(super) materials: Vec<KindCount>,
    pub(super) textures: Vec<TextureInfo>,
    pub(super) lights: Vec<KindCount>,
    pub(super) environment: String,
    /// Cameras in the order of their indices for `--camera`.
    pub(super) cameras: Vec<CameraInfo>,
    /// Animations in the order of their indices for `--animation`.
    pub(super) animations: Vec<AnimationInfo>,
}

/// Axis-aligned bounding box in the coordinates of the scene's file.
#[derive(Debug, Serialize)]
pub(super) struct Bounds {
    pub(super) min: [f64; 3],
    pub(super) max: [f64; 3],
}

/// Number of objects of one kind.
#[derive(Debug, Serialize)]
pub(super) struct KindCount {
    pub(super) name: &'static str,
    pub(super) count: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct TextureInfo {
    pub(super) name: String,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) encoding: &'static str,
    /// Memory of the texels, without their mip levels.
    pub(super) bytes: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct CameraInfo {
    pub(super) name: String,
    pub(super) projection: String,
}

/// Duration of an animation and the number of its targets.
#[derive(Debug, Serialize)]
pub(super) struct AnimationInfo {
    pub(super) name: String,
    pub(super) duration_secs: f32,
    pub(super) nodes: u64,
    /// Number of meshes whose morph target weights are animated.
    pub(super) meshes: u64,
}

impl SceneReport {
    /// * `cameras` — those of the scene, or the default one.
    pub(super) fn new(opened: &OpenedScene, cameras: &[PlacedCamera]) -> Self {
        let scene = &opened.scene;
        let instances = scene.world_instances();
        Self {
            name: opened.name.clone(),
            notes: opened.notes.clone(),
            meshes: scene.meshes().len() as u64,
            unique_triangles: scene.meshes().map(|(_, mesh)| mesh.triangles().len() as u64).sum(),
            unique_shapes: scene.meshes().map(|(_, mesh)| mesh.shapes().len() as u64).sum(),
            geometry_bytes: scene.meshes().map(|(_, mesh)| mesh.data().byte_count() as u64).sum(),
            instances: instances.len() as u64,
            instanced_triangles: scene.instanced_triangle_count(),
            instanced_shapes: scene.instanced_shape_count(),
            bounds: bounds(scene),
            materials: materials(scene),
            textures: textures(scene),
            lights: lights(scene),
            environment: environment(scene),
            cameras: cameras.iter().map(camera).collect(),
            animations: animations(scene),
        }
    }
}

fn bounds(scene: &Scene) -> Option<Bounds> {
    let all = scene.world_bounds();
    let in_file = |point: Vec3| (scene.origin() + point.as_dvec3()).to_array();
    (!all.is_empty()).then(|| Bounds { min: in_file(all.min), max: in_file(all.max) })
}

/// Counts `found` per kind, in the order of `kinds`; kinds that do not occur are left out.
fn tally(kinds: &[&'static str], found: impl Iterator<Item = &'static str>) -> Vec<KindCount> {
    let found: Vec<_> = found.collect();
    let count = |&name: &&'static str| KindCount {
        name,
        count: found.iter().filter(|kind| **kind == name).count() as u64,
    };
    kinds.iter().map(count).filter(|kind| kind.count > 0).collect()
}

fn materials(scene: &Scene) -> Vec<KindCount> {
    let names: Vec<_> = Surface::VARIANTS.iter().map(|row| row.name).collect();
    tally(&names, scene.materials().map(|(_, material)| material.surface.name()))
}

fn textures(scene: &Scene) -> Vec<TextureInfo> {
    let rows = scene.textures().map(|(_, texture)| {
        let encoding = match texture.texels() {
            Texels::Srgb8(_) => "sRGB, 8 bits",
            Texels::Linear8(_) => "linear, 8 bits",
            Texels::Linear16(_) => "linear, 16 bits",
            Texels::Float(_) => "linear, float",
        };
        TextureInfo {
            name: texture.name().to_string(),
            width: texture.width(),
            height: texture.height(),
            encoding,
            bytes: texture.texels().byte_count() as u64,
        }
    });
    rows.collect()
}

/// Counts visible punctual lights, and visible emissive triangles and shapes.
fn lights(scene: &Scene) -> Vec<KindCount> {
    let punctual = scene.world_lights();
    let found =
        punctual.iter().filter_map(|placed| scene.light(placed.light)).map(|light| match light.kind {
            LightKind::Point => "point",
            LightKind::Spot { .. } => "spot",
            LightKind::Directional => "directional",
        });
    let mut kinds = tally(&["point", "spot", "directional"], found);
    let [triangles, shapes] = emissive_primitives(scene);
    let names = [["emissive triangle", "emissive triangles"], ["emissive shape", "emissive shapes"]];
    for (count, [one, many]) in [triangles, shapes].into_iter().zip(names) {
        if count > 0 {
            kinds.push(KindCount { name: if count == 1 { one } else { many }, count });
        }
    }
    kinds
}

/// Returns the numbers of visible triangles and shapes with an emissive material.
fn emissive_primitives(scene: &Scene) -> [u64; 2] {
    let is_emissive =
        |id| scene.material(id).is_some_and(|material| material.emission.radiance != Vec3::ZERO);
    let mut counts = [0; 2];
    for placed in scene.world_instances() {
        let slots: Vec<bool> = placed.materials.iter().map(|&id| is_emissive(id)).collect();
        let Some(mesh) = scene.mesh(placed.mesh).filter(|_| slots.contains(&true)) else { continue };
        let primitives = 0..u32::try_from(mesh.primitive_count()).unwrap_or(u32::MAX);
        let found = primitives.filter(|&primitive| slots.get(mesh.slot(primitive) as usize) == Some(&true));
        counts[usize::from(!mesh.shapes().is_empty())] += found.count() as u64;
    }
    counts
}

fn environment(scene: &Scene) -> String {
    match scene.environment() {
        Environment::Black => "black".to_string(),
        Environment::Constant { radiance } => {
            format!("constant ({}, {}, {})", radiance.x, radiance.y, radiance.z)
        }
        Environment::Map { texture, rotation_y_radians, .. } => {
            let name = scene.texture(*texture).map_or("?", |texture| texture.name());
            format!("map `{name}`, rotated by {:.0}°", rotation_y_radians.to_degrees())
        }
    }
}

fn camera(placed: &PlacedCamera) -> CameraInfo {
    let degrees = |radians: f32| format!("{:.1}°", radians.to_degrees());
    let projection = match placed.camera.projection {
        Projection::Perspective { fov_y_radians } => format!("perspective, {}", degrees(fov_y_radians)),
        Projection::Orthographic { height } => format!("orthographic, {height} m high"),
        Projection::ThinLens { fov_y_radians, focus_distance, .. } => {
            format!("thin lens, {}, in focus at {focus_distance} m", degrees(fov_y_radians))
        }
    };
    let film = placed.camera.film.map_or_else(String::new, |film| {
        let crop = film.crop.map_or_else(String::new, |[x, y, width, height]| {
            format!(", of which {width} × {height} at column {x}, row {y}")
        });
        format!(", {} × {} pixels{crop}", film.width, film.height)
    });
    CameraInfo { name: placed.name.clone(), projection: projection + &film }
}

fn animations(scene: &Scene) -> Vec<AnimationInfo> {
    let rows = scene.animations().map(|(_, animation)| AnimationInfo {
        name: animation.name.clone(),
        duration_secs: animation.duration_secs(),
        nodes: animation.nodes.len() as u64,
        meshes: animation.weights.len() as u64,
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_integrators::World;
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::{Camera, Light, Material, Mesh, MeshData, Node};

    /// Scene with two instances, 10 m apart, of a mesh of two triangles (one emissive), a point light and a nameless
    /// camera.
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
            file: None,
            name: "s".into(),
            scene: scene(),
            notes: vec![],
            elapsed: std::time::Duration::ZERO,
        };
        let cameras = World::commit(&opened.scene).unwrap();
        let report = SceneReport::new(&opened, cameras.cameras());
        assert_eq!((report.meshes, report.unique_triangles), (1, 2));
        assert_eq!((report.instances, report.instanced_triangles), (2, 4));
        // 4 positions of 12 bytes, 2 triangles of 12, 2 slots of 2.
        assert_eq!(report.geometry_bytes, 48 + 24 + 4);
        assert_eq!(report.bounds.unwrap().max, [11.0, 1.0, 0.0]);
        let lights: Vec<_> = report.lights.iter().map(|kind| (kind.name, kind.count)).collect();
        assert_eq!(lights, [("point", 1), ("emissive triangles", 2)]);
        assert_eq!(report.materials[0].count, 2);
        assert_eq!(report.cameras[0].name, "b", "a camera without a name has the name of its node");
        assert_eq!(report.environment, "black");
    }
}

//! Properties that all built-in scenes have: determinism, valid meshes, light, names, cameras, parameter ranges.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::sync::LazyLock;

use sunfleck_math::Vec3;
use sunfleck_models::{ModelError, build, models};
use sunfleck_scene::{Environment, LightKind, Scene, Surface, Texels};

/// Returns a spec of the scene that builds quickly.
fn small(name: &str) -> String {
    match name {
        "sunflowers" => "sunflowers:flowers=60,trees=2,detail=0.02".to_string(),
        "plant" => "plant:bays=31".to_string(),
        name => name.to_string(),
    }
}

fn scenes() -> &'static [(&'static str, Scene)] {
    static SCENES: LazyLock<Vec<(&str, Scene)>> = LazyLock::new(|| {
        models().iter().map(|model| (model.name, build(&small(model.name)).unwrap())).collect()
    });
    &SCENES
}

/// Returns the bits of all numbers of all meshes and textures, in order.
fn bits_of(scene: &Scene) -> Vec<u32> {
    let mut bits = Vec::new();
    for (_, mesh) in scene.meshes() {
        let data = mesh.data();
        bits.extend(data.positions.iter().chain(&data.normals).flat_map(|v| v.to_array()).map(f32::to_bits));
        bits.extend(data.uv0.iter().flat_map(|v| v.to_array()).map(f32::to_bits));
        bits.extend(data.colors.iter().flat_map(|v| v.to_array()).map(f32::to_bits));
        bits.extend(data.triangles.iter().flatten());
        bits.extend(data.slots.iter().map(|&slot| u32::from(slot)));
    }
    for (_, texture) in scene.textures() {
        match texture.texels() {
            Texels::Float(texels) => bits.extend(texels.iter().flatten().map(|c| c.to_bits())),
            Texels::Linear16(texels) => bits.extend(texels.iter().flatten().map(|&c| u32::from(c))),
            Texels::Srgb8(texels) | Texels::Linear8(texels) => {
                bits.extend(texels.iter().map(|&t| u32::from_le_bytes(t)));
            }
        }
    }
    bits
}

/// Returns materials, nodes, lights, cameras and environment as text.
fn text_of(scene: &Scene) -> String {
    let materials: Vec<_> = scene.materials().collect();
    let nodes: Vec<_> = scene.nodes().collect();
    let rest = (scene.lights().collect::<Vec<_>>(), scene.cameras().collect::<Vec<_>>(), scene.environment());
    format!("{materials:?} {nodes:?} {rest:?}")
}

#[test]
fn scenes_do_not_depend_on_the_number_of_threads() {
    for model in models() {
        let [one, many] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let scene = pool.install(|| build(&small(model.name)).unwrap());
            (bits_of(&scene), text_of(&scene))
        });
        assert!(one == many, "{} depends on the number of threads", model.name);
        assert!(one.0.len() > 100, "{} is not empty", model.name);
    }
}

#[test]
fn scenes_depend_on_the_seed() {
    let field = |seed: u32| {
        text_of(&build(&format!("sunflowers:flowers=9,trees=0,detail=0.02,seed={seed}")).unwrap())
    };
    assert!(field(1) != field(2));
    for spec in ["conference:", "building:floor=1,", "plant:bays=1,"] {
        let [one, two] = [1, 2].map(|seed| bits_of(&build(&format!("{spec}seed={seed}")).unwrap()));
        assert!(one != two, "{spec}");
    }
}

#[test]
fn meshes_have_no_triangles_without_area() {
    for (name, scene) in scenes() {
        for (_, mesh) in scene.meshes() {
            let collapsed =
                mesh.triangles().iter().filter(|t| t[0] == t[1] || t[1] == t[2] || t[2] == t[0]).count();
            assert_eq!(collapsed, 0, "{name}: {} names a vertex twice in a triangle", mesh.name());
            let flat = (0..u32::try_from(mesh.triangles().len()).unwrap()).filter(|&t| {
                let [a, b, c] = mesh.corners(t);
                (b - a).cross(c - a) == Vec3::ZERO
            });
            assert_eq!(flat.count(), 0, "{name}: {} has triangles without area", mesh.name());
        }
    }
}

/// If a triangle had a duplicate of either orientation, rounding would decide which of the two is hit.
#[test]
fn no_triangle_is_duplicated() {
    for (name, scene) in scenes() {
        for (_, mesh) in scene.meshes() {
            let key = |t: u32| {
                let mut corners = mesh.corners(t).map(|p| (p + 0.0).to_array().map(f32::to_bits));
                corners.sort_unstable();
                corners
            };
            let mut all: Vec<_> = (0..u32::try_from(mesh.triangles().len()).unwrap()).map(key).collect();
            all.sort_unstable();
            let twice = all.windows(2).filter(|pair| pair[0] == pair[1]).count();
            assert_eq!(twice, 0, "{name}: {}", mesh.name());
        }
    }
}

#[test]
fn scenes_have_light_and_names() {
    for (name, scene) in scenes() {
        let emissive = scene.materials().any(|(_, m)| m.emission.radiance.min_element() > 0.0);
        let punctual = scene.lights().any(|(_, l)| l.emission.min_element() > 0.0);
        assert!(emissive || punctual, "{name} has no light");
        assert!(scene.nodes().all(|(_, n)| !n.name.is_empty()), "{name} has a node without a name");
        assert!(scene.materials().all(|(_, m)| !m.name.is_empty()), "{name} has a material without a name");
    }
}

/// Common materials have albedos of at most 0.85.
#[test]
fn albedos_are_plausible() {
    for (name, scene) in scenes() {
        for (_, material) in scene.materials() {
            let colors = scene.meshes().flat_map(|(_, mesh)| &mesh.data().colors).map(|c| c.truncate());
            let brightest = match &material.surface {
                // White materials are tinted by vertex colours.
                Surface::Lambert { albedo }
                    if albedo.texture.is_none() && albedo.factor.truncate() == Vec3::ONE =>
                {
                    colors.fold(Vec3::ZERO, Vec3::max)
                }
                Surface::Lambert { albedo } if albedo.texture.is_none() => albedo.factor.truncate(),
                Surface::MetallicRoughness { base_color, .. } if base_color.texture.is_none() => {
                    base_color.factor.truncate()
                }
                Surface::Mirror { reflectance } => *reflectance,
                _ => Vec3::ZERO,
            };
            assert!(brightest.max_element() <= 0.85 + 1e-6, "{name}: {} reflects {brightest}", material.name);
        }
    }
}

#[test]
fn the_first_camera_is_upright_and_sees_the_scene() {
    for (name, scene) in scenes() {
        let camera = scene.world_cameras()[0];
        let view = camera.world_from_view.transform_vector3(Vec3::NEG_Z);
        let up = camera.world_from_view.transform_vector3(Vec3::Y);
        assert!(up.y > 0.9, "{name}: the camera is tilted");
        // The ray through the centre of the image intersects the bounding box of the scene.
        let (bounds, eye) = (scene.world_bounds(), camera.world_from_view.translation);
        let (a, b) = ((bounds.min - eye) / view, (bounds.max - eye) / view);
        let (near, far) = (a.min(b).max_element(), a.max(b).min_element());
        assert!(near < far && far > 0.0, "{name}: the view direction misses {bounds:?}");
    }
}

#[test]
fn the_sun_is_above_the_horizon() {
    let scene = build("sunflowers:flowers=1,trees=0,detail=0.02").unwrap();
    let sun = scene.world_lights()[0];
    assert_eq!(scene.light(sun.light).unwrap().kind, LightKind::Directional);
    assert!(sun.world_from_light.transform_vector3(Vec3::NEG_Z).y < -0.3, "it emits downwards");
    assert!(matches!(scene.environment(), Environment::Map { .. }), "there is a sky");
}

#[test]
fn scenes_build_at_the_ends_of_all_ranges() {
    let check = |spec: &str| {
        let scene = build(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        assert!(scene.instanced_triangle_count() > 0, "{spec} is empty");
    };
    for model in models() {
        let all_least: Vec<String> =
            model.parameters.iter().map(|p| format!("{}={}", p.name, p.kind.ends().unwrap()[0])).collect();
        check(&format!("{}:{}", model.name, all_least.join(",")));
        for parameter in model.parameters {
            // The other parameters are small: the largest values of all would make 100 billion triangles.
            let others = match (model.name, parameter.name) {
                ("sunflowers", "flowers") => ",trees=0,detail=0.02",
                ("sunflowers", "detail") => ",flowers=2,trees=0",
                ("sunflowers", "trees") => ",flowers=2,detail=0.02",
                ("sunflowers", _) => ",flowers=9,trees=0,detail=0.02",
                ("building", "lamps" | "daylight" | "seed") => ",floor=1",
                ("plant", "density" | "lamps" | "daylight" | "seed") => ",bays=1",
                _ => "",
            };
            let with = |value: String| format!("{}:{}={value}{others}", model.name, parameter.name);
            // The largest plant takes gigabytes of memory.
            if (model.name, parameter.name) != ("plant", "bays") {
                check(&with(parameter.kind.ends().unwrap()[1].to_string()));
            }
            let [_, most] = parameter.kind.range().unwrap_or([0.0, 1.0]);
            let beyond = build(&with((most * 2.0 + 1.0).to_string()));
            assert!(matches!(beyond, Err(ModelError::Value(_))), "{}: {beyond:?}", parameter.name);
        }
    }
}

#[test]
fn the_numbers_of_flowers_and_trees_are_as_requested() {
    let scene = build("sunflowers:flowers=1234,trees=9,detail=0.02").unwrap();
    let count = |prefix: &str| scene.nodes().filter(|(_, n)| n.name.starts_with(prefix)).count();
    assert_eq!((count("sunflower "), count("tree ")), (1234, 9));
}

/// The teapot room of [RayEngine02] has 2,650 triangles.
#[test]
fn the_teapot_room_is_as_large_as_published() {
    let count = build("teapot-room").unwrap().instanced_triangle_count();
    assert!((2_500..=2_800).contains(&count), "{count} triangles");
}

//! Round trip of a scene with objects of every kind and values at the limits of their ranges.

use std::path::Path;
use std::sync::Arc;

use glam::Affine2;
use sunfleck_io::save_bytes;
use sunfleck_math::{Affine3, DVec3, Mat3, Vec3, Vec4, vec2, vec3, vec4};
use sunfleck_scene::{
    Alpha, Bricks, Camera, CameraFilm, ColorTexture, Emission, Environment, Light, LightKind, Marble,
    Material, Media, Medium, Mesh, MeshData, Node, NormalMap, Pattern, Procedural, Projection, Scene,
    SceneEdit, SpotFalloff, Surface, Texels, Texture, TextureFilter, TextureRef, Wood, Wrap,
};

use super::{check, saved_and_loaded};

fn textures(scene: &mut Scene) -> [TextureRef; 5] {
    let noise = |n: u32| [7u32, 11, 13, 17].map(|prime| u8::try_from(n * prime % 251).unwrap());
    let bytes: Arc<Vec<[u8; 4]>> = Arc::new((0..15).map(noise).collect());
    let opaque: Arc<Vec<[u8; 4]>> = Arc::new((0..4).map(|n| [n, 2 * n, 3 * n, 255]).collect());
    let fine = Arc::new((0..6u16).map(|n| [n, 257 * n + 1, 65535 - n, 65535]).collect());
    let floats = (0..6u8).map(|n| [f32::from(n) * 3.7, -0.0, 1e-30, 1.0]).collect();
    let mut add = |name: &str, width, height, texels, wrap, filter| {
        let texture = Texture::new(name, width, height, texels).unwrap().with_sampling(wrap, filter);
        TextureRef::new(scene.add_texture(texture).unwrap())
    };
    [
        add("a", 5, 3, Texels::Srgb8(bytes.clone()), [Wrap::Repeat; 2], TextureFilter::Linear),
        add(
            "",
            5,
            3,
            Texels::Linear8(bytes),
            [Wrap::ClampToEdge, Wrap::MirroredRepeat],
            TextureFilter::Nearest,
        ),
        add("fine", 3, 2, Texels::Linear16(fine), [Wrap::Repeat; 2], TextureFilter::Linear),
        add("opaque", 2, 2, Texels::Srgb8(opaque), [Wrap::Repeat; 2], TextureFilter::Linear),
        add(
            "ü/∞",
            3,
            2,
            Texels::Float(Arc::new(floats)),
            [Wrap::Repeat, Wrap::ClampToEdge],
            TextureFilter::Linear,
        ),
    ]
}

fn materials([color, numbers, fine, opaque, floats]: [TextureRef; 5]) -> Vec<Material> {
    let turned = Affine2::from_cols_array(&[0.6, -0.8, 1.6, 1.2, 0.25, -3.0]);
    let sheared = Affine2::from_cols_array(&[1.0, 0.0, 0.3, 1.0, 0.1, 0.0]);
    let scaled = Affine2::from_cols_array(&[-2.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
    let at = |texture: TextureRef, uv_set, uv_transform| Some(TextureRef { uv_set, uv_transform, ..texture });
    let rough = Surface::MetallicRoughness {
        base_color: ColorTexture { factor: vec4(0.1, 0.7, 1.0, 0.3), texture: at(color, 1, turned) },
        metallic: 0.3,
        roughness: 0.123_456_79,
        ior: 1.7,
        metallic_roughness_texture: at(numbers, 0, sheared),
    };
    let albedo = ColorTexture { factor: Vec4::ONE, texture: at(opaque, 0, scaled) };
    let pattern_from_object = Affine3::from_mat3_translation(Mat3::IDENTITY * 0.7, vec3(1.0, 1e-7, -3.3));
    let wood = Wood { early: vec3(0.5, 0.3, 0.1), late: vec3(0.2, 0.1, 0.05), ring_width: 0.01 };
    let marble = Marble { stone: Vec3::splat(0.9), vein: Vec3::splat(0.2), spacing: 0.3, turbulence: 0.7 };
    let bricks = Bricks {
        clay: [vec3(0.6, 0.2, 0.1), vec3(0.4, 0.1, 0.1)],
        mortar: Vec3::splat(0.7),
        length: 0.25,
        height: 0.07,
        joint: 0.01,
        depth: 0.003,
    };
    let of = |pattern| Procedural::new(pattern);
    vec![
        Material {
            normal_map: Some(NormalMap { texture: numbers, scale: -0.7 }),
            emission: Emission { radiance: vec3(17.3, 0.1, 3.0), texture: Some(floats) },
            alpha: Alpha::Mask { cutoff: 0.37 },
            ..Material::new("rough", rough).with_double_sided()
        },
        Material {
            normal_map: Some(NormalMap { texture: fine, scale: 1.0 }),
            alpha: Alpha::Blend,
            ..Material::new("", Surface::Lambert { albedo })
        },
        Material::mirror("mirror", vec3(0.9, 0.8, 0.7)),
        Material::new("bubble", Surface::smooth_dielectric(0.75, vec3(1.0, 0.9, 1.0))),
        Material::new("pane", Surface::ThinDielectric { ior: 1.4, tint: vec3(0.2, 1.0, 0.7) }),
        Material::new("clay", Surface::OrenNayar { albedo: vec3(0.7, 0.4, 0.3).into(), roughness: 0.85 }),
        Material::new(
            "frosted",
            Surface::Dielectric {
                ior: 1.6,
                tint: vec3(0.9, 1.0, 1.0),
                roughness: 0.3,
                anisotropy: -0.4,
                beckmann: true,
            },
        ),
        Material::new(
            "copper",
            Surface::Conductor {
                reflectance: ColorTexture { factor: vec4(0.9, 0.8, 1.0, 0.5), texture: at(color, 0, turned) },
                eta: vec3(0.200_438, 0.924_033, 1.102_212),
                k: vec3(3.912_949, 2.452_848, 2.142_188),
                roughness: 0.316,
                anisotropy: 0.71,
                roughness_texture: at(numbers, 1, sheared),
                beckmann: false,
            },
        ),
        Material::new(
            "lacquer",
            Surface::Plastic {
                diffuse: ColorTexture { factor: vec4(0.1, 0.7, 1.0, 1.0), texture: at(opaque, 0, scaled) },
                specular: vec3(0.9, 0.8, 0.7),
                ior: 1.9,
                roughness: 0.45,
                nonlinear: true,
                beckmann: true,
            },
        ),
        Material::new(
            "cloth",
            Surface::Principled {
                base_color: ColorTexture { factor: vec4(0.3, 0.6, 0.9, 0.8), texture: at(opaque, 0, turned) },
                metallic: 0.1,
                roughness: 0.35,
                anisotropy: 0.6,
                transmission: 0.2,
                ior: 1.45,
                specular_tint: 0.7,
                sheen: 0.9,
                sheen_tint: 0.25,
                flatness: 0.15,
                clearcoat: 0.8,
                clearcoat_gloss: 0.65,
                surface_texture: at(numbers, 1, sheared),
                coat_texture: at(numbers, 0, scaled),
            },
        ),
        Material {
            media: Media {
                interior: Some(Medium {
                    absorption: vec3(0.1, 2.7, 0.003),
                    scattering: vec3(0.0, 1.1, 7.7),
                    asymmetry: -0.3,
                }),
                exterior: None,
            },
            ..Material::dielectric("glass", 1.52).with_procedural(of(Pattern::Marble(marble)))
        },
        Material::lambert("wall", Vec3::ONE).with_procedural(of(Pattern::Bricks(bricks))),
        Material::lambert("table", Vec3::splat(0.5))
            .with_procedural(of(Pattern::Wood(wood)).placed(pattern_from_object)),
        Material::emitter("lamp", vec3(0.2, 0.7, 0.9)),
        Material {
            emission: Emission { radiance: Vec3::ZERO, texture: Some(color) },
            ..Material::mirror("off", Vec3::ONE)
        },
    ]
}

/// Returns a mesh with all attributes, degenerate triangles and unsorted slots.
fn full_mesh() -> MeshData {
    MeshData {
        name: "full".into(),
        positions: vec![vec3(-0.0, 0.0, 1e-40), Vec3::X, Vec3::Y, vec3(1.0, 1.0, 0.1), Vec3::NEG_Z],
        normals: vec![Vec3::Z * 2.0; 5],
        tangents: vec![vec4(1.0, 0.0, 0.0, -1.0); 5],
        uv0: vec![vec2(-3.0, 0.1); 5],
        uv1: vec![vec2(0.25, 100.7); 5],
        colors: vec![vec4(2.0, 0.5, 0.1, 0.9); 5],
        triangles: vec![[0, 1, 2], [2, 1, 3], [0, 1, 2], [3, 3, 3], [0, 4, 1]],
        shapes: Vec::new(),
        slots: vec![300, 0, 2, 0, 300],
    }
}

/// Returns a mesh of one triangle that uses few of many vertices.
fn sparse_mesh() -> MeshData {
    let positions = (0..70_000u32).map(|i| vec3(i as f32, 1.0, (i % 7) as f32)).collect();
    MeshData { positions, triangles: vec![[69_999, 3, 40_000]], ..MeshData::default() }
}

fn everything() -> Scene {
    let mut scene = Scene::default();
    let textures = textures(&mut scene);
    let materials: Vec<_> =
        materials(textures).into_iter().map(|material| scene.add_material(material).unwrap()).collect();
    let full = scene.add_mesh(Mesh::new(full_mesh()).unwrap()).unwrap();
    let sparse = scene.add_mesh(Mesh::new(sparse_mesh()).unwrap()).unwrap();
    let unused = scene.add_mesh(Mesh::new(MeshData { slots: vec![], ..full_mesh() }).unwrap()).unwrap();
    let many: Vec<_> = (0..305).map(|slot| materials[slot % materials.len()]).collect();
    let fewer: Vec<_> = (0..301).map(|slot| materials[(slot + 1) % materials.len()]).collect();

    let lights = [
        LightKind::Point,
        LightKind::Directional,
        LightKind::Spot { inner_radians: 0.3, outer_radians: 0.7, falloff: SpotFalloff::Linear },
    ];
    for kind in lights {
        let emission = vec3(683.2, 1.7, 0.003);
        scene.add_light(Light { name: format!("{kind:?}"), emission, kind }).unwrap();
    }
    let projections = [
        Projection::ThinLens { fov_y_radians: 0.9, lens_radius: 0.01, focus_distance: 3.3 },
        Projection::Perspective { fov_y_radians: 0.123 },
        Projection::Orthographic { height: 3.7 },
    ];
    let cameras = projections.map(|projection| {
        let aspect_ratio = match projection {
            Projection::ThinLens { .. } => None,
            Projection::Perspective { .. } => Some(1.75),
            Projection::Orthographic { .. } => Some(0.3),
        };
        let film = match projection {
            Projection::ThinLens { .. } => Some(CameraFilm { width: 640, height: 480, crop: None }),
            Projection::Perspective { .. } => None,
            Projection::Orthographic { .. } => {
                Some(CameraFilm { width: 30, height: 100, crop: Some([1, 2, 3, 4]) })
            }
        };
        scene.add_camera(Camera { aspect_ratio, film, ..Camera::new("", projection) }).unwrap()
    });

    // A child with a lower id than its parent, a hierarchy of three levels, a sheared and mirrored node, a hidden node
    let view = Affine3::from_translation(vec3(0.3, 0.4, 4.0));
    let child = scene.add_node(Node::new("child").with_mesh(full, many)).unwrap();
    let parent = scene.add_node(Node::new("parent").at(view).with_camera(cameras[0])).unwrap();
    let moved =
        Affine3::from_mat3_translation(Mat3::from_cols(Vec3::X, vec3(0.5, 1.0, 0.0), -Vec3::Z), Vec3::ONE);
    let node = scene.node(child).unwrap().clone().at(Affine3::from_translation(vec3(-0.3, -0.4, -4.0)));
    scene.apply(SceneEdit::Node { id: child, node: Some(node.below(parent)) }).unwrap();
    let light = scene.lights().next().unwrap().0;
    scene.add_node(Node::new("").at(moved).below(child).with_mesh(full, fewer).with_light(light)).unwrap();
    scene
        .add_node(Node { visible: false, ..Node::new("far").with_mesh(sparse, vec![materials[5]]) })
        .unwrap();
    scene
        .add_node(Node::new("copy").at(moved).with_mesh(sparse, vec![materials[6]]).with_camera(cameras[2]))
        .unwrap();
    scene.add_node(Node::new("more").with_mesh(unused, vec![materials[6], materials[7]])).unwrap();
    let [.., floats] = textures;
    let texture = floats.texture;
    let environment = Environment::Map {
        texture,
        rotation_y_radians: 0.7,
        scale: vec3(1.0, 0.5, 2.3),
        rows_at_poles: true,
    };
    scene.set_environment(environment).unwrap();
    scene.set_origin(DVec3::new(691_607.0, 120.0, -5_335_942.25)).unwrap();
    scene
}

#[test]
fn everything_is_restored() {
    check(&everything(), "everything");
}

#[test]
fn ids_are_renumbered_without_gaps() {
    let mut scene = everything();
    let hole = scene.add_material(Material::mirror("gone", Vec3::ONE)).unwrap();
    let last = scene.add_material(Material::mirror("last", Vec3::ONE)).unwrap();
    scene.apply(SceneEdit::Material { id: hole, material: None }).unwrap();
    let node = scene.add_node(Node::new("gone")).unwrap();
    let mesh = scene.meshes().last().unwrap().0;
    scene.add_node(Node::new("last").with_mesh(mesh, vec![last])).unwrap();
    scene.apply(SceneEdit::Node { id: node, node: None }).unwrap();
    check(&scene, "gaps");
}

#[test]
fn environments() {
    let mut scene = sunfleck_models::build("cornell").unwrap();
    for environment in [Environment::Black, Environment::Constant { radiance: vec3(0.1, 20.0, 0.3) }] {
        scene.set_environment(environment).unwrap();
        check(&scene, &format!("{environment:?}"));
    }
}

#[test]
fn what_other_programs_ignore_is_reported() {
    let (_, report) = saved_and_loaded(&everything(), "t.glb");
    let messages: Vec<String> = report.entries.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "note: t.glb at extensions.SUNFLECK_scene.environment: glTF has no environment light: other programs \
             will not see it",
            "note: t.glb at extensions.SUNFLECK_scene.origin: positions are relative to the origin \
             [691607.0, 120.0, -5335942.25]: other programs do not add it",
            "note: t.glb at materials: materials with media that other programs do not see: 1",
            "note: t.glb at textures[4]: glTF has no floating-point images: other programs will not see this one",
            "note: t.glb at extensions.KHR_lights_punctual.lights: spots of which other programs see the falloff of \
             glTF: 1",
        ]
    );
    let mut scene = Scene::default();
    scene.add_mesh(Mesh::new(MeshData::default()).unwrap()).unwrap();
    let report = save_bytes(&scene, Path::new("t.glb")).unwrap().report;
    assert_eq!(report.warnings().count(), 1, "a mesh without triangles is not written: {report:?}");
}

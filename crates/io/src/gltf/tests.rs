//! Tests of the import, each with a small file for one part of the specification.

mod faults;
mod glass;
mod lenient;
mod motion;
mod own;
mod placement;

use std::collections::BTreeMap;

use base64::Engine;
use serde_json::{Value, json};
use sunfleck_math::{Affine3, Vec2, Vec3, Vec4, vec2, vec3, vec4};
use sunfleck_scene::{
    Alpha, LightKind, Mesh, Projection, Scene, SpotFalloff, Surface, Texels, TextureFilter, Wrap,
};

use crate::{FileLocation, ImportError, LoadedScene, MemoryFiles, NoFiles, load_bytes};

/// Builder of a glTF file with one buffer.
#[derive(Default)]
struct Builder {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Builder {
    fn view(&mut self, bytes: &[u8], stride: Option<usize>) -> usize {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0xEE);
        }
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        self.bytes.extend(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, shape: &str, values: &[[f32; N]]) -> usize {
        let bytes: Vec<u8> = values.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes, None);
        self.accessor(
            json!({ "bufferView": view, "componentType": 5126, "count": values.len(), "type": shape }),
        )
    }

    fn bytes(&mut self, shape: &str, width: usize, normalized: bool, values: &[u8]) -> usize {
        let view = self.view(values, None);
        let count = values.len() / width;
        self.accessor(json!({
            "bufferView": view, "componentType": 5121, "count": count, "type": shape, "normalized": normalized
        }))
    }

    /// Returns the file with additional top-level members.
    fn json(&self, members: Value) -> Value {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        let mut root = json!({
            "asset": { "version": "2.0" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "mesh": 0 }],
            "buffers": [{
                "byteLength": self.bytes.len(),
                "uri": format!("data:application/octet-stream;base64,{data}")
            }],
            "bufferViews": self.views,
            "accessors": self.accessors,
        });
        for (name, member) in members.as_object().unwrap() {
            root[name] = member.clone();
        }
        root
    }

    fn load(&self, members: Value) -> LoadedScene {
        load_json(&self.json(members)).unwrap()
    }

    /// Imports a mesh of one primitive.
    fn mesh(&self, primitive: Value) -> Mesh {
        only_mesh(&self.load(json!({ "meshes": [{ "primitives": [primitive] }] })).scene)
    }
}

fn load_json(root: &Value) -> Result<LoadedScene, ImportError> {
    load_bytes("t.gltf".as_ref(), &serde_json::to_vec(root).unwrap(), &NoFiles)
}

fn only_mesh(scene: &Scene) -> Mesh {
    assert_eq!(scene.meshes().len(), 1);
    Mesh::clone(scene.meshes().next().unwrap().1)
}

const SQUARE: [[f32; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];

#[test]
fn interleaved_attributes() {
    let mut b = Builder::default();
    let normal = [0.0f32, 0.0, 1.0];
    let bytes: Vec<u8> =
        SQUARE.iter().flat_map(|p| normal.iter().chain(p)).flat_map(|v| v.to_le_bytes()).collect();
    let view = b.view(&bytes, Some(24));
    let mut accessor = |offset: usize| {
        b.accessor(json!({
            "bufferView": view, "byteOffset": offset, "componentType": 5126, "count": 4, "type": "VEC3"
        }))
    };
    let (normals, positions) = (accessor(0), accessor(12));
    let indices = b.bytes("SCALAR", 1, false, &[0, 1, 2, 0, 2, 3]);
    let mesh =
        b.mesh(json!({ "attributes": { "POSITION": positions, "NORMAL": normals }, "indices": indices }));
    assert_eq!(mesh.positions(), SQUARE.map(Vec3::from_array));
    assert_eq!(mesh.data().normals, [Vec3::Z; 4]);
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn sparse_accessors_with_and_without_base() {
    let mut b = Builder::default();
    let dense = b.floats("VEC3", &SQUARE);
    let indices = b.view(&[1, 0, 3, 0], None);
    let values: Vec<u8> = [9.0f32, 8., 7., 6., 5., 4.].iter().flat_map(|v| v.to_le_bytes()).collect();
    let values = b.view(&values, None);
    let sparse = json!({
        "count": 2,
        "indices": { "bufferView": indices, "componentType": 5123 },
        "values": { "bufferView": values }
    });
    let base = b.accessors[dense]["bufferView"].clone();
    let with_base = b.accessor(json!({
        "bufferView": base, "componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse.clone()
    }));
    let alone = b.accessor(json!({ "componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse }));
    let positions =
        |accessor: usize| b.mesh(json!({ "attributes": { "POSITION": accessor } })).positions().to_vec();
    let square = SQUARE.map(Vec3::from_array);
    assert_eq!(positions(with_base), [square[0], vec3(9., 8., 7.), square[2], vec3(6., 5., 4.)]);
    assert_eq!(positions(alone), [Vec3::ZERO, vec3(9., 8., 7.), Vec3::ZERO, vec3(6., 5., 4.)]);
}

#[test]
fn normalized_integers() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE[..3]);
    let rgb = b.bytes("VEC3", 3, true, &[255, 0, 51, 0, 255, 102, 0, 0, 255]);
    let shorts: Vec<u8> =
        [-32768i16, 32767, 0, -16384, 16384, 1].iter().flat_map(|v| v.to_le_bytes()).collect();
    let view = b.view(&shorts, None);
    let uvs = b.accessor(json!({
        "bufferView": view, "componentType": 5122, "count": 3, "type": "VEC2", "normalized": true
    }));
    let mesh = b.mesh(json!({ "attributes": { "POSITION": positions, "COLOR_0": rgb, "TEXCOORD_1": uvs } }));
    assert_eq!(mesh.data().colors[0], vec4(1.0, 0.0, 0.2, 1.0));
    assert_eq!(mesh.data().colors[1], vec4(0.0, 1.0, 0.4, 1.0));
    // f = max(c / 32767, −1)
    assert_eq!(mesh.data().uv1[0], vec2(-1.0, 1.0));
    assert_eq!(mesh.data().uv1[1], vec2(0.0, -16384.0 / 32767.0));
    assert!(mesh.data().uv0.is_empty());
}

#[test]
fn strips_and_fans_keep_their_orientation() {
    let mut b = Builder::default();
    let zigzag: Vec<[f32; 3]> = (0..6).map(|i| [(i / 2) as f32, (i % 2) as f32, 0.0]).collect();
    let strip = b.floats("VEC3", &zigzag);
    let fan = b.floats("VEC3", &[[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [-1., 1., 0.]]);
    for (mode, positions, triangles, wound) in [(5, strip, 4, -1.0), (6, fan, 3, 1.0)] {
        let mesh = b.mesh(json!({ "attributes": { "POSITION": positions }, "mode": mode }));
        assert_eq!(mesh.triangles().len(), triangles);
        for t in 0..triangles {
            let [p, q, r] = mesh.corners(u32::try_from(t).unwrap());
            assert!((q - p).cross(r - p).z * wound > 0.0, "mode {mode}, triangle {t}");
        }
    }
    let lines =
        b.load(json!({ "meshes": [{ "primitives": [{ "attributes": { "POSITION": fan }, "mode": 1 }] }] }));
    assert_eq!(lines.scene.instanced_triangle_count(), 0);
    let warnings: Vec<String> = lines.report.warnings().map(ToString::to_string).collect();
    assert_eq!(
        warnings[0],
        "warning: t.gltf at meshes[0].primitives[0]: lines are not supported: the primitive is ignored"
    );
}

#[test]
fn primitives_share_vertices_and_become_slots() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let lower = b.bytes("SCALAR", 1, false, &[0, 1, 2]);
    let upper = b.bytes("SCALAR", 1, false, &[0, 2, 3]);
    let attributes = json!({ "POSITION": positions });
    let primitive = |indices: usize, material: usize| json!({ "attributes": attributes, "indices": indices, "material": material });
    let loaded = b.load(json!({
        "materials": [{ "name": "a" }, { "name": "b" }],
        "meshes": [{ "primitives": [primitive(lower, 1), primitive(upper, 0), primitive(lower, 1)] }],
    }));
    let mesh = only_mesh(&loaded.scene);
    assert_eq!(mesh.positions().len(), 4);
    assert_eq!(mesh.data().slots, [0, 1, 0]);
    let instances = loaded.scene.world_instances();
    let names: Vec<_> =
        instances[0].materials.iter().map(|&m| loaded.scene.material(m).unwrap().name.clone()).collect();
    assert_eq!(names, ["b", "a"]);
}

#[test]
fn unused_vertices_of_a_large_array_are_removed() {
    let mut b = Builder::default();
    let many: Vec<[f32; 3]> = (0..100).map(|i| [i as f32, (i * i) as f32, 0.0]).collect();
    let positions = b.floats("VEC3", &many);
    let normals = b.floats("VEC3", &many.iter().map(|p| [1.0, p[0], 0.0]).collect::<Vec<_>>());
    let indices = b.bytes("SCALAR", 1, false, &[90, 7, 50, 50, 7, 7]);
    let loaded = b.load(json!({ "meshes": [{ "primitives": [{
        "attributes": { "POSITION": positions, "NORMAL": normals }, "indices": indices
    }] }] }));
    let mesh = only_mesh(&loaded.scene);
    assert_eq!(mesh.triangles(), [[0, 1, 2]]);
    assert_eq!(mesh.corners(0), [vec3(90., 8100., 0.), vec3(7., 49., 0.), vec3(50., 2500., 0.)]);
    assert_eq!(mesh.data().normals, [vec3(1., 90., 0.), vec3(1., 7., 0.), vec3(1., 50., 0.)]);
    assert_eq!(loaded.report.entries[0].message, "degenerate triangles removed: 1");
}

#[test]
fn missing_normals_are_flat() {
    let mut b = Builder::default();
    let roof = b.floats("VEC3", &[[0., 0., 0.], [1., 0., 0.], [0., 1., 1.], [1., 1., 1.]]);
    let flat = b.floats("VEC3", &SQUARE);
    let normals = b.floats("VEC3", &[[0., 0., 2.]; 4]);
    let indices = b.bytes("SCALAR", 1, false, &[0, 1, 2, 2, 1, 3]);
    let mesh = only_mesh(
        &b.load(json!({ "meshes": [{ "primitives": [
            { "attributes": { "POSITION": flat, "NORMAL": normals }, "indices": indices },
            { "attributes": { "POSITION": roof }, "indices": indices },
        ] }] }))
        .scene,
    );
    assert_eq!(mesh.data().normals[..4], [vec3(0., 0., 2.); 4]);
    let slope = vec3(0.0, -1.0, 1.0) * 0.5f32.sqrt();
    assert!(mesh.data().normals[4..].iter().all(|n| n.distance(slope) < 1e-6));
}

#[test]
fn normal_maps_add_tangents() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let normals = b.floats("VEC3", &[[0., 0., 1.]; 4]);
    // Texture coordinates rotated by 90°: u along +y. The bitangent n × t must point to −v, which is −x.
    let uvs = b.floats("VEC2", &SQUARE.map(|p| [p[1], p[0]]));
    let indices = b.bytes("SCALAR", 1, false, &[0, 1, 2, 0, 2, 3]);
    let loaded = b.load(json!({
        "images": [{ "uri": "data:image/x-portable-pixmap;base64,UDYgMSAxIDI1NQqAgP8=" }],
        "textures": [{ "source": 0 }],
        "materials": [{ "normalTexture": { "index": 0, "scale": 0.5, "texCoord": 1 } }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": positions, "NORMAL": normals, "TEXCOORD_1": uvs },
            "indices": indices, "material": 0
        }] }],
    }));
    assert_eq!(only_mesh(&loaded.scene).data().tangents, [vec4(0., 1., 0., 1.); 4]);
    let (_, material) = loaded.scene.materials().next().unwrap();
    let map = material.normal_map.unwrap();
    assert_eq!((map.scale, map.texture.uv_set), (0.5, 1));
    let (_, texture) = loaded.scene.textures().next().unwrap();
    assert_eq!(*texture.texels(), Texels::Linear8(vec![[128, 128, 255, 255]].into()));
}

#[test]
fn node_hierarchy() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let quarter = 0.5f32.sqrt();
    let loaded = b.load(json!({
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions } }] }],
        "nodes": [
            // A rotation of 90° about y maps x to −z.
            { "children": [1], "translation": [0, 0, 5], "rotation": [0, quarter, 0, quarter] },
            { "children": [2], "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1] },
            { "mesh": 0, "scale": [1, 3, 1] },
        ],
    }));
    let instances = loaded.scene.world_instances();
    let world_from_object: Affine3 = instances[0].world_from_object;
    // (1, 1, 0) → scale (1, 3, 0) → matrix (3, 8, 3) → rotation (3, 8, −3) → translation (3, 8, 2).
    let point = world_from_object.transform_point3(vec3(1.0, 1.0, 0.0));
    assert!(point.distance(vec3(3.0, 8.0, 2.0)) < 1e-5, "{point}");
}

#[test]
fn materials() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let primitive =
        |material: usize| json!({ "attributes": { "POSITION": positions }, "material": material });
    let loaded = b.load(json!({
        "extensionsUsed": ["KHR_materials_clearcoat", "KHR_materials_ior"],
        "images": [{ "uri": "data:image/x-portable-pixmap;base64,UDYgMSAxIDI1NQqAgP8=" }],
        "samplers": [{ "magFilter": 9728, "wrapS": 33071, "wrapT": 33648 }],
        "textures": [{ "source": 0, "sampler": 0 }],
        "materials": [
            {
                "pbrMetallicRoughness": {
                    "baseColorFactor": [0.5, 0.25, 0.125, 0.75], "metallicFactor": 0.25, "roughnessFactor": 0.5,
                    "baseColorTexture": { "index": 0, "extensions": { "KHR_texture_transform": {
                        "offset": [0.5, 0.25], "scale": [2, 3], "texCoord": 1
                    } } },
                    "metallicRoughnessTexture": { "index": 0 },
                },
                "emissiveFactor": [1, 0.5, 0],
                "extensions": { "KHR_materials_emissive_strength": { "emissiveStrength": 8 } },
                "alphaMode": "MASK", "alphaCutoff": 0.3, "doubleSided": true,
            },
            {
                "pbrMetallicRoughness": {
                    "baseColorFactor": [0.9, 1, 1, 1], "metallicFactor": 0, "roughnessFactor": 0
                },
                "extensions": {
                    "KHR_materials_transmission": { "transmissionFactor": 1 }, "KHR_materials_ior": { "ior": 1.33 }
                },
            },
            {
                "pbrMetallicRoughness": { "baseColorFactor": [0.2, 0.4, 0.6, 0.5] }, "alphaMode": "BLEND",
                "extensions": { "KHR_materials_unlit": {} },
            },
        ],
        "meshes": [{ "primitives": [primitive(0), primitive(1), primitive(2)] }],
    }));
    let materials: Vec<_> = loaded.scene.materials().map(|(_, material)| material.clone()).collect();
    let [rough, glass, unlit] = &materials[..] else { panic!("{materials:?}") };

    let Surface::MetallicRoughness { base_color, metallic, roughness, metallic_roughness_texture, .. } =
        rough.surface
    else {
        panic!("{rough:?}")
    };
    assert_eq!((base_color.factor, metallic, roughness), (vec4(0.5, 0.25, 0.125, 0.75), 0.25, 0.5));
    let color = base_color.texture.unwrap();
    assert_eq!(color.uv_set, 1);
    assert_eq!(color.uv_transform.transform_point2(Vec2::ONE), vec2(2.5, 3.25));
    assert_eq!(rough.emission.radiance, vec3(8.0, 4.0, 0.0));
    assert_eq!((rough.alpha, rough.double_sided), (Alpha::Mask { cutoff: 0.3 }, true));

    // One image, read as colour and as linear data: two textures that share their texels.
    let texture = |id| loaded.scene.texture(id).unwrap();
    let (color, linear) = (texture(color.texture), texture(metallic_roughness_texture.unwrap().texture));
    let (Texels::Srgb8(a), Texels::Linear8(b)) = (color.texels(), linear.texels()) else { panic!() };
    assert!(std::sync::Arc::ptr_eq(a, b));
    assert_eq!(color.wrap(), [Wrap::ClampToEdge, Wrap::MirroredRepeat]);
    assert_eq!(color.filter(), TextureFilter::Nearest);

    assert_eq!(glass.surface, Surface::ThinDielectric { ior: 1.33, tint: vec3(0.9, 1.0, 1.0) });
    assert_eq!(unlit.emission.radiance, vec3(0.2, 0.4, 0.6));
    let Surface::Lambert { albedo } = unlit.surface else { panic!() };
    assert_eq!((albedo.factor, unlit.alpha), (Vec4::W * 0.5, Alpha::Blend));

    let warnings: Vec<_> = loaded.report.warnings().collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].message.contains("KHR_materials_clearcoat is not supported"));
}

#[test]
fn lights_and_cameras() {
    let node = |light: usize| json!({ "extensions": { "KHR_lights_punctual": { "light": light } } });
    let loaded = load_json(&json!({
        "asset": { "version": "2.0" },
        "extensionsRequired": ["KHR_lights_punctual"],
        "extensions": { "KHR_lights_punctual": { "lights": [
            { "type": "point", "intensity": 20, "color": [1, 0.5, 0] },
            { "type": "spot", "spot": { "innerConeAngle": 0.1 } },
            { "type": "directional", "name": "sun" },
        ] } },
        "cameras": [
            { "type": "perspective", "perspective": { "yfov": 0.7, "znear": 0.1, "aspectRatio": 1.5 } },
            { "type": "orthographic", "orthographic": { "xmag": 1, "ymag": 2, "znear": 0, "zfar": 1 } },
        ],
        "scenes": [{ "nodes": [0, 1, 2, 3, 4] }],
        "nodes": [node(0), node(1), node(2), { "camera": 0 }, { "camera": 1, "translation": [1, 2, 3] }],
    }))
    .unwrap();
    let lights: BTreeMap<_, _> = loaded.scene.lights().collect();
    let [point, spot, sun] = lights.values().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!((point.kind, point.emission), (LightKind::Point, vec3(20.0, 10.0, 0.0)));
    let outer_radians = std::f32::consts::FRAC_PI_4;
    assert_eq!(
        (spot.kind, spot.emission),
        (LightKind::Spot { inner_radians: 0.1, outer_radians, falloff: SpotFalloff::Quadratic }, Vec3::ONE)
    );
    assert_eq!((sun.kind, sun.name.as_str()), (LightKind::Directional, "sun"));
    let projections: Vec<_> = loaded.scene.cameras().map(|(_, camera)| camera.projection).collect();
    assert_eq!(
        projections,
        [Projection::Perspective { fov_y_radians: 0.7 }, Projection::Orthographic { height: 4.0 }]
    );
    let aspects: Vec<_> = loaded.scene.cameras().map(|(_, camera)| camera.aspect_ratio).collect();
    assert_eq!(aspects, [Some(1.5), Some(0.5)]);
    assert_eq!(loaded.scene.world_cameras()[1].world_from_view.translation, vec3(1.0, 2.0, 3.0));
}

#[test]
fn external_files_and_glb() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let mut root =
        b.json(json!({ "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions } }] }] }));
    root["buffers"][0]["uri"] = json!("my%20data/b%C3%BCffer.bin");
    let files = MemoryFiles(BTreeMap::from([("my data/büffer.bin".to_string(), b.bytes.clone())]));
    let loaded = load_bytes("t.gltf".as_ref(), &serde_json::to_vec(&root).unwrap(), &files).unwrap();
    let expected = only_mesh(&loaded.scene);

    let without = load_json(&root).unwrap_err();
    assert_eq!(without.location(), &FileLocation::Json("buffers[0]".to_string()));

    root["buffers"][0].as_object_mut().unwrap().remove("uri");
    let glb = glb(&serde_json::to_vec(&root).unwrap(), &b.bytes);
    let loaded = load_bytes("anything".as_ref(), &glb, &NoFiles).unwrap();
    assert_eq!(only_mesh(&loaded.scene), expected);
}

/// Returns a GLB file of a JSON and a binary chunk.
fn glb(json: &[u8], binary: &[u8]) -> Vec<u8> {
    let padded = |bytes: &[u8], with: u8| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), with);
        bytes
    };
    let (json, binary) = (padded(json, b' '), padded(binary, 0));
    let length = |bytes: usize| u32::try_from(bytes).unwrap().to_le_bytes();
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(length(12 + 8 + json.len() + 8 + binary.len()));
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        glb.extend(length(chunk.len()));
        glb.extend(kind);
        glb.extend(chunk);
    }
    glb
}

#[test]
fn errors_have_locations() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let indices = b.bytes("SCALAR", 1, false, &[0, 1, 4]);
    let meshes = |primitive: Value| b.json(json!({ "meshes": [{ "primitives": [primitive] }] }));
    let whole = meshes(json!({ "attributes": { "POSITION": positions } }));
    let with = |pointer: &str, value: Value| {
        let mut root = whole.clone();
        *root.pointer_mut(pointer).unwrap() = value;
        load_json(&root).unwrap_err().to_string()
    };
    assert_eq!(
        load_json(&meshes(json!({ "attributes": { "POSITION": positions }, "indices": indices })))
            .unwrap_err()
            .to_string(),
        "t.gltf at meshes[0].primitives[0].indices: index 4 is out of range; there are 4 vertices"
    );
    assert_eq!(
        with("/meshes/0/primitives/0/attributes/POSITION", json!(7)),
        "t.gltf at meshes[0].primitives[0].attributes.POSITION: there is no accessor 7; there are 2"
    );
    assert_eq!(
        with("/accessors/0/bufferView", json!(9)),
        "t.gltf at accessors[0].bufferView: there is no buffer view 9; there are 2"
    );
    assert_eq!(
        with("/accessors/0/count", json!(5)),
        "t.gltf at accessors[0]: 5 elements are not within buffer view 0, which has 48 bytes"
    );
    assert_eq!(
        with("/accessors/0/count", json!(u64::MAX)),
        format!(
            "t.gltf at accessors[0]: {} elements are not within buffer view 0, which has 48 bytes",
            u64::MAX
        )
    );
    assert_eq!(
        with("/bufferViews/0/byteLength", json!(100)),
        "t.gltf at bufferViews[0]: 100 bytes from byte 0 on are not within buffer 0, which has 51"
    );
    assert_eq!(
        with("/buffers/0/byteLength", json!(100)),
        "t.gltf at buffers[0]: the buffer has 51 bytes instead of 100"
    );
    assert_eq!(
        with("/nodes", json!([{ "mesh": 0, "children": [0] }])),
        "t.gltf at nodes[0].children[0]: node 0 has two parents, or is its own ancestor"
    );
    assert_eq!(
        with("/asset/version", json!("1.0")),
        "t.gltf at asset.version: glTF version 1.0 is not supported; 2.0 is"
    );

    let mut draco = whole.clone();
    draco["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    let error = load_json(&draco).unwrap_err().to_string();
    assert!(
        error
            .contains("requires KHR_draco_mesh_compression; supported extensions are EXT_texture_webp, KHR_")
    );
}

#[test]
fn too_deep_hierarchies_are_refused() {
    let chain = |length: usize| -> Result<LoadedScene, ImportError> {
        let nodes: Vec<Value> =
            (1..=length).map(|child| json!({ "children": [child] })).chain([json!({})]).collect();
        load_json(&json!({ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": nodes }))
    };
    assert_eq!(chain(2000).unwrap().scene.nodes().len(), 2001, "the nodes of the file");
    assert!(chain(5000).unwrap_err().to_string().contains("more than 4096 ancestors"));
}

#[test]
fn json_errors_have_line_and_column() {
    let error = |json: &str| load_bytes("t.gltf".as_ref(), json.as_bytes(), &NoFiles).unwrap_err();
    let wrong_type = error("{\n \"asset\": { \"version\": \"2.0\" },\n \"nodes\": [{ \"mesh\": -1 }]\n}");
    assert_eq!(wrong_type.line(), Some(3));
    assert!(wrong_type.to_string().contains("bad JSON in nodes[0].mesh"), "{wrong_type}");
    let offset = usize::try_from(wrong_type.offset().unwrap()).unwrap();
    assert!((40..62).contains(&offset), "{offset}");
    let cut = error("{\n \"asset\": {");
    assert_eq!((cut.line(), cut.offset().is_some()), (Some(2), true));
    assert!(cut.to_string().starts_with("t.gltf:2:"), "{cut}");
}

#[test]
fn missing_textures_are_warnings() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let loaded = b.load(json!({
        "images": [{ "uri": "gone.png" }],
        "textures": [{ "source": 0 }, {}],
        "materials": [{
            "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } }, "emissiveFactor": [1, 1, 1],
            "emissiveTexture": { "index": 1 }
        }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions }, "material": 0 }] }],
    }));
    assert_eq!(loaded.scene.textures().len(), 0);
    let places: Vec<_> = loaded.report.warnings().map(|entry| entry.location.to_string()).collect();
    assert_eq!(places, [" at images[0]", " at textures[1]"]);
}

#[test]
fn uris_may_be_written_as_plain_names() {
    let image: &[u8] = b"P6 1 1 255\n\x01\x02\x03";
    for (uri, name) in [
        ("my%20image.ppm", "my image.ppm"),
        ("my image.ppm", "my image.ppm"),
        ("100%25.ppm", "100%25.ppm"),
        ("100%25.ppm", "100%.ppm"),
        ("textures\\image.ppm", "textures/image.ppm"),
    ] {
        let mut b = Builder::default();
        let positions = b.floats("VEC3", &SQUARE);
        let gltf = b.json(json!({
            "images": [{ "uri": uri }],
            "textures": [{ "source": 0 }],
            "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions }, "mode": 6, "material": 0 }] }],
        }));
        let files = MemoryFiles(BTreeMap::from([(name.to_string(), image.to_vec())]));
        let loaded = load_bytes("a.gltf".as_ref(), gltf.to_string().as_bytes(), &files).unwrap();
        let (_, texture) =
            loaded.scene.textures().next().unwrap_or_else(|| panic!("{uri}: {:?}", loaded.report));
        assert_eq!(*texture.texels(), Texels::Srgb8(vec![[1, 2, 3, 255]].into()), "{uri}");
    }
}

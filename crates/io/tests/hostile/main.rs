//! No input makes a loader panic: truncated files, corrupted files, random bytes after a valid header. None takes more
//! than seconds of time, or more memory than a small multiple of the file.

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

mod bounds;
mod kinds;

use proptest::prelude::*;
use serde_json::{Value, json};
use sunfleck_io::{MemoryFiles, NoFiles, load_bytes, save_bytes};

const OBJ: &[u8] =
    b"mtllib x.mtl\no a\nv 0 0 0\nv 1 0 0 1 0 0\nv 1 1 0\nv 0.5 0.25 0\nv 0 1 0\nvt 0 1\nvn 0 0 1\n\
    usemtl m\nf 1/1/1 2/1/1 3/1/1 4/1/1 5/1/1\nf -1 -2 -3\ns off\nf 1//1 \\\n2//1 3\ns 2\nf 1 2 6\nv 9 9 9\n";

const OFF: &[u8] =
    b"COFF\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 9 9 9\n1 1 0 1. 1. 1.\n0 1 0 1 2 3\n4 0 1 2 3 9\n3 0 1 2\n";

const PLY_TEXT: &[u8] = b"ply\nformat ascii 1.0\ncomment TextureFile t.png\nelement vertex 3\nproperty float x\nproperty float y\n\
    property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty list uchar int l\n\
    element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n\
    property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n\
    0 0 0 1 2 3 0\n1 0 0 1 2 3 2 7 8\n0 1 0 1 2 3 1 9\n3 0 1 2 6 0 0 1 0 1 1 7 8 9\n4 0 1 2 0 0 7 8 9\n";

const AFF: &[u8] = include_bytes!("sample.aff");

const GLTF: &str = r#"{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 1] }],
    "extensionsUsed": ["KHR_texture_transform", "X"],
    "nodes": [{ "mesh": 0, "skin": 0, "weights": [0.5], "children": [2], "rotation": [0, 0, 0, 1] }, { "camera": 0 },
        { "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 1,2,3,1],
          "extensions": { "KHR_lights_punctual": { "light": 0 } } }],
    "cameras": [{ "type": "perspective", "perspective": { "yfov": 0.8, "znear": 0.1 } }],
    "extensions": { "KHR_lights_punctual": { "lights": [{ "type": "spot", "intensity": 3 }] } },
    "meshes": [{ "primitives": [
        { "attributes": { "POSITION": 0, "TEXCOORD_0": 2, "JOINTS_0": 4, "WEIGHTS_0": 5 }, "indices": 1, "material": 0,
          "mode": 5, "targets": [{ "POSITION": 0 }] },
        { "attributes": { "POSITION": 3, "NORMAL": 0 }, "targets": [{ "POSITION": 3, "NORMAL": 0 }] }] }],
    "skins": [{ "joints": [2], "inverseBindMatrices": 6 }],
    "animations": [{ "channels": [
            { "sampler": 0, "target": { "node": 2, "path": "rotation" } },
            { "sampler": 1, "target": { "node": 0, "path": "weights" } },
            { "sampler": 2, "target": { "node": 2, "path": "scale" } }],
        "samplers": [{ "input": 7, "output": 8 }, { "input": 7, "output": 7, "interpolation": "STEP" },
            { "input": 9, "output": 10, "interpolation": "CUBICSPLINE" }] }],
    "materials": [{ "normalTexture": { "index": 0, "extensions": { "KHR_texture_transform": { "rotation": 1 } } },
        "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 }, "roughnessFactor": 0.5 } }],
    "textures": [{ "source": 0, "sampler": 0 }], "samplers": [{ "wrapS": 33071 }],
    "images": [{ "bufferView": 2 }], "buffers": [{ "byteLength": 132 }],
    "accessors": [
        { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" },
        { "bufferView": 1, "componentType": 5121, "count": 4, "type": "SCALAR" },
        { "bufferView": 3, "componentType": 5126, "count": 4, "type": "VEC2" },
        { "componentType": 5126, "count": 4, "type": "VEC3", "sparse": { "count": 2,
            "indices": { "bufferView": 1, "componentType": 5121 }, "values": { "bufferView": 0 } } },
        { "bufferView": 5, "componentType": 5121, "count": 4, "type": "VEC4" },
        { "bufferView": 4, "componentType": 5126, "count": 4, "type": "VEC4" },
        { "bufferView": 4, "componentType": 5126, "count": 1, "type": "MAT4" },
        { "bufferView": 4, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "SCALAR" },
        { "bufferView": 4, "componentType": 5126, "count": 2, "type": "VEC4" },
        { "bufferView": 4, "componentType": 5126, "count": 1, "type": "SCALAR" },
        { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
    "bufferViews": [{ "buffer": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": 4 },
        { "buffer": 0, "byteOffset": 84, "byteLength": 17 }, { "buffer": 0, "byteOffset": 52, "byteLength": 32 },
        { "buffer": 0, "byteLength": 132 }, { "buffer": 0, "byteOffset": 112, "byteLength": 16 }] }"#;

const MITSUBA: &[u8] = br#"<scene version="3.0.0"><default name="r" value="2"/><path value="x"/>
    <bsdf type="mask" id="m"><float name="opacity" value=".5"/><bsdf type="twosided"><bsdf type="roughconductor">
    <string name="material" value="Au"/><texture name="alpha" type="checkerboard"><transform name="to_uv">
    <scale value="4"/></transform></texture></bsdf></bsdf></bsdf><alias id="m" as="n"/>
    <shape type="cube"><ref id="n"/><transform name="to_world"><rotate y="1" angle="30"/></transform></shape>
    <shape type="shapegroup" id="g"><shape type="sphere"><float name="radius" value="$r"/></shape></shape>
    <shape type="instance"><ref id="g"/></shape><emitter type="constant"><spectrum name="radiance" value="400:1 700:2"/>
    </emitter><sensor type="perspective"><float name="fov" value="40"/><film type="hdrfilm">
    <integer name="width" value="8"/></film></sensor></scene>"#;

const PBRT: &[u8] =
    br#"LookAt 0 5 1 0 0 0 0 0 1 Camera "perspective" "float fov" [ 40 ] "float lensradius" .1
    Film "rgb" "integer xresolution" 64 # a comment
    WorldBegin LightSource "infinite" "blackbody L" 6500 LightSource "spot" "spectrum I" "stdillum-A"
    Texture "t" "spectrum" "checkerboard" "rgb tex1" [1 0 0] "float uscale" 4
    MakeNamedMaterial "m" "string type" "conductor" "spectrum eta" "metal-Au-eta" "float roughness" 0.1
    AttributeBegin Rotate 30 0 0 1 NamedMaterial "m" Attribute "shape" "integer levels" 1
    Shape "loopsubdiv" "point3 P" [1 1 1 1 -1 -1 -1 1 -1 -1 -1 1] "integer indices" [0 1 2 0 3 1 0 2 3 1 3 2]
    AttributeEnd ObjectBegin "o" Material "coateddiffuse" "texture reflectance" "t"
    Shape "bilinearmesh" "point3 P" [0 0 0 1 0 0 0 1 0 1 1 1] AreaLightSource "diffuse" "rgb L" [1 2 3]
    Shape "disk" "float alpha" 0.5 "bool twosided" true ObjectEnd ObjectInstance "o" Translate 1 2 3
    ObjectInstance "o" Shape "trianglemesh" "point3 P" [0 0 0 1 0 0 0 1 0] "normal N" [0 0 1 0 0 1 0 0 1]"#;

fn glb() -> Vec<u8> {
    glb_with(GLTF.as_bytes())
}

/// Returns a GLB file with the given JSON and the binary chunk that [`GLTF`] describes.
fn glb_with(json: &[u8]) -> Vec<u8> {
    let mut binary: Vec<u8> = Vec::new();
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    binary.extend(floats(&[0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.]));
    binary.extend([0, 1, 2, 3]);
    binary.extend(floats(&[0., 0., 1., 0., 0., 1., 1., 1.]));
    binary.extend(b"P6 1 2 255\n\x80\x80\xff\x10\x80\xff");
    binary.resize(132, 0);
    let mut json = json.to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        glb.extend(u32::try_from(chunk.len()).unwrap().to_le_bytes());
        glb.extend(kind);
        glb.extend(chunk);
    }
    glb
}

fn ply_binary() -> Vec<u8> {
    let mut bytes = b"ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property double z\nproperty list ushort float l\nelement face 2\nproperty list uchar uint vertex_index\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
        .to_vec();
    for i in 0..4u8 {
        bytes.extend([f32::from(i), f32::from(i % 2)].iter().flat_map(|v| v.to_be_bytes()));
        bytes.extend(0.5f64.to_be_bytes());
        bytes.extend([0, 1, 0, 0, 0, 0]);
    }
    bytes.extend([3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
    bytes.extend([4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]);
    bytes.extend([4i32, 0, 1, 2, 3].iter().flat_map(|v| v.to_be_bytes()));
    bytes
}

fn stl() -> Vec<u8> {
    let mut bytes = b"COLOR=\x01\x02\x03\x04".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(2u32.to_le_bytes());
    for i in 0..2 {
        bytes.extend(
            [0.0f32, 0., 1., 0., 0., 0., 1., 0., i as f32, 0., 1., 0.].iter().flat_map(|v| v.to_le_bytes()),
        );
        bytes.extend([i, 0]);
    }
    bytes
}

/// Returns valid files of all formats.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("t.obj", OBJ.to_vec()),
        ("t.off", OFF.to_vec()),
        ("t.aff", AFF.to_vec()),
        ("t.ply", PLY_TEXT.to_vec()),
        ("t.ply", ply_binary()),
        ("t.stl", stl()),
        ("t.glb", glb()),
        ("t.glb", exported("t.glb")),
        ("t.xml", MITSUBA.to_vec()),
        ("t.pbrt", PBRT.to_vec()),
    ]
}

/// Returns the glTF sample as it is exported, with the extension `SUNFLECK_scene`.
fn exported(name: &str) -> Vec<u8> {
    let loaded = load_bytes("t.glb".as_ref(), &glb(), &NoFiles).unwrap();
    save_bytes(&loaded.scene, name.as_ref()).unwrap().bytes
}

#[test]
fn the_samples_are_valid() {
    for (name, bytes) in samples() {
        let loaded = load_bytes(name.as_ref(), &bytes, &NoFiles).unwrap_or_else(|error| panic!("{error}"));
        assert!(loaded.scene.instanced_triangle_count() > 1, "{name}");
        if name == "t.glb" {
            assert_eq!(
                (loaded.scene.animations().len(), loaded.scene.deformers().len()),
                (1, 1),
                "{name}: animations and deformers"
            );
        }
    }
}

#[test]
fn truncated_files_do_not_panic() {
    for (name, bytes) in samples() {
        for length in 0..bytes.len() {
            if let Err(error) = load_bytes(name.as_ref(), &bytes[..length], &NoFiles) {
                assert!(error.to_string().len() < 600, "one sentence: {error}");
                assert!(
                    error.offset().is_none_or(|offset| offset <= length as u64),
                    "the offset of the error is beyond the {length} bytes: {error}"
                );
            }
        }
    }
}

/// Bytes that have a meaning in some format: extreme values, separators, digits.
fn corrupt_byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        any::<u8>(),
        Just(0u8),
        Just(0x7F),
        Just(0xFF),
        prop::sample::select(b"0123456789-+.eE/ \n\\[]{},\"<>$:".to_vec())
    ]
}

/// Returns all numbers of a JSON document.
fn numbers(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Number(_) => vec![value],
        Value::Array(values) => values.iter_mut().flat_map(numbers).collect(),
        Value::Object(members) => members.values_mut().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

fn extreme_number() -> impl Strategy<Value = Value> {
    let codes = (5120u32..5127).prop_map(|code| json!(code));
    let small = (0u32..10).prop_map(|n| json!(n));
    let near = (40u32..140).prop_map(|n| json!(n));
    let extremes = prop::sample::select(vec![
        json!(-1),
        json!(0.5),
        json!(1e30),
        json!(-1e39),
        json!(u32::MAX),
        json!(1u64 << 32),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(u64::MAX / 4),
        json!(1_000_000_000),
    ]);
    prop_oneof![codes, small, near, extremes]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn corrupted_files_do_not_panic(
        which in 0usize..8,
        changes in prop::collection::vec((any::<prop::sample::Index>(), corrupt_byte()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (name, mut bytes) = samples().swap_remove(which);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Err(error) = load_bytes(name.as_ref(), &bytes, &NoFiles) {
            prop_assert!(error.file().ends_with(name));
        }
    }

    /// The JSON stays well-formed, so the wrong numbers reach the importer.
    #[test]
    fn wrong_numbers_in_gltf_do_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), extreme_number()), 1..4),
    ) {
        let mut root: Value = serde_json::from_str(GLTF).unwrap();
        for (which, number) in changes {
            let mut numbers = numbers(&mut root);
            let at = which.index(numbers.len());
            *numbers[at] = number;
        }
        let glb = glb_with(&serde_json::to_vec(&root).unwrap());
        if let Err(error) = load_bytes("t.glb".as_ref(), &glb, &NoFiles) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn wrong_numbers_in_sunfleck_scene_do_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), extreme_number()), 1..4),
    ) {
        let mut root: Value = serde_json::from_slice(&exported("t.gltf")).unwrap();
        for (which, number) in changes {
            let mut numbers = numbers(&mut root);
            let at = which.index(numbers.len());
            *numbers[at] = number;
        }
        if let Ok(loaded) = load_bytes("t.gltf".as_ref(), root.to_string().as_bytes(), &NoFiles) {
            // A loaded scene can be animated and saved
            for (id, animation) in loaded.scene.animations() {
                let _ = loaded.scene.pose(id, animation.duration_secs() * 0.5);
            }
            prop_assert!(save_bytes(&loaded.scene, "t.glb".as_ref()).is_ok());
        }
    }

    #[test]
    fn corrupted_material_libraries_do_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), corrupt_byte()), 1..8),
    ) {
        let mut library = b"newmtl m\nKd 1 0.5 0\nKs 1\nNs 9\nPr 0.5\nTr 0.5\nillum 2\nbump -bm 2 -imfchan g i.ppm\n\
            map_Pr -mm 0 1 -s 2 2 i.ppm\nmap_Pm -clamp on i.ppm\nmap_d i.ppm\nmap_Ke i.ppm\n".to_vec();
        for (at, byte) in changes {
            let at = at.index(library.len());
            library[at] = byte;
        }
        let image = b"P6 2 1 255\n\x80\x80\xff\x10\x80\xff".to_vec();
        let files = [("m.mtl".to_string(), library), ("i.ppm".to_string(), image)];
        let obj = b"mtllib m.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n";
        let loaded = load_bytes("t.obj".as_ref(), obj, &MemoryFiles(files.into()));
        prop_assert!(loaded.is_ok(), "{:?}", loaded.err());
    }

    #[test]
    fn random_bytes_do_not_panic(name in prop::sample::select(vec!["x.gltf", "x.glb", "x.obj", "x.ply", "x.off", "x.stl", "x.bpt", "x.aff", "x.xml", "x.pbrt"]),
        noise in prop::collection::vec(corrupt_byte(), 0..200)) {
        let _ = load_bytes(name.as_ref(), &noise, &NoFiles);
        let _ = load_bytes(name.as_ref(), &[b"ply\nformat ascii 1.0\n", &noise[..]].concat(), &NoFiles);
    }
}

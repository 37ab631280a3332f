//! Files that deviate from the specification without harm.

use serde_json::json;
use sunfleck_math::vec3;

use super::{Builder, SQUARE, glb, load_json, only_mesh};
use crate::{HostFiles, NoFiles, load_bytes};

#[test]
fn whole_numbers_may_have_a_fraction_of_zero() {
    let text = r#"{ "asset": { "version": "2.0" }, "scene": 0.0, "scenes": [{ "nodes": [0.0, 1] }],
        "nodes": [{ "mesh": 0.0 }, { "camera": 0, "translation": [1.0, 2.5, 3] }],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 1.0, "znear": 1 } }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0.0 }, "mode": 4.0 }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126.0, "count": 3.0, "type": "VEC3" }],
        "bufferViews": [{ "buffer": 0.0, "byteLength": 36.0 }],
        "buffers": [{ "byteLength": 36.0, "uri": "data:,%00%00%00%00%00%00%00%00%00%00%00%00%00%00%80%3F%00%00%00%00%00%00%00%00%00%00%00%00%00%00%80%3F%00%00%00%00" }] }"#;
    let loaded = load_bytes("t.gltf".as_ref(), text.as_bytes(), &NoFiles).unwrap();
    // The buffer is percent-encoded
    assert_eq!(only_mesh(&loaded.scene).positions()[1], vec3(1.0, 0.0, 0.0));
    assert_eq!(loaded.scene.world_cameras()[0].world_from_view.translation, vec3(1.0, 2.5, 3.0));
    for fraction in ["0.5", "-1.0", "1e300"] {
        let text = text.replace(r#""mesh": 0.0"#, &format!(r#""mesh": {fraction}"#));
        let error = load_bytes("t.gltf".as_ref(), text.as_bytes(), &NoFiles).unwrap_err();
        assert!(error.to_string().starts_with("t.gltf at nodes[0].mesh: bad JSON: invalid"), "{error}");
    }
}

#[test]
fn an_error_of_type_has_its_line_although_other_numbers_are_whole() {
    let text = "{ \"asset\": { \"version\": \"2.0\" },\n  \"nodes\": [{ \"scale\": [1.0, 1.0, 1.0] }, { \"mesh\": \"one\" }] }";
    let error = load_bytes("t.gltf".as_ref(), text.as_bytes(), &NoFiles).unwrap_err();
    assert_eq!(error.line(), Some(2), "{error}");
    assert!(error.to_string().contains("bad JSON in nodes[1].mesh: invalid type"), "{error}");
}

#[test]
fn data_uris_need_not_be_base64() {
    let b = Builder::default();
    let load = |uri: &str| {
        load_json(&b.json(json!({ "buffers": [{ "byteLength": 3, "uri": uri }], "nodes": [{}] })))
    };
    for uri in
        ["data:,a%20c", "data:text/plain;charset=utf-8,abc", "data:;base64,YWJj", "data:;base64,YWJ%6A"]
    {
        assert!(load(uri).is_ok(), "{uri}: {:?}", load(uri));
    }
    let error = load("data:abc").unwrap_err().to_string();
    assert_eq!(error, "t.gltf at buffers[0]: the data: URI has no comma between its type and its data");
}

#[test]
fn windows_paths_may_climb() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("scene")).unwrap();
    std::fs::create_dir_all(folder.path().join("textures")).unwrap();
    std::fs::write(folder.path().join("textures/a.ppm"), b"P6 1 1 255\n\x01\x02\x03").unwrap();
    let files = HostFiles::beside(&folder.path().join("scene/t.gltf"));
    let textures = |uri: &str| {
        let mut b = Builder::default();
        let positions = b.floats("VEC3", &SQUARE);
        let primitive = json!({ "attributes": { "POSITION": positions }, "material": 0 });
        let root = b.json(json!({
            "images": [{ "uri": uri }], "textures": [{ "source": 0 }],
            "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
            "meshes": [{ "primitives": [primitive] }],
        }));
        let json = serde_json::to_vec(&root).unwrap();
        load_bytes("t.gltf".as_ref(), &json, &files).unwrap().scene.textures().len()
    };
    for uri in ["../textures/a.ppm", r"..\textures\a.ppm", r".\..\textures\A.ppm", "../textures/%61.ppm"] {
        assert_eq!(textures(uri), 1, "{uri}");
    }
    for uri in [r"%2e%2e\textures\a.ppm", "..%5ctextures%5ca.ppm", "%2E%2e/textures/a.ppm"] {
        assert_eq!(textures(uri), 0, "{uri}");
    }
}

#[test]
fn bytes_after_the_chunks_of_a_glb_are_ignored() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let mut root =
        b.json(json!({ "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions } }] }] }));
    root["buffers"][0].as_object_mut().unwrap().remove("uri");
    let file = glb(&serde_json::to_vec(&root).unwrap(), &b.bytes);
    let unknown_chunk = [&4u32.to_le_bytes()[..], b"XTRA", b"1234"].concat();
    for more in [&b"\0"[..], b"junk after the file", &unknown_chunk] {
        let mut file = file.clone();
        file.extend(more);
        let loaded = load_bytes("t.glb".as_ref(), &file, &NoFiles).unwrap();
        assert_eq!(loaded.scene.instanced_triangle_count(), 1, "{more:?}");
    }
}

#[test]
fn unknown_and_empty_extensions_do_no_harm() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let loaded = b.load(json!({
        "extensionsUsed": ["KHR_lights_punctual"],
        "extensions": { "KHR_lights_punctual": { "new": 1, "lights": [
            { "type": "area", "width": 2 }, {}, { "type": "point", "shadow": true }
        ] } },
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions }, "material": 0,
            "extensions": { "KHR_materials_variants": {} } }] }],
        "materials": [{ "extensions": { "KHR_materials_ior": {}, "KHR_materials_transmission": { "x": [] },
            "KHR_materials_emissive_strength": {}, "KHR_materials_unlit": {} } }],
        "nodes": [
            { "mesh": 0, "children": [1, 2, 3, 4], "extensions": { "KHR_node_visibility": {} } },
            { "extensions": { "KHR_lights_punctual": { "light": 0 } } },
            { "extensions": { "KHR_lights_punctual": { "light": 1 } } },
            { "extensions": { "KHR_lights_punctual": { "light": 2, "range": 1 } } },
            { "extensions": { "KHR_lights_punctual": {} } },
        ],
    }));
    assert_eq!(loaded.scene.lights().len(), 1);
    let warnings: Vec<_> = loaded.report.warnings().map(ToString::to_string).collect();
    let expected = |light: usize| {
        format!(
            "warning: t.gltf at extensions.KHR_lights_punctual.lights[{light}]: the type of the light is not supported: \
             the light is ignored"
        )
    };
    assert_eq!(warnings, [expected(0), expected(1)]);
}

//! One faulty element does not cost the others, and nothing is lost without a word.

use serde_json::{Value, json};
use sunfleck_math::{Affine3, Vec2, Vec3, Vec4};

use super::{Builder, SQUARE, load_json, only_mesh};
use crate::LoadedScene;

fn warnings(loaded: &LoadedScene) -> Vec<String> {
    loaded.report.warnings().map(|entry| format!("{}: {}", entry.location, entry.message)).collect()
}

fn notes(loaded: &LoadedScene) -> Vec<String> {
    loaded.report.entries.iter().map(|entry| entry.message.clone()).collect()
}

#[test]
fn invalid_attributes_are_repaired_and_counted_once() {
    let mut b = Builder::default();
    let nan = f32::NAN;
    let positions = b.floats("VEC3", &SQUARE);
    let normals = b.floats("VEC3", &[[0., 1., 0.], [0.; 3], [nan; 3], [f32::INFINITY, 0., 0.]]);
    let uvs = b.floats("VEC2", &[[0.5, 0.5], [nan, 0.], [0., 0.], [0., nan]]);
    let colors = b.floats("VEC4", &[[0.5; 4], [0.5; 4], [nan, 0., 0., 1.], [0.5; 4]]);
    let tangents =
        b.floats("VEC4", &[[1., 0., 0., 1.], [0., 0., 0., 1.], [1., 0., 0., nan], [1., 0., 0., 1.]]);
    let indices = b.bytes("SCALAR", 1, false, &[0, 1, 2, 0, 2, 3]);
    let loaded = b.load(json!({ "meshes": [{ "primitives": [{ "attributes": {
        "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs, "COLOR_0": colors, "TANGENT": tangents,
    }, "indices": indices }] }] }));
    let mesh = only_mesh(&loaded.scene);
    // The given normal stays, the others are those of the square
    assert_eq!(mesh.data().normals, [Vec3::Y, Vec3::Z, Vec3::Z, Vec3::Z]);
    assert_eq!(mesh.data().uv0, [Vec2::splat(0.5), Vec2::ZERO, Vec2::ZERO, Vec2::ZERO]);
    assert_eq!(mesh.data().colors[2], Vec4::ONE);
    let at = " at meshes[0].primitives[0].attributes";
    assert_eq!(
        warnings(&loaded),
        [
            format!("{at}.NORMAL: invalid normals, which are computed instead: 3"),
            format!("{at}.TANGENT: invalid tangents, which are computed instead: 2"),
            format!("{at}: invalid texture coordinates, which become (0, 0): 2"),
            format!("{at}.COLOR_0: invalid vertex colours, which become white: 1"),
        ]
    );
}

#[test]
fn triangles_with_invalid_vertices_are_skipped() {
    let mut b = Builder::default();
    let [a, b0, c, d] = SQUARE;
    let positions = b.floats("VEC3", &[a, b0, c, d, [f32::NAN, 0., 0.]]);
    let indices = b.bytes("SCALAR", 1, false, &[0, 1, 2, 0, 2, 4, 0, 2, 3, 7, 8, 9]);
    let primitive = json!({ "attributes": { "POSITION": positions }, "indices": indices });
    let loaded = b.load(json!({ "meshes": [{ "primitives": [primitive] }] }));
    assert_eq!(only_mesh(&loaded.scene).triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(
        warnings(&loaded),
        [
            " at meshes[0].primitives[0].attributes.POSITION: triangles skipped, since a vertex is not finite: 1",
            " at meshes[0].primitives[0].indices: triangles skipped, since an index is out of range: 1"
        ]
    );
}

#[test]
fn repaired_vertices_are_not_shared() {
    let mut b = Builder::default();
    let [a, b0, c, d] = SQUARE;
    let positions = b.floats("VEC3", &[a, b0, c, d, [f32::NAN, 0., 0.]]);
    let normals = b.floats("VEC3", &[[0., 0., 1.], [0., 0., 1.], [0., 0., 1.], [0.; 3], [0., 0., 1.]]);
    let attributes = json!({ "POSITION": positions, "NORMAL": normals });
    let mut primitive =
        |indices: &[u8]| json!({ "attributes": attributes, "indices": b.bytes("SCALAR", 1, false, indices) });
    // The second one alone uses the vertex that is not finite, and the one without a normal
    let primitives = [primitive(&[0, 1, 2]), primitive(&[0, 2, 3, 0, 2, 4])];
    let loaded = b.load(json!({ "meshes": [{ "primitives": primitives }] }));
    let mesh = only_mesh(&loaded.scene);
    assert_eq!(mesh.triangles().len(), 2, "{mesh:?}");
    let used = |&v: &u32| (mesh.positions()[v as usize], mesh.data().normals[v as usize]);
    let corners: Vec<(Vec3, Vec3)> = mesh.triangles().as_flattened().iter().map(used).collect();
    assert!(corners.iter().all(|(_, normal)| *normal == Vec3::Z), "{corners:?}");
    let expected = "triangles skipped, since a vertex is not finite: 1";
    assert!(warnings(&loaded).iter().any(|warning| warning.ends_with(expected)), "{:?}", warnings(&loaded));
}

#[test]
fn a_faulty_mesh_of_several_nodes_is_one_warning() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let nan = b.floats("VEC3", &[[f32::NAN; 3]; 3]);
    let mesh = |accessor: usize| json!({ "primitives": [{ "attributes": { "POSITION": accessor } }] });
    let loaded = b.load(json!({
        "meshes": [mesh(positions), mesh(nan), mesh(9)],
        "nodes": [
            { "mesh": 0, "children": [1, 2, 3, 4] }, { "mesh": 1 }, { "mesh": 1 }, { "mesh": 2 }, { "mesh": 2 },
        ],
    }));
    assert_eq!(warnings(&loaded).len(), 2, "{:?}", warnings(&loaded));
}

#[test]
fn faulty_objects_are_left_out() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let short = b.floats("VEC3", &SQUARE[..3]);
    let good = |material: usize| json!({ "attributes": { "POSITION": positions }, "material": material });
    let loaded = b.load(json!({
        "meshes": [
            { "primitives": [good(0), { "attributes": { "POSITION": 9 } }, good(7)] },
            { "primitives": [{ "attributes": { "POSITION": positions, "NORMAL": short } }] },
        ],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 5 } } }],
        "nodes": [
            { "mesh": 0, "children": [1, 2, 3, 4] },
            { "mesh": 1 },
            { "mesh": 8 },
            { "camera": 3 },
            { "scale": [1e39, 1, 1], "extensions": { "KHR_lights_punctual": { "light": 2 } } },
        ],
    }));
    assert_eq!(loaded.scene.instanced_triangle_count(), 2, "{loaded:?}");
    assert_eq!(loaded.scene.nodes().len(), 5);
    assert_eq!(loaded.scene.nodes().last().unwrap().1.parent_from_node, Affine3::IDENTITY);
    let warnings = warnings(&loaded);
    assert_eq!(warnings.len(), 8, "{warnings:#?}");
    for expected in [
        " at meshes[0].primitives[1].attributes.POSITION: the primitive is ignored: there is no accessor 9",
        " at materials[0].pbrMetallicRoughness.baseColorTexture: the texture is ignored: there is no texture 5",
        " at materials[7]: there is no such material; there are 1: the default is used",
        " at meshes[1].primitives[0].attributes.NORMAL: the primitive is ignored: NORMAL has 3 elements",
        " at nodes[2].mesh: the mesh is ignored: there is no mesh 8",
        " at nodes[3].camera: the camera is ignored: there is no camera 3",
        " at nodes[4]: the transform of the node is not finite and is ignored",
        " at nodes[4].extensions.KHR_lights_punctual.light: the light is ignored: there is no light 2",
    ] {
        assert!(warnings.iter().any(|warning| warning.starts_with(expected)), "{expected}: {warnings:#?}");
    }
}

#[test]
fn what_is_not_imported_is_noted_once() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let uvs = b.floats("VEC2", &[[0.; 2]; 4]);
    let primitive = json!({ "attributes": {
        "POSITION": positions, "TEXCOORD_0": uvs, "TEXCOORD_2": uvs, "_WEAR": positions, "COLOR_1": positions,
    } });
    let loaded = b.load(json!({
        "meshes": [{ "primitives": [primitive, primitive], "extras": { "targetNames": [] } }],
        "nodes": [{ "mesh": 0, "extras": { "a": 1 } }],
        "materials": [{ "extras": {}, "occlusionTexture": { "index": 0 } }],
        "extras": 5,
    }));
    let notes = notes(&loaded);
    for expected in [
        "vertex attributes that are not used: COLOR_1, TEXCOORD_2, _WEAR",
        "extras are not imported: those of 3 objects",
        "occlusion textures are not used, since occlusion is computed: those of 1 materials",
    ] {
        assert_eq!(notes.iter().filter(|note| *note == expected).count(), 1, "{expected}: {notes:#?}");
    }
}

#[test]
fn a_third_set_of_texture_coordinates_is_read_if_two_are_used() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let set = |b: &mut Builder, value: f32| b.floats("VEC2", &[[value; 2]; 4]);
    let [first, second, third] = [0.25, 0.5, 0.75].map(|value| set(&mut b, value));
    let image = b.view(b"P6 1 1 255\n\x80\x80\xff", None);
    let load = |normal_set: u32, b: &Builder| {
        b.load(json!({
            "images": [{ "bufferView": image }], "textures": [{ "source": 0 }],
            "materials": [{
                "pbrMetallicRoughness": { "baseColorTexture": { "index": 0, "texCoord": 2 } },
                "emissiveTexture": { "index": 0, "texCoord": normal_set }, "emissiveFactor": [1, 1, 1],
            }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions, "TEXCOORD_0": first,
                "TEXCOORD_1": second, "TEXCOORD_2": third }, "material": 0 }] }],
        }))
    };
    for (other, expected) in [(0, 0.25), (1, 0.5)] {
        let loaded = load(other, &b);
        let mesh = only_mesh(&loaded.scene);
        assert_eq!((mesh.data().uv0[0].x, mesh.data().uv1[0].x), (expected, 0.75));
        let (_, material) = loaded.scene.materials().next().unwrap();
        let sunfleck_scene::Surface::MetallicRoughness { base_color, .. } = &material.surface else {
            panic!()
        };
        assert_eq!(base_color.texture.unwrap().uv_set, 1);
        assert_eq!(material.emission.texture.unwrap().uv_set, 0);
    }
}

#[test]
fn a_file_without_a_good_triangle_is_refused() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE[..2]);
    let bad = |attributes: Value| json!({ "meshes": [{ "primitives": [{ "attributes": attributes }] }] });
    let root = b.json(bad(json!({ "POSITION": positions + 1 })));
    assert!(load_json(&root).unwrap_err().to_string().contains("there is no accessor 1"));
    let nan = b.floats("VEC3", &[[f32::NAN, 0., 0.]; 3]);
    let error = load_json(&b.json(bad(json!({ "POSITION": nan })))).unwrap_err().to_string();
    let place = "t.gltf at meshes[0].primitives[0].attributes.POSITION";
    assert_eq!(error, format!("{place}: a vertex has a coordinate that is not a finite number"));
    let empty = load_json(&b.json(json!({ "nodes": [{}] }))).unwrap();
    assert_eq!(empty.scene.instanced_triangle_count(), 0, "nothing is wrong with an empty scene");
}

#[test]
fn files_without_visible_triangles_are_refused_only_if_a_fault_cost_them() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let no_light = json!({ "extensions": { "KHR_lights_punctual": { "light": 2 } }, "children": [1] });
    let rig = load_json(&b.json(json!({ "nodes": [no_light, { "camera": 3 }] }))).unwrap();
    assert_eq!(warnings(&rig).len(), 3, "the light, the camera, no triangles: {:?}", warnings(&rig));
    let hidden = load_json(&b.json(json!({
        "meshes": [{ "primitives": [
            { "attributes": { "POSITION": positions }, "material": 0 }, { "attributes": { "POSITION": 7 } },
        ] }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 5 } } }],
        "nodes": [{ "mesh": 0, "extensions": { "KHR_node_visibility": { "visible": false } } }],
    })));
    assert_eq!(hidden.unwrap().scene.meshes().len(), 1);
}

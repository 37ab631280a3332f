use std::collections::BTreeMap;

use sunfleck_math::{Vec3, vec2, vec3};
use sunfleck_scene::{Alpha, Mesh, Scene, Surface, Texels, Wrap};

use crate::{LoadedScene, MemoryFiles, NoFiles, load_bytes};

pub(super) fn load(obj: &str) -> LoadedScene {
    load_bytes("t.obj".as_ref(), obj.as_bytes(), &NoFiles).unwrap()
}

fn load_with(obj: &str, files: &[(&str, &[u8])]) -> LoadedScene {
    let files = files.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec()));
    load_bytes("t.obj".as_ref(), obj.as_bytes(), &MemoryFiles(files.collect())).unwrap()
}

fn error(obj: &str) -> String {
    load_bytes("t.obj".as_ref(), obj.as_bytes(), &NoFiles).unwrap_err().to_string()
}

fn only_mesh(scene: &Scene) -> Mesh {
    assert_eq!(scene.meshes().len(), 1);
    Mesh::clone(scene.meshes().next().unwrap().1)
}

/// Returns the positions of the corners of all triangles.
fn corners(mesh: &Mesh) -> Vec<[Vec3; 3]> {
    (0..u32::try_from(mesh.triangles().len()).unwrap()).map(|t| mesh.corners(t)).collect()
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25 0.75\nvn 0 0 1\n";

#[test]
fn all_forms_of_indices() {
    let expected = corners(&only_mesh(&load(&format!("{TRIANGLE}f 1 2 3")).scene));
    assert_eq!(expected, [[Vec3::ZERO, Vec3::X, Vec3::Y]]);
    for face in
        ["f 1/1 2/1 3/1", "f 1//1 2//1 3//1", "f 1/1/1 2/1/1 3/1/1", "f -3 -2 -1", "f -3/-1/-1 2/1/1 -1/1/-1"]
    {
        let mesh = only_mesh(&load(&format!("{TRIANGLE}{face}\n")).scene);
        assert_eq!(corners(&mesh), expected, "{face}");
        assert_eq!(mesh.data().normals, [Vec3::Z; 3], "{face}");
        let has_uvs = face.contains("/1 ") && !face.contains("//") || face.contains("-1/");
        assert_eq!(
            mesh.data().uv0.first().copied(),
            has_uvs.then_some(vec2(0.25, 0.25)),
            "{face}: v is flipped"
        );
    }
}

#[test]
fn continued_lines_comments_and_carriage_returns() {
    let mesh = only_mesh(
        &load("# hi\r\nv 0 0 0 # origin\r\nv 1 \\\r\n 0 0\r\nv 0 1 0\r\n\r\nf 1 2 \\\n3 # face").scene,
    );
    assert_eq!(corners(&mesh), [[Vec3::ZERO, Vec3::X, Vec3::Y]]);
}

#[test]
fn concave_polygons_keep_their_area() {
    let mesh = only_mesh(&load("v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nf 1 2 3 4\nf 4 1 2 3").scene);
    let area: f32 = corners(&mesh).iter().map(|[a, b, c]| (b - a).cross(c - a).z * 0.5).sum();
    assert_eq!((mesh.triangles().len(), area), (4, 2.0));
}

#[test]
fn objects_become_nodes_and_materials_slots() {
    let loaded = load(&format!(
        "{TRIANGLE}o first\nusemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\no empty\no second part\nusemtl b\nf 3 2 1\ng x\nf 1 2 3\n"
    ));
    let nodes: Vec<_> = loaded.scene.nodes().filter(|(_, n)| n.instance.is_some()).map(|(_, n)| n).collect();
    assert_eq!(nodes.iter().map(|n| n.name.as_str()).collect::<Vec<_>>(), ["first", "second part"]);
    let slots: Vec<_> = loaded.scene.meshes().map(|(_, mesh)| mesh.data().slots.clone()).collect();
    assert_eq!(slots, [[0, 1], [0, 0]]);
    let warnings: Vec<_> = loaded.report.warnings().map(|w| w.message.as_str()).collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("material \"a\" is not defined in a material library"));
}

#[test]
fn vertex_colors_are_srgb() {
    let mesh = only_mesh(&load("v 0 0 0\nv 1 0 0 1 0.5 0\nv 0 1 0 0 0 0\nf 1 2 3").scene);
    let colors = &mesh.data().colors;
    assert_eq!(colors[0].to_array(), [1.0; 4]);
    // 0.5 is 0.214 in linear light [IEC61966-2-1].
    assert!((colors[1].y - 0.214_041).abs() < 1e-5 && colors[1].x == 1.0);
}

#[test]
fn errors_have_locations() {
    assert_eq!(error("v 0 0\n"), "t.obj:1:6: a coordinate of the vertex is missing");
    assert_eq!(error("v 0 0 nan\n"), "t.obj:1:7: \"nan\" is not a finite number");
    assert_eq!(error("v 0 0 0\nf 1 2 3"), "t.obj:2:5: vertex 2 does not exist; there are 1 so far");
    assert_eq!(error("v 0 0 0\nf 1 -2 1"), "t.obj:2:5: vertex -2 does not exist; there are 1 so far");
    assert_eq!(error("v 0 0 0\n f 1 0 1"), "t.obj:2:6: vertex 0 does not exist; there are 1 so far");
    assert_eq!(error("v 0 0 0\nf 1 1"), "t.obj:2:1: a face needs at least three corners");
    let repaired = load("v 0 0 0\nf 1 1/2 1").report.entries[0].to_string();
    assert!(repaired.starts_with("warning: t.obj:2:7: missing normals and texture"), "{repaired}");
    assert!(repaired.ends_with("texture coordinate 2 does not exist; there are 0 so far"), "{repaired}");
}

#[test]
fn unknown_statements_are_counted() {
    let loaded = load(&format!("{TRIANGLE}l 1 2\nl 2 3\nf 1 2 3\nf 1 1 2\n"));
    let entries: Vec<_> = loaded.report.entries.iter().map(ToString::to_string).collect();
    assert_eq!(entries[0], "warning: t.obj:6:1: 2 × \"l\": the statement is not supported and is ignored");
    assert_eq!(entries[1], "note: t.obj: degenerate triangles removed: 1");
}

#[test]
fn materials_and_textures() {
    let mtl = "newmtl stone\nKd 0.5 0.25 1\nmap_Kd -s 2 4 -o 0.5 0.25 -clamp on tex\\Stone.PPM\n\
        newmtl lamp\nKd 0 0 0\nKe 5 6 7\n\
        newmtl chrome\nillum 5\nKs 0.9 0.8 0.7\n\
        newmtl glass\nillum 7\nd 0.1\nNi 1.33\nTf 0.5 1 1\n\
        newmtl shiny\nKd 0.1 0.2 0.3\nKs 1 1 1\nNs 198\nillum 2\n\
        newmtl gold\nKd 0 0 0\nKs 1 0.8 0.3\nNs 50\n\
        newmtl pbr\nPr 0.25\nPm 1\nbump b.png\n\
        newmtl thin\nTr 0.75\n\
        newmtl leaf\nmap_Kd tex/stone.ppm\nmap_d C:\\art\\mask.pgm\n\
        newmtl broken\nKd red\nmap_Kd gone.png\n";
    let names = ["stone", "lamp", "chrome", "glass", "shiny", "gold", "pbr", "thin", "leaf", "broken"];
    let faces: String = names.iter().map(|name| format!("usemtl {name}\nf 1/1 2/1 3/1\n")).collect();
    let obj = format!("mtllib mtl/my lib.mtl\n{TRIANGLE}{faces}");
    let stone: &[u8] = b"P6 2 1 255\n\x01\x02\x03\x04\x05\x06";
    let mask: &[u8] = b"P5 2 1 255\n\x00\xff";
    let files = [("mtl/my lib.mtl", mtl.as_bytes()), ("mtl/tex/stone.ppm", stone), ("mask.pgm", mask)];
    let LoadedScene { scene, report, .. } = load_with(&obj, &files);
    let by_name: BTreeMap<_, _> = scene.materials().map(|(_, m)| (m.name.as_str(), m)).collect();
    let texels = |texture| scene.texture(texture).unwrap().texels().clone();

    let Surface::Lambert { albedo } = by_name["stone"].surface else { panic!() };
    assert_eq!(albedo.factor.truncate(), vec3(0.5, 0.25, 1.0));
    let texture = albedo.texture.unwrap();
    assert_eq!(texels(texture.texture), Texels::Srgb8(vec![[1, 2, 3, 255], [4, 5, 6, 255]].into()));
    assert_eq!(scene.texture(texture.texture).unwrap().wrap(), [Wrap::ClampToEdge; 2]);
    // (u, v) = (0.5, 0.25) with v up is (0.5, 0.75) with v down; scaled and offset, (1.5, 1.25) with v up is (1.5,
    // −0.25)
    assert_eq!(texture.uv_transform.transform_point2(vec2(0.5, 0.75)), vec2(1.5, -0.25));

    assert_eq!(by_name["lamp"].emission.radiance, vec3(5.0, 6.0, 7.0));
    assert_eq!(by_name["chrome"].surface, Surface::Mirror { reflectance: vec3(0.9, 0.8, 0.7) });
    assert_eq!(by_name["glass"].surface, Surface::ThinDielectric { ior: 1.33, tint: vec3(0.5, 1.0, 1.0) });
    let rough = |name: &str| match by_name[name].surface {
        Surface::MetallicRoughness { base_color, metallic, roughness, .. } => {
            (base_color.factor.truncate(), metallic, roughness)
        }
        _ => panic!("{name}"),
    };
    assert_eq!(rough("shiny").1, 0.0);
    assert!((rough("shiny").2.powi(2) - 0.1).abs() < 1e-6, "exponent 198 is α = 0.1");
    assert_eq!((rough("gold").0, rough("gold").1), (vec3(1.0, 0.8, 0.3), 1.0));
    assert_eq!((rough("pbr").1, rough("pbr").2), (1.0, 0.25));
    let Surface::Lambert { albedo } = by_name["thin"].surface else { panic!() };
    assert_eq!((albedo.factor.w, by_name["thin"].alpha), (0.25, Alpha::Blend));
    let Surface::Lambert { albedo } = by_name["leaf"].surface else { panic!() };
    let leaf = texels(albedo.texture.unwrap().texture);
    assert_eq!(leaf, Texels::Srgb8(vec![[1, 2, 3, 0], [4, 5, 6, 255]].into()));
    assert_eq!(by_name["leaf"].alpha, Alpha::Blend);

    let warnings: Vec<_> = report.warnings().map(ToString::to_string).collect();
    assert_eq!(
        warnings[0],
        "warning: mtl/my lib.mtl:34:4: statements ignored: 1; the first: \"red\" is not a number"
    );
    assert!(
        warnings[1].starts_with("warning: mtl/my lib.mtl:27:6: the texture is ignored: cannot read b.png")
    );
    assert!(
        warnings[2].starts_with("warning: mtl/my lib.mtl:35:8: the texture is ignored: cannot read gone.png")
    );
    assert_eq!(warnings.len(), 3, "{warnings:?}");
}

#[test]
fn normal_maps_add_tangents() {
    let obj = "mtllib m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl n\nf 1/1 2/2 3/3\n";
    let loaded =
        load_with(obj, &[("m", b"newmtl n\nnorm -bm 0.5 n.ppm"), ("n.ppm", b"P6 1 1 255\n\x80\x80\xff")]);
    let (_, material) = loaded.scene.materials().next().unwrap();
    assert_eq!(material.normal_map.unwrap().scale, 0.5);
    assert_eq!(only_mesh(&loaded.scene).data().tangents, [Vec3::X.extend(1.0); 3]);
}

#[test]
fn a_missing_library_is_a_warning() {
    let loaded = load(&format!("mtllib gone.mtl\n{TRIANGLE}f 1 2 3\n"));
    let warning = loaded.report.warnings().next().unwrap().to_string();
    assert!(
        warning.starts_with("warning: t.obj:1:1: cannot read the material library gone.mtl"),
        "{warning}"
    );
}

/// Returns the messages of the report.
fn entries(loaded: &LoadedScene) -> Vec<&str> {
    loaded.report.entries.iter().map(|entry| entry.message.as_str()).collect()
}

#[test]
fn faces_may_come_before_their_vertices() {
    let loaded = load(
        "f 1/1/1 2/2/1 3/3/1\nf 4 3 2\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 2\nv 1 1 0\nf -1 -2 -3\n",
    );
    let mesh = only_mesh(&loaded.scene);
    assert_eq!(corners(&mesh)[0], [Vec3::ZERO, Vec3::X, Vec3::Y]);
    assert_eq!(corners(&mesh)[1], corners(&mesh)[2]);
    assert_eq!(loaded.report.warnings().count(), 0, "{:?}", loaded.report);
}

#[test]
fn faults_are_counted_and_the_rest_is_read() {
    let loaded = load(&format!(
        "{TRIANGLE}vn 0 0 0\nvn 0 x 1\nvt inf 0\nv 1 nan 0\nv 1 1\ns x\n\
         f 1/1/1 2/1/1 3/1/1\nf 1/2/2 2/2/3 3/9/9\nf 1 2\nf 1 2 4\nf 1 2 9\nf 1 2 c\n"
    ));
    let mesh = only_mesh(&loaded.scene);
    assert_eq!(corners(&mesh), [[Vec3::ZERO, Vec3::X, Vec3::Y]; 2]);
    assert!(mesh.data().normals.iter().all(|n| *n == Vec3::Z));
    let warnings: Vec<_> = loaded.report.warnings().map(ToString::to_string).collect();
    let expected = [
        "warning: t.obj:9:5: vertices without valid coordinates, whose faces are skipped: 2; \
         the first: \"nan\" is not a finite number",
        "warning: t.obj:6:3: invalid normals, which are computed instead: 2; the first: the normal has no direction",
        "warning: t.obj:8:4: invalid texture coordinates, which become (0, 0): 1; \
         the first: \"inf\" is not a finite number",
        "warning: t.obj:13:17: missing normals and texture coordinates of corners, which are computed or become \
         (0, 0): 2; the first: texture coordinate 9 does not exist; there are 2 so far",
        "warning: t.obj:14:1: faces skipped: 4; the first: a face needs at least three corners",
        "warning: t.obj:11:3: statements ignored: 1; the first: \"x\" is not a smoothing group",
    ];
    assert_eq!(warnings, expected);
}

#[test]
fn what_is_not_used_is_noted() {
    let loaded = load("v 0 0 0 2\nv 1 0 0 1\nv 0 1 0\nvt 0 0 0.5\ng a\ng b\nf 1 2 3\n");
    assert_eq!(
        entries(&loaded)[..2],
        [
            "groups are not kept, only objects: 2 statements \"g\"",
            "weights, third texture coordinates and other extra numbers are ignored: 2 statements"
        ]
    );
}

#[test]
fn one_long_line_takes_little_memory() {
    // A face of a million corners over three vertices is refused before its corners are stored.
    let line = "1 2 3 ".repeat(333_333);
    let loaded = load(&format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf {line}\nf 1 2 3\n"));
    assert_eq!(corners(&only_mesh(&loaded.scene)).len(), 1);
    let warning = loaded.report.warnings().next().unwrap();
    assert_eq!(
        warning.message,
        "faces skipped: 1; the first: a face has more than 6 corners, twice the number of vertices"
    );
}

#[test]
fn map_coordinates_are_relative_to_an_origin() {
    let loaded = load(
        "v 691607.25 120.5 5335942.125\nv 691608.25 120.5 5335942.125\nv 691607.25 121.5 5335942.125\nv 0 0 0\nf 1 2 3\n",
    );
    let [a, b, c] = corners(&only_mesh(&loaded.scene))[0];
    assert_eq!(
        [a, b - a, c - a],
        [vec3(0.25, -0.5, 0.125), Vec3::X, Vec3::Y],
        "the unused vertex does not count"
    );
    let note = "coordinates are far from zero: they are relative to the origin (691607, 121, 5335942)";
    assert!(entries(&loaded).contains(&note), "{:?}", entries(&loaded));
}

#[test]
fn smoothing_groups_replace_creases() {
    let squares = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0 1 0\nv 1 1 0\n";
    let normals = |group: &str| {
        let mesh = only_mesh(&load(&format!("{squares}{group}f 1 4 3 2\nf 2 6 5 1\n")).scene);
        let at = |p: Vec3| mesh.positions().iter().zip(&mesh.data().normals).filter(move |(q, _)| **q == p);
        at(Vec3::ZERO).map(|(_, n)| *n).collect::<Vec<_>>()
    };
    let creased = normals("");
    assert_eq!(creased, [Vec3::Y, Vec3::Z]);
    for flat in ["s off\n", "s 0\n", "s 1\ns 0\n"] {
        assert_eq!(normals(flat), creased, "{flat}");
    }
    for smooth in ["s 1\n", "s 4294967\n", "s on\n"] {
        let normals = normals(smooth);
        assert_eq!(normals.len(), 1, "{smooth}");
        assert!(normals[0].distance((Vec3::Y + Vec3::Z).normalize_or_zero()) < 1e-6);
    }
}

#[test]
fn libraries_on_one_line_and_names_in_other_encodings() {
    let bytes: &[u8] =
        b"mtllib a b.mtl c.MTL gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl \xE9\nf 1 2 3\nusemtl \xE8\nf 1 2 3\n";
    let files = [("a b.mtl", &b"newmtl \xE9\nKd 1 0 0"[..]), ("c.MTL", b"newmtl \xE8\rKd 0 1 0")];
    let files = files.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
    let loaded = load_bytes("t.obj".as_ref(), bytes, &MemoryFiles(files)).unwrap();
    let warnings: Vec<_> = loaded.report.warnings().map(|w| &w.message).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("gone.mtl"), "{warnings:?}");
    let named: Vec<_> = loaded.scene.materials().map(|(_, m)| (m.name.as_str(), m.surface.clone())).collect();
    let lambert = |color: Vec3| Surface::Lambert { albedo: color.into() };
    assert_eq!(named, [("é", lambert(Vec3::X)), ("è", lambert(Vec3::Y))]);
}

#[test]
fn d_counts_before_tr() {
    let alphas = |mtl: &str| {
        let loaded = load_with(&format!("mtllib m\n{TRIANGLE}usemtl a\nf 1 2 3\n"), &[("m", mtl.as_bytes())]);
        let (_, material) = loaded.scene.materials().next().unwrap();
        let Surface::Lambert { albedo } = material.surface else { panic!() };
        (albedo.factor.w, material.alpha)
    };
    assert_eq!(alphas("newmtl a\nTr 1.0"), (1.0, Alpha::Opaque));
    assert_eq!(alphas("newmtl a\nTr 0.25"), (0.75, Alpha::Blend));
    assert_eq!(alphas("newmtl a\nd 0.5\nTr 0.25"), (0.5, Alpha::Blend));
    assert_eq!(alphas("newmtl a\nTr 0.25\nd 1"), (1.0, Alpha::Opaque));
}

#[test]
fn bump_maps_are_heights_or_normals() {
    let obj = format!("mtllib m\n{TRIANGLE}usemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1/1 2/1 3/1\n");
    let mtl = b"newmtl a\nbump -bm 0.5 -imfchan g grey.ppm\nnewmtl b\nmap_bump -bm 2 blue.ppm";
    let grey: &[u8] = b"P6 2 1 255\n\x09\x00\x09\x09\xff\x09";
    let loaded =
        load_with(&obj, &[("m", mtl), ("grey.ppm", grey), ("blue.ppm", b"P6 1 1 255\n\x80\x80\xff")]);
    let maps: Vec<_> = loaded.scene.materials().map(|(_, m)| m.normal_map.unwrap()).collect();
    assert_eq!(maps.iter().map(|map| map.scale).collect::<Vec<_>>(), [0.5, 2.0]);
    let texels = |i: usize| loaded.scene.texture(maps[i].texture.texture).unwrap().texels().clone();
    // Each texel has two equal neighbours, since the image repeats.
    assert_eq!(texels(0), Texels::Float(vec![[0.5, 0.5, 1.0, 1.0]; 2].into()));
    assert_eq!(texels(1), Texels::Linear8(vec![[128, 128, 255, 255]].into()));
}

#[test]
fn maps_of_scalars_and_unused_options() {
    let obj = format!("mtllib m\n{TRIANGLE}usemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1/1 2/1 3/1\n");
    let mtl = b"newmtl a\nKa 1 1 1\nKd 1 1 1\nPm 0.5\nPs 0\nPc 1\nmap_Pr -imfchan b -boost 2 r.ppm\n\
        map_Pm -mm 0 1 -blendu on m.ppm\nmap_Ns n.ppm\n\
        newmtl b\nKa 1 1 1\nKd 1 1 1\nKs 1 1 1\nillum 2\nNs 198\nmap_Ns n.ppm\nmap_Ks -boost 3 n.ppm\nrefl x.png\n";
    let image = |texel: [u8; 3]| [b"P6 1 1 255\n".as_slice(), &texel].concat();
    let (rough, metal, white) = (image([9, 9, 51]), image([204; 3]), image([255; 3]));
    let loaded = load_with(&obj, &[("m", mtl), ("r.ppm", &rough), ("m.ppm", &metal), ("n.ppm", &white)]);
    let surfaces: Vec<_> = loaded.scene.materials().map(|(_, m)| m.surface.clone()).collect();
    let texel = |surface: &Surface| {
        let Surface::MetallicRoughness { metallic, roughness, metallic_roughness_texture, .. } = surface
        else {
            panic!()
        };
        let texture = loaded.scene.texture(metallic_roughness_texture.unwrap().texture).unwrap();
        let Texels::Linear8(texels) = texture.texels() else { panic!() };
        (*metallic, *roughness, texels[0])
    };
    assert_eq!(texel(&surfaces[0]), (0.5, 1.0, [255, 51, 204, 255]));
    // α = 0.1 for the exponent 198, and the roughness is √α = 0.316, or 81 of 255.
    assert_eq!(texel(&surfaces[1]), (0.0, 1.0, [255, 81, 255, 255]));
    let mtl_entries: Vec<_> = loaded.report.entries.iter().filter(|e| e.file.ends_with("m")).collect();
    let messages: Vec<_> = mtl_entries.iter().map(|e| e.message.as_str()).collect();
    let expected = [
        "2 × \"Ka\": ambient terms are replaced by global illumination",
        "1 × \"Pc\": the statement is not supported and is ignored",
        "1 × \"refl\": the statement is not supported and is ignored",
        "2 × \"-boost\": the option is not supported and is ignored",
        "the texture n.ppm is not used: it does not affect this kind of surface",
        "the texture n.ppm is not used: it does not affect this kind of surface",
    ];
    assert_eq!(messages, expected);
}

#[test]
fn unreadable_maps_leave_a_material_as_without_them() {
    let surface = |mtl: &str| {
        let mtl = format!("newmtl a\nKd 0.5 0.5 0.5\n{mtl}");
        let obj = format!("mtllib m\n{TRIANGLE}usemtl a\nf 1/1 2/1 3/1\n");
        load_with(&obj, &[("m", mtl.as_bytes())]).scene.materials().next().unwrap().1.surface.clone()
    };
    let glossy = "Ks 1 1 1\nNs 198\nillum 2\n";
    for (with, without) in [
        ("Pr 0.25\nmap_Pm gone.png\n".to_string(), "Pr 0.25\n"),
        (format!("{glossy}map_Ns gone.png\n"), glossy),
        (format!("{glossy}map_Pr gone.png\n"), glossy),
        (format!("{glossy}map_Pm gone.png\n"), glossy),
        ("map_Pr gone.png\nmap_Pm gone.png\n".to_string(), ""),
    ] {
        assert_eq!(surface(&with), surface(without), "{with}");
    }
}

#[test]
fn two_libraries_may_have_different_textures_of_one_name() {
    let obj = format!("mtllib a/a.mtl b/b.mtl\n{TRIANGLE}usemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1/1 2/1 3/1\n");
    let mtl = |name: &str| {
        format!("newmtl {name}\nmap_Kd wood.ppm\nmap_d wood.ppm\nbump wood.ppm\nmap_Pr wood.ppm\n")
    };
    let [a, b] = ["a", "b"].map(mtl);
    let dark: &[u8] = b"P6 3 1 255\n\x01\x01\x01\x02\x02\x02\x09\x09\x09";
    let light: &[u8] = b"P6 3 1 255\n\x80\x80\x80\xff\xff\xff\x00\x00\x00";
    let files =
        [("a/a.mtl", a.as_bytes()), ("b/b.mtl", b.as_bytes()), ("a/wood.ppm", dark), ("b/wood.ppm", light)];
    let loaded = load_with(&obj, &files);
    let named: Vec<_> = loaded.scene.textures().map(|(_, t)| (t.name(), t.texels().clone())).collect();
    let names = |folder: &str| {
        let wood = format!("{folder}/wood.ppm");
        [format!("{wood} masked by {wood}"), format!("{wood} as roughness"), format!("{wood} as normals")]
    };
    let found: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, [names("a"), names("b")].concat());
    for i in 0..3 {
        assert_ne!(named[i].1, named[i + 3].1, "{}", named[i].0);
    }
}

#[test]
fn a_mask_alone_has_its_own_options() {
    let obj = format!("mtllib m\n{TRIANGLE}usemtl a\nf 1/1 2/1 3/1\n");
    let transform = |mtl: &[u8]| {
        let files = [("m", mtl), ("m.pgm", b"P5 1 1 255\n\x80"), ("c.ppm", b"P6 1 1 255\n\x01\x02\x03")];
        let loaded = load_with(&obj, &files);
        let Surface::Lambert { albedo } = loaded.scene.materials().next().unwrap().1.surface else {
            panic!()
        };
        let texture = albedo.texture.unwrap();
        let name = loaded.scene.texture(texture.texture).unwrap().name().to_string();
        let warnings = loaded.report.warnings().filter(|w| w.message.contains("of map_Kd")).count();
        (texture.uv_transform.transform_point2(vec2(1.0, 1.0)), name, warnings)
    };
    // v points down: 1 − 4 · 0 = 1
    assert_eq!(transform(b"newmtl a\nmap_d -s 4 4 m.pgm"), (vec2(4.0, 1.0), "m.pgm as mask".to_string(), 0));
    let both = b"newmtl a\nmap_Kd -s 2 2 c.ppm\nmap_d -s 4 4 m.pgm";
    assert_eq!(transform(both), (vec2(2.0, 1.0), "c.ppm masked by m.pgm".to_string(), 1));
    let gone = b"newmtl a\nmap_Kd -s 2 2 gone.ppm\nmap_d -s 4 4 m.pgm";
    assert_eq!(transform(gone), (vec2(4.0, 1.0), "m.pgm as mask".to_string(), 0));
}

#[test]
fn many_unknown_options_are_counted_together() {
    let options: String =
        (b'a'..=b'z').map(|letter| format!("map_Kd -x{} 1 c.ppm\n", char::from(letter))).collect();
    let mtl = format!("newmtl a\n{options}");
    let obj = format!("mtllib m\n{TRIANGLE}usemtl a\nf 1/1 2/1 3/1\n");
    let loaded = load_with(&obj, &[("m", mtl.as_bytes()), ("c.ppm", b"P6 1 1 255\n\x01\x02\x03")]);
    let messages = entries(&loaded);
    assert!(messages.contains(&"6 other options are not supported and are ignored"), "{messages:?}");
    assert!(messages.contains(&"1 × \"-xa\": the option is not supported and is ignored"), "{messages:?}");
}

/// Material of glass, and vertices of a tetrahedron with an apex on either side.
const GLASS: &str = "mtllib m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 9 0 0\nv 9 1 0\nv 9 0 1\nusemtl g\n";
const GLASS_MTL: (&str, &[u8]) = ("m", b"newmtl g\nKd 0 0 0\nTf 1 1 1\nNi 1.5\nd 0.1\nillum 7\n");

/// Returns the materials of the triangles, in order.
fn surfaces(obj: &str) -> Vec<Surface> {
    let scene = load_with(obj, &[GLASS_MTL]).scene;
    let (_, node) = scene.nodes().next().unwrap();
    let materials = &node.instance.as_ref().unwrap().materials;
    let mesh = only_mesh(&scene);
    let slots = (0..u32::try_from(mesh.triangles().len()).unwrap()).map(|i| mesh.slot(i));
    slots.map(|slot| scene.material(materials[slot as usize]).unwrap().surface.clone()).collect()
}

#[test]
fn a_sheet_of_glass_is_thin_and_a_closed_mesh_is_a_solid() {
    let thin = Surface::ThinDielectric { ior: 1.5, tint: Vec3::ONE };
    let solid = Surface::smooth_dielectric(1.5, Vec3::ONE);
    let tetrahedron = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    assert_eq!(surfaces(&format!("{GLASS}f 1 2 3\nf 2 4 3\n")), vec![thin.clone(); 2], "a pane");
    assert_eq!(surfaces(&format!("{GLASS}{tetrahedron}")), vec![solid.clone(); 4], "a solid");
    // Faces of all windings are closed by their edges
    let mixed = "f 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    assert_eq!(surfaces(&format!("{GLASS}{mixed}")), vec![solid.clone(); 4], "mixed windings");
    // A solid whose base is divided on one side only is closed by its area
    let divided = "v 0.5 0 0\nf 1 3 8\nf 8 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    assert_eq!(surfaces(&format!("{GLASS}{divided}")), vec![solid.clone(); 5], "a T-junction");
    let both = surfaces(&format!("{GLASS}f 5 6 7\n{tetrahedron}"));
    assert_eq!(both, [vec![thin], vec![solid; 4]].concat(), "both in one object");
}

#[test]
fn opaque_surfaces_have_an_index_of_refraction() {
    for (ni, expected) in [("Ni 2.5", 2.5), ("Ni 1", 1.5), ("", 1.5)] {
        let mtl = format!("newmtl a\nKd 0.5 0.5 0.5\nPr 0.5\n{ni}\n");
        let loaded = load_with(&format!("mtllib m\n{TRIANGLE}usemtl a\nf 1 2 3\n"), &[("m", mtl.as_bytes())]);
        let Surface::MetallicRoughness { ior, .. } = loaded.scene.materials().next().unwrap().1.surface
        else {
            panic!("{ni}")
        };
        assert_eq!(ior, expected, "{ni}");
    }
}

/// Missing normals are repaired: what makes the file useless is the corner that does not exist.
#[test]
fn an_error_names_what_costs_the_faces() {
    let error =
        load_bytes("a.obj".as_ref(), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//9 2//9 7\n", &NoFiles).unwrap_err();
    assert!(error.to_string().contains("vertex 7 does not exist"), "{error}");
}

use std::collections::BTreeMap;

use sunfleck_math::{Vec3, vec2, vec3};
use sunfleck_scene::{Alpha, Mesh, Scene, Surface, Texels, Wrap};

use crate::{LoadedScene, MemoryFiles, NoFiles, load_bytes};

fn load(obj: &str) -> LoadedScene {
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
    assert_eq!(
        error("v 0 0 0\nf 1 1/2 1"),
        "t.obj:2:7: texture coordinate 2 does not exist; there are 0 so far"
    );
    assert_eq!(error("v 0 0 0\nf 1 -2 1"), "t.obj:2:5: vertex -2 does not exist; there are 1 so far");
    assert_eq!(error("v 0 0 0\n f 1 0 1"), "t.obj:2:6: vertex 0 does not exist; there are 1 so far");
    assert_eq!(error("v 0 0 0\nf 1 1"), "t.obj:2:1: a face needs at least three corners");
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
        "warning: mtl/my lib.mtl:27:1: \"bump\" is ignored: bump maps are not supported, only normal maps (norm)"
    );
    assert_eq!(warnings[1], "warning: mtl/my lib.mtl:34:4: the line is ignored: \"red\" is not a number");
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
    let solid = Surface::Dielectric { ior: 1.5, tint: Vec3::ONE };
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

//! Small inputs in the folder `cases` beside `SUNFLECK_SCENES`: OBJ, PLY, STL and OFF files with what users of such
//! programs bring. The expected values are those of the specifications, or arithmetic.

use std::path::PathBuf;

use sunfleck_io::{LoadedScene, load};
use sunfleck_math::{Aabb, DVec3, Vec3, vec2, vec3};
use sunfleck_scene::{Alpha, Material, Mesh, MeshData, Surface, Texels, TextureId};

fn case(path: &str) -> LoadedScene {
    let folder = PathBuf::from(
        std::env::var_os("SUNFLECK_SCENES").expect("SUNFLECK_SCENES names the folder of scenes"),
    );
    load(&folder.join("../cases").join(path)).unwrap_or_else(|error| panic!("{error}"))
}

fn only_mesh(loaded: &LoadedScene) -> &Mesh {
    assert_eq!(loaded.scene.meshes().len(), 1, "the file is one mesh");
    loaded.scene.meshes().next().unwrap().1
}

fn material<'a>(loaded: &'a LoadedScene, name: &str) -> &'a Material {
    let found = loaded.scene.materials().map(|(_, material)| material).find(|material| material.name == name);
    found.unwrap_or_else(|| panic!("{name}"))
}

fn warnings(loaded: &LoadedScene) -> Vec<String> {
    loaded.report.warnings().map(|warning| warning.message.clone()).collect()
}

fn area(mesh: &Mesh) -> f32 {
    let triangles = 0..u32::try_from(mesh.triangles().len()).unwrap();
    triangles.map(|t| mesh.corners(t)).map(|[a, b, c]| (b - a).cross(c - a).length() * 0.5).sum()
}

/// Asserts that the file shows the square from (−1, −1, 0) to (1, 1, 0), as most cases do.
fn assert_square(loaded: &LoadedScene, path: &str) {
    let (mut bounds, mut total) = (Aabb::EMPTY, 0.0);
    for (_, mesh) in loaded.scene.meshes() {
        bounds = bounds.union(mesh.bounds());
        total += area(mesh);
    }
    assert_eq!((bounds.min, bounds.max), (vec3(-1.0, -1.0, 0.0), vec3(1.0, 1.0, 0.0)), "{path}");
    assert!((total - 4.0).abs() < 1e-5, "{path}: the area is {total}");
}

fn albedo(material: &Material) -> Vec3 {
    match &material.surface {
        Surface::Lambert { albedo } => albedo.factor.truncate(),
        Surface::MetallicRoughness { base_color, .. } => base_color.factor.truncate(),
        other => panic!("{other:?}"),
    }
}

fn texels(loaded: &LoadedScene, texture: TextureId) -> Texels {
    loaded.scene.texture(texture).unwrap().texels().clone()
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn tr_of_1_is_opaque() {
    let loaded = case("obj-tr1/a.obj");
    let material = material(&loaded, "m");
    assert_eq!(material.alpha, Alpha::Opaque);
    assert_eq!(albedo(material), vec3(0.8, 0.3, 0.1));
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn names_are_bytes() {
    let loaded = case("obj-gbk-materials/a.obj");
    assert!(warnings(&loaded).is_empty(), "{:?}", warnings(&loaded));
    let colors: Vec<Vec3> = loaded.scene.materials().map(|(_, material)| albedo(material)).collect();
    assert_eq!(colors, [vec3(0.8, 0.0, 0.0), vec3(0.0, 0.0, 0.8)]);
    let names: Vec<&str> = loaded.scene.materials().map(|(_, material)| material.name.as_str()).collect();
    assert_ne!(names[0], names[1]);
    assert_eq!(only_mesh(&loaded).data().slots, [0, 1]);
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn map_coordinates_are_those_of_the_local_file() {
    for (far, local, tolerance) in
        [("utm.obj", "local.obj", 1e-6), ("sphere-utm.obj", "sphere-local.obj", 1e-6)]
    {
        let (far, local) = (case(&format!("obj-utm/{far}")), case(&format!("obj-utm/{local}")));
        let (far_mesh, local_mesh) = (only_mesh(&far).data(), only_mesh(&local).data());
        assert_eq!(far_mesh.triangles, local_mesh.triangles);
        let pairs = far_mesh.positions.iter().zip(&local_mesh.positions);
        let distance = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(distance < tolerance, "{distance}");
        assert_eq!(far.scene.origin(), DVec3::new(691_607.0, 120.0, 5_335_942.0));
        assert_eq!(local.scene.origin(), DVec3::ZERO);
        let notes = |loaded: &LoadedScene| {
            loaded.report.entries.iter().filter(|entry| entry.message.contains("far from zero")).count()
        };
        assert_eq!((notes(&far), notes(&local)), (1, 0));
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn concave_polygons_of_any_number_of_corners() {
    let loaded = case("obj-ngon/n600.obj");
    assert!((area(only_mesh(&loaded)) - 7.854).abs() < 5e-4, "{}", area(only_mesh(&loaded)));
    assert_eq!(only_mesh(&loaded).triangles().len(), 598);
    assert_eq!(only_mesh(&case("obj-ngon/n200.obj")).triangles().len(), 198);
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn smoothing_groups() {
    let flat_normal = |mesh: &Mesh, t: u32| {
        let [a, b, c] = mesh.corners(t);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let off = case("obj-s-off/off.obj");
    let mesh = only_mesh(&off);
    for (t, corners) in (0..).zip(mesh.triangles()) {
        let flat = flat_normal(mesh, t);
        assert!(corners.iter().all(|&v| mesh.data().normals[v as usize].distance(flat) < 1e-5));
    }
    // Vertices lie on a circle around the y axis.
    let one = case("obj-s-off/one.obj");
    let MeshData { positions, normals, .. } = only_mesh(&one).data();
    for (position, normal) in positions.iter().zip(normals) {
        let radial = vec3(position.x, 0.0, position.z).normalize_or_zero();
        assert!(normal.dot(radial).abs() > 0.999 && normal.y.abs() < 1e-5, "{position} {normal}");
    }
    let cube = case("obj-s-1-cube/a.obj");
    let MeshData { positions, normals, .. } = only_mesh(&cube).data();
    assert_eq!(positions.len(), 8, "smooth across the edges");
    for (position, normal) in positions.iter().zip(normals) {
        assert!(normal.distance(position.normalize_or_zero()) < 1e-5, "{position} {normal}");
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn text_in_any_encoding_with_any_line_end() {
    for folder in ["obj-bom", "obj-utf16", "obj-cr-only", "obj-crlf-tabs"] {
        let loaded = case(&format!("{folder}/a.obj"));
        assert!(warnings(&loaded).is_empty(), "{folder}: {:?}", warnings(&loaded));
        assert_square(&loaded, folder);
        assert_eq!(albedo(material(&loaded, "red")), vec3(0.8, 0.0, 0.0), "{folder}");
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn several_material_libraries_and_names_with_spaces() {
    let two = case("obj-mtllib-two/a.obj");
    assert!(warnings(&two).is_empty(), "{:?}", warnings(&two));
    assert_eq!(albedo(material(&two, "red")), vec3(0.8, 0.0, 0.0));
    assert_eq!(albedo(material(&two, "blue")), vec3(0.0, 0.0, 0.8));
    let space = case("obj-mtllib-space/a.obj");
    assert_eq!(albedo(material(&space, "deep red")), vec3(0.5, 0.1, 0.1));
    assert!(warnings(&space).is_empty(), "{:?}", warnings(&space));
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn one_fault_is_one_warning() {
    for (path, expected) in [
        ("obj-nan-normal/a.obj", "invalid normals"),
        ("obj-normal-missing/a.obj", "missing normals"),
        ("ply-nan/a.ply", "vertices without valid coordinates"),
        ("ply-created/a.ply", "statements ignored"),
    ] {
        let loaded = case(path);
        assert_square(&loaded, path);
        let found = warnings(&loaded);
        assert!(found.len() == 1 && found[0].contains(expected), "{path}: {found:?}");
        assert!(only_mesh(&loaded).data().normals.iter().all(|n| n.distance(Vec3::Z) < 1e-6), "{path}");
    }
    for path in ["obj-f-first/a.obj", "off-modelnet/a.off", "off-oneline/a.off"] {
        let loaded = case(path);
        assert_square(&loaded, path);
        assert!(warnings(&loaded).is_empty(), "{path}: {:?}", warnings(&loaded));
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn stl_of_all_kinds() {
    for path in [
        "stl-solid-binary/exact.stl",
        "stl-solid-binary/trailing.stl",
        "stl-count0/a.stl",
        "stl-ascii/upper.stl",
        "stl-ascii/space.stl",
        "stl-ascii/comma.stl",
        "stl-ascii/nan.stl",
    ] {
        let loaded = case(path);
        assert_eq!(only_mesh(&loaded).triangles().len(), 2, "{path}");
        assert!((area(only_mesh(&loaded)) - 4.0).abs() < 1e-5, "{path}");
    }
    assert_eq!(only_mesh(&case("stl-ascii/multi.stl")).triangles().len(), 4);
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn stl_has_z_up() {
    // A house in the plane y = 0, with its roof at z = 3.
    let loaded = case("stl-zup/a.stl");
    let bounds = loaded.scene.world_instances().iter().fold(Aabb::EMPTY, |bounds, instance| {
        let mesh = loaded.scene.mesh(instance.mesh).unwrap();
        bounds.union(mesh.bounds().transformed(&instance.world_from_object))
    });
    assert_eq!((bounds.min.y, bounds.max.y), (-1.0, 3.0));
    assert!(bounds.size().z < 1e-5);
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn colours_of_vertices_and_faces() {
    let linear = |srgb: [f32; 3]| sunfleck_image::srgb::linear_from_srgb_rgb(Vec3::from(srgb));
    let near = |a: Vec3, b: Vec3| a.distance(b) < 1e-4;
    let bytes = |r: f32, g: f32, b: f32| linear([r / 255.0, g / 255.0, b / 255.0]);
    for (path, expected) in [
        ("ply-colour/named.ply", bytes(200.0, 50.0, 50.0)),
        ("ply-colour/rgb.ply", bytes(200.0, 50.0, 50.0)),
        ("ply-colour/float.ply", linear([0.5, 0.2, 0.2])),
        ("obj-vcol/a.obj", Vec3::X),
        ("obj-vcol/b255.obj", bytes(200.0, 100.0, 50.0)),
    ] {
        let loaded = case(path);
        assert_square(&loaded, path);
        let colors = &only_mesh(&loaded).data().colors;
        assert!(
            !colors.is_empty() && colors.iter().all(|c| near(c.truncate(), expected)),
            "{path}: {colors:?}"
        );
        assert_eq!(albedo(loaded.scene.materials().next().unwrap().1), Vec3::ONE, "{path}");
    }
    let face_colors = |path: &str| {
        let loaded = case(path);
        let mesh = only_mesh(&loaded);
        let colors = mesh.triangles().iter().map(|t| t.map(|v| mesh.data().colors[v as usize].truncate()));
        assert_eq!(albedo(loaded.scene.materials().next().unwrap().1), Vec3::ONE, "{path}");
        colors.collect::<Vec<_>>()
    };
    let expected = [bytes(200.0, 0.0, 0.0), bytes(0.0, 0.0, 200.0)];
    for (corners, expected) in face_colors("ply-face-colour/a.ply").into_iter().zip(expected) {
        assert!(corners.iter().all(|&color| near(color, expected)), "{corners:?}");
    }
    // The first facet has green 25 of 31, the second the colour of the file.
    let expected = [linear([0.0, 25.0 / 31.0, 0.0]), bytes(200.0, 40.0, 40.0)];
    for (corners, expected) in face_colors("stl-colour/magics.stl").into_iter().zip(expected) {
        assert!(corners.iter().all(|&color| near(color, expected)), "{corners:?}");
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn textures_of_ply() {
    let loaded = case("ply-texturefile/wedge.ply");
    assert_square(&loaded, "wedge.ply");
    assert!(warnings(&loaded).is_empty(), "{:?}", warnings(&loaded));
    let Surface::Lambert { albedo } = loaded.scene.materials().next().unwrap().1.surface else { panic!() };
    let texture = loaded.scene.texture(albedo.texture.unwrap().texture).unwrap();
    assert_eq!((texture.width(), texture.height()), (32, 32));
    // v points up in the file: the lower left corner has (0, 0), in the scene (0, 1).
    let MeshData { positions, uv0, .. } = only_mesh(&loaded).data();
    for (position, uv) in positions.iter().zip(uv0) {
        assert_eq!(*uv, vec2((position.x + 1.0) * 0.5, (1.0 - position.y) * 0.5));
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn maps_of_mtl() {
    for folder in ["obj-map-bump-normal", "obj-norm"] {
        let loaded = case(&format!("{folder}/a.obj"));
        assert_square(&loaded, folder);
        assert!(warnings(&loaded).is_empty(), "{folder}: {:?}", warnings(&loaded));
        let map = material(&loaded, "m").normal_map.unwrap();
        assert_eq!(map.scale, 1.0);
        let row = [[[128, 128, 255, 255]; 4], [[218, 128, 218, 255]; 4]].concat();
        assert_eq!(texels(&loaded, map.texture.texture), Texels::Linear8(row.repeat(8).into()));
    }
    let loaded = case("obj-pbr-maps/a.obj");
    let Surface::MetallicRoughness { base_color, metallic, roughness, metallic_roughness_texture, .. } =
        material(&loaded, "m").surface
    else {
        panic!()
    };
    assert_eq!((base_color.factor.truncate(), metallic, roughness), (vec3(0.8, 0.6, 0.2), 1.0, 1.0));
    // The roughness map is 25 of 255, the metallic map is white.
    let texels = texels(&loaded, metallic_roughness_texture.unwrap().texture);
    assert_eq!(texels, Texels::Linear8(vec![[255, 25, 255, 255]; 16].into()));
    let found = warnings(&loaded);
    assert!(found.len() == 1 && found[0].contains("map_refl"), "{found:?}");

    let lamp = case("obj-map-ke/a.obj");
    let emission = material(&lamp, "m").emission;
    assert!(emission.radiance == Vec3::ONE && emission.texture.is_some());
    let mask = case("obj-map-d/a.obj");
    assert_eq!(material(&mask, "m").alpha, Alpha::Blend);
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn files_that_are_good() {
    for path in [
        "hdr-sun/floor.obj",
        "obj-negative-blocks/a.obj",
        "obj-nonutf8/a.obj",
        "obj-room/room.obj",
        "obj-vt0/a.obj",
        "ply-bigendian-crlf/a.ply",
        "ply-face-first/a.ply",
    ] {
        assert!(case(path).scene.instanced_triangle_count() > 0, "{path}");
    }
    let scaled = case("obj-s-o/a.obj");
    let Surface::Lambert { albedo } = material(&scaled, "m").surface else { panic!() };
    // u = 0.5 u + 0.5 and v = 0.5 v, with v upwards: the upper left corner (0, 1) is (0.5, 0.5), or 0.5 downwards.
    assert_eq!(albedo.texture.unwrap().uv_transform.transform_point2(vec2(0.0, 0.0)), vec2(0.5, 0.5));
    let windows = case("obj-winpath/a.obj");
    assert!(warnings(&windows).is_empty(), "{:?}", warnings(&windows));
    let Surface::Lambert { albedo } = material(&windows, "m").surface else { panic!() };
    assert!(albedo.texture.is_some());
}

/// A hundred points on a square grid of unit cells, which spheres of half its diagonal cover without gaps.
#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn points_are_small_spheres() {
    let loaded = case("ply-points/a.ply");
    let data = only_mesh(&loaded).data();
    assert_eq!(data.shapes.len(), 100);
    for (i, sphere) in data.shapes.iter().enumerate() {
        let (center, radius) =
            (sphere.object_from_unit.translation, sphere.object_from_unit.matrix3.x_axis.x);
        let [x, y] = [i % 10, i / 10].map(|i| i as f32);
        assert_eq!(center, vec3(x, y, 0.0));
        assert!((radius - 0.5f32.sqrt()).abs() < 1e-6, "{radius}");
    }
    // (200, 50, 50) in sRGB [IEC61966-2-1]
    let expected = vec3(0.577_580, 0.031_896, 0.031_896);
    assert!(
        data.colors.iter().all(|color| color.truncate().distance(expected) < 1e-5),
        "{:?}",
        data.colors[0]
    );
    assert!(warnings(&loaded).is_empty(), "{:?}", warnings(&loaded));
}

use std::collections::BTreeMap;

use sunfleck_math::{Shape, UnitShape, Vec3, vec3};
use sunfleck_scene::{
    Alpha, CameraFilm, Environment, LightKind, Material, Projection, SpotFalloff, Surface, Texels,
    TextureFilter, Wrap,
};

use crate::{LoadedScene, MemoryFiles, NoFiles, load_bytes};

/// Loads a scene of these elements, with files.
fn loaded_with(elements: &str, files: &[(&str, &[u8])]) -> LoadedScene {
    let files = files.iter().map(|(name, bytes)| ((*name).to_string(), bytes.to_vec())).collect();
    let xml = format!("<scene version='3.0.0'>{elements}</scene>");
    load_bytes("a.xml".as_ref(), xml.as_bytes(), &MemoryFiles(files)).unwrap()
}

fn loaded(elements: &str) -> LoadedScene {
    loaded_with(elements, &[])
}

/// Returns the error of a file.
fn error(xml: &str) -> String {
    load_bytes("a.xml".as_ref(), xml.as_bytes(), &NoFiles).unwrap_err().to_string()
}

/// Returns the material of the only shape.
fn material(elements: &str) -> Material {
    material_of(&loaded(elements))
}

fn material_of(loaded: &LoadedScene) -> Material {
    let materials: Vec<Material> = loaded.scene.materials().map(|(_, material)| material.clone()).collect();
    let [material] = <[Material; 1]>::try_from(materials).unwrap();
    material
}

fn messages(loaded: &LoadedScene) -> String {
    let entries: Vec<String> = loaded.report.entries.iter().map(ToString::to_string).collect();
    entries.join("\n")
}

const TRIANGLE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0.1\nvt 1 0.2\nvt 0 0.9\nf 1/1 2/2 3/3\n";

#[test]
fn defaults_references_and_aliases() {
    let loaded = loaded(
        "<default name='r' value='2'/><default name='r' value='9'/>
        <bsdf type='diffuse' id='red'><rgb name='reflectance' value='1, 0 0'/></bsdf><alias id='red' as='rouge'/>
        <shape type='sphere'><float name='radius' value='$r'/><ref id='rouge'/></shape>
        <shape type='sphere'><float name='radius' value='$r.5'/><ref name='bsdf' id='red'/></shape>",
    );
    let radii: Vec<f32> = loaded.scene.meshes().map(|(_, mesh)| mesh.bounds().size().x / 2.0).collect();
    assert!((radii[0] - 2.0).abs() < 1e-4 && (radii[1] - 2.5).abs() < 1e-4, "{radii:?}");
    let material = material_of(&loaded);
    assert_eq!(
        (material.name.as_str(), material.surface),
        ("red", Surface::Lambert { albedo: Vec3::X.into() })
    );
}

#[test]
fn files_are_included_and_searched_in_paths() {
    let part = b"<scene version='3.0.0'>\n<shape type='obj'><string name='filename' value='meshes\\t.obj'/></shape></scene>";
    let files: [(&str, &[u8]); 2] = [("parts/part.xml", part), ("common/meshes/t.obj", TRIANGLE)];
    let include = "<path value='common'/><include filename='parts/part.xml'/>";
    assert_eq!(loaded_with(include, &files).scene.instanced_triangle_count(), 1);
    let missing = format!("<scene version='3.0.0'>\n {}</scene>", "<include filename='parts/part.xml'/>");
    let files = MemoryFiles(BTreeMap::from([("parts/part.xml".to_string(), part.to_vec())]));
    let error = load_bytes("a.xml".as_ref(), missing.as_bytes(), &files).unwrap_err();
    let expected = "a.xml:2:2: parts/part.xml:2:1: cannot read meshes/t.obj: file not found";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_file_that_includes_itself_is_one_error() {
    let files = [
        ("b.xml", "<scene version='3.0.0'><include filename='c.xml'/></scene>"),
        ("c.xml", "<scene version='3.0.0'><include filename='b.xml'/></scene>"),
    ];
    let files = files.map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
    let files = MemoryFiles(BTreeMap::from(files));
    let xml = b"<scene version='3.0.0'><include filename='b.xml'/></scene>";
    let error = load_bytes("a.xml".as_ref(), xml, &files).unwrap_err();
    assert_eq!(error.to_string(), "a.xml:1:24: c.xml:1:24: \"b.xml\" includes itself");
}

#[test]
fn errors_have_places() {
    let cases = [
        ("<scene version='3.0.0'>\n<shape></scene>", "a.xml:2:8: the file is not valid XML"),
        ("<svg/>", "a.xml:1:1: the root element is not <scene>"),
        ("<scene version='x'/>", "\"x\" is not a version"),
        (
            "<scene version='3.0.0'>\n <shape type='sphere'><float name='radius' value='big'/></shape></scene>",
            "a.xml:2:23: \"big\" is not a number",
        ),
        ("<scene version='3.0.0'><shape type='$kind'/></scene>", "the parameter \"$kind\" has no value"),
        (
            "<scene version='3.0.0'><shape type='sphere'><ref id='x'/></shape></scene>",
            "a.xml:1:45: there is no object with the id \"x\"",
        ),
        (
            "<scene version='3.0.0'><bsdf type='diffuse' id='a'/><bsdf type='diffuse' id='a'/></scene>",
            "there are two objects with the id \"a\"",
        ),
        (
            "<scene version='3.0.0'><bsdf type='twosided' id='a'><ref id='a'/></bsdf><shape type='sphere'><ref id='a'/></shape></scene>",
            "too many scattering models are within each other",
        ),
        (
            "<scene version='3.0.0'><shape type='obj'><string name='filename' value='no.obj'/></shape></scene>",
            "cannot read no.obj",
        ),
    ];
    for (xml, expected) in cases {
        let error = error(xml);
        assert!(error.contains(expected), "{error}\n{expected}");
    }
    let deep = format!(
        "<scene version='3.0.0'>{}{}</scene>",
        "<shape type='merge'>".repeat(5000),
        "</shape>".repeat(5000)
    );
    assert!(error(&deep).contains("are within each other"), "{}", error(&deep));
}

#[test]
fn names_of_old_versions() {
    let xml = "<scene version='0.6.0'><shape type='sphere'><transform name='toWorld'><translate y='2'/></transform>
        <bsdf type='dielectric'><float name='intIOR' value='2'/><string name='extIOR' value='vacuum'/></bsdf></shape>
        <sensor type='perspective'><string name='fovAxis' value='y'/><float name='fov' value='60'/>
        <transform name='toWorld'><lookAt origin='0,0,0' target='1,0,0' up='0,1,0'/></transform></sensor></scene>";
    let loaded = load_bytes("a.xml".as_ref(), xml.as_bytes(), &NoFiles).unwrap();
    assert_eq!(messages(&loaded), "");
    assert_eq!(material_of(&loaded).surface, Surface::smooth_dielectric(2.0, Vec3::ONE));
    let placed = &loaded.scene.world_instances()[0];
    assert_eq!(placed.world_from_object.translation, vec3(0.0, 2.0, 0.0));
    let camera = loaded.scene.world_cameras()[0];
    assert!((-camera.world_from_view.matrix3.z_axis).abs_diff_eq(Vec3::X, 1e-6), "it looks along +x");
    assert!(camera.world_from_view.matrix3.y_axis.abs_diff_eq(Vec3::Y, 1e-6));
    // White light
    let grey = "<scene version='0.6.0'><shape type='sphere'><emitter type='area'>
        <spectrum name='radiance' value='4'/></emitter></shape></scene>";
    let grey = load_bytes("a.xml".as_ref(), grey.as_bytes(), &NoFiles).unwrap();
    assert_eq!(material_of(&grey).emission.radiance, Vec3::splat(4.0));
}

/// Directions that the sensors of `mitsuba` 3.9.1 return for the lower right corner of a film of 200 × 100.
#[test]
fn fields_of_view_are_those_of_mitsuba() {
    let cases = [
        ("<float name='fov' value='40'/>", vec3(-0.3371, -0.1686, 0.9262)),
        ("<float name='fov' value='40'/><string name='fov_axis' value='y'/>", vec3(-0.5646, -0.2823, 0.7756)),
        (
            "<float name='fov' value='40'/><string name='fov_axis' value='diagonal'/>",
            vec3(-0.3059, -0.153, 0.9397),
        ),
        (
            "<float name='fov' value='40'/><string name='fov_axis' value='smaller'/>",
            vec3(-0.5646, -0.2823, 0.7756),
        ),
        (
            "<float name='fov' value='40'/><string name='fov_axis' value='larger'/>",
            vec3(-0.3371, -0.1686, 0.9262),
        ),
        ("<string name='focal_length' value='50mm'/>", vec3(-0.3552, -0.1776, 0.9178)),
        ("", vec3(-0.3552, -0.1776, 0.9178)),
    ];
    for (parameters, expected) in cases {
        let scene = loaded(&format!(
            "<sensor type='perspective'>{parameters}<film type='hdrfilm'><integer name='width' value='200'/>
            <integer name='height' value='100'/></film></sensor>"
        ))
        .scene;
        let placed = scene.world_cameras()[0];
        let camera = scene.camera(placed.camera).unwrap();
        assert_eq!(camera.aspect_ratio, Some(2.0));
        let Projection::Perspective { fov_y_radians } = camera.projection else { panic!("{camera:?}") };
        let half = sunfleck_math::tan(0.5 * fov_y_radians);
        let direction = placed.world_from_view.matrix3 * vec3(2.0 * half, -half, -1.0);
        assert!(direction.normalize_or(Vec3::ZERO).abs_diff_eq(expected, 2e-4), "{parameters}: {direction}");
    }
}

#[test]
fn films_and_crop_windows() {
    let film = |parameters: &str| {
        let scene =
            loaded(&format!("<sensor type='perspective'><film type='hdrfilm'>{parameters}</film></sensor>"));
        let camera = scene.scene.cameras().next().unwrap().1.clone();
        (camera.film.unwrap(), messages(&scene))
    };
    let integers = |values: &[(&str, i32)]| -> String {
        values.iter().map(|(name, value)| format!("<integer name='{name}' value='{value}'/>")).collect()
    };
    let size = [("width", 200), ("height", 100)];
    assert_eq!(film("").0, CameraFilm { width: 768, height: 576, crop: None });
    assert_eq!(film(&integers(&size)).0, CameraFilm { width: 200, height: 100, crop: None });
    let window = [("crop_offset_x", 150), ("crop_offset_y", 20), ("crop_width", 40), ("crop_height", 30)];
    let (found, notes) = film(&(integers(&size) + &integers(&window)));
    assert_eq!(found, CameraFilm { width: 200, height: 100, crop: Some([150, 20, 40, 30]) });
    assert!(!notes.contains("crop"), "{notes}");
    let (found, notes) = film(&(integers(&size) + &integers(&[("crop_offset_x", 300)])));
    assert_eq!(found.crop, None);
    assert!(notes.contains("the crop window of the film is empty"), "{notes}");
}

#[test]
fn other_sensors() {
    let scene = loaded(
        "<sensor type='orthographic'><transform name='to_world'><scale x='3' y='3'/></transform>
        <film type='hdrfilm'><integer name='width' value='200'/><integer name='height' value='100'/></film></sensor>
        <sensor type='thinlens'><float name='fov' value='90'/><float name='aperture_radius' value='0.1'/>
        <float name='focus_distance' value='5'/><film type='hdrfilm'><integer name='width' value='10'/>
        <integer name='height' value='10'/></film></sensor><sensor type='irradiancemeter'/>",
    );
    let projections: Vec<Projection> = scene.scene.cameras().map(|(_, camera)| camera.projection).collect();
    assert_eq!(projections[0], Projection::Orthographic { height: 3.0 });
    let Projection::ThinLens { fov_y_radians, lens_radius, focus_distance } = projections[1] else {
        panic!()
    };
    assert!((fov_y_radians - 90f32.to_radians()).abs() < 1e-6);
    assert_eq!((lens_radius, focus_distance), (0.1, 5.0));
    assert!(messages(&scene).contains("sensor \"irradiancemeter\" is not supported"), "{}", messages(&scene));
}

#[test]
fn shapes_have_the_formulas_and_the_sides_of_mitsuba() {
    let scene = loaded(
        "<shape type='sphere'><point name='center' x='1' y='2' z='3'/><float name='radius' value='0.5'/></shape>
        <shape type='sphere'><transform name='to_world'><scale x='-1'/></transform></shape>
        <shape type='rectangle'><transform name='to_world'><scale z='-1'/></transform></shape>
        <shape type='disk'><boolean name='flip_normals' value='true'/></shape>
        <shape type='cylinder'><point name='p0' value='0,1,0'/><point name='p1' value='0,3,0'/>
        <float name='radius' value='0.25'/></shape>",
    )
    .scene;
    let shapes: Vec<Shape> = scene.meshes().flat_map(|(_, mesh)| mesh.shapes().to_vec()).collect();
    assert_eq!(shapes[0], Shape::sphere(vec3(1.0, 2.0, 3.0), 0.5));
    assert!(shapes[1].flipped, "a mirrored sphere has its front inside");
    assert_eq!((&shapes[2].unit, shapes[2].flipped), (&UnitShape::Rectangle, false));
    assert_eq!((&shapes[3].unit, shapes[3].flipped), (&UnitShape::Disk { hole: 0.0 }, true));
    let bounds = shapes[4].bounds();
    assert!(
        bounds.min.abs_diff_eq(vec3(-0.25, 1.0, -0.25), 1e-5)
            && bounds.max.abs_diff_eq(vec3(0.25, 3.0, 0.25), 1e-5)
    );
}

/// Texture coordinates that `mitsuba` 3.9.1 returns at points of its shapes.
#[test]
fn texture_coordinates_of_shapes_are_those_of_mitsuba() {
    let cases = [
        ("rectangle", vec3(0.5, 0.25, 0.0), [0.75, 0.625]),
        ("disk", vec3(0.0001, 0.25, 0.0), [0.25, 0.249_936]),
        ("cylinder", vec3(0.001, 1.0, 0.3), [0.249_841, 0.3]),
        ("sphere", vec3(0.905_539, 0.3, 0.3), [0.050_916, 0.403_013]),
    ];
    for (plugin, point, [u, v]) in cases {
        let loaded = loaded(&format!(
            "<shape type='{plugin}'><bsdf type='diffuse'><texture name='reflectance' type='checkerboard'/></bsdf></shape>"
        ));
        let mesh = loaded.scene.meshes().next().unwrap().1.clone();
        let shape = &mesh.shapes()[0];
        let ours = shape.point_at(shape.unit.location_of(point.as_dvec3())).uv[0];
        let Surface::Lambert { albedo } = material_of(&loaded).surface else { panic!() };
        let found = albedo.texture.unwrap().uv_transform.transform_point2(ours);
        assert!((found.x - u).abs() < 1e-4 && (found.y - v).abs() < 1e-4, "{plugin}: {found}");
    }
}

/// Vertices and normals that `mitsuba` 3.9.1 lists.
#[test]
fn meshes_have_the_normals_and_texture_coordinates_of_mitsuba() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        property float u\nproperty float v\nproperty float r\nproperty float g\nproperty float b\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n0 0 0 0 0.1 .5 0 0\n1 0 0 1 0.2 .5 0 1\n0 1 0 0 0.9 .5 1 0\n3 0 1 2\n";
    let load = |plugin: &str, inner: &str| {
        let shape = format!("<shape type='{plugin}'><string name='filename' value='m'/>{inner}</shape>");
        let bytes = if plugin == "ply" { ply.as_bytes() } else { TRIANGLE };
        let loaded = loaded_with(&shape, &[("m", bytes)]);
        loaded.scene.meshes().next().unwrap().1.data().clone()
    };
    let mirror = "<transform name='to_world'><scale x='-1'/></transform>";
    let flip = "<boolean name='flip_normals' value='true'/>";
    for (plugin, first_v, last_v) in [("ply", 0.1, 0.9), ("obj", 0.9, 0.1)] {
        let mesh = load(plugin, "");
        assert!((mesh.uv0[0].y - first_v).abs() < 1e-6 && (mesh.uv0[2].y - last_v).abs() < 1e-6, "{plugin}");
        assert_eq!((&mesh.normals[..], &mesh.triangles[..]), (&[Vec3::Z; 3][..], &[[0, 1, 2]][..]));
        assert!(mesh.colors.is_empty() && mesh.tangents.is_empty());
        for inner in [mirror, flip] {
            let mesh = load(plugin, inner);
            // Front and back change places
            assert_eq!((&mesh.normals[..], &mesh.triangles[..]), (&[Vec3::NEG_Z; 3][..], &[[0, 2, 1]][..]));
        }
        assert!(load(plugin, "<boolean name='face_normals' value='true'/>").normals.is_empty());
        let turned = load(plugin, &format!("<boolean name='flip_tex_coords' value='{}'/>", plugin == "ply"));
        assert!((turned.uv0[0].y - last_v).abs() < 1e-6);
    }
    let colors = "<bsdf type='diffuse'><texture name='reflectance' type='mesh_attribute'>
        <string name='name' value='vertex_color'/></texture></bsdf>";
    assert_eq!(load("ply", colors).colors[1].truncate(), vec3(0.5, 0.0, 1.0), "linear, as in the file");
}

#[test]
fn a_file_is_one_mesh_for_all_its_shapes() {
    let shape = "<shape type='obj'><string name='filename' value='t.obj'/></shape>";
    let scene = loaded_with(&shape.repeat(3), &[("t.obj", TRIANGLE)]).scene;
    assert_eq!((scene.meshes().len(), scene.materials().len(), scene.world_instances().len()), (1, 1, 3));
}

#[test]
fn instances_show_the_shapes_of_a_group() {
    let scene = loaded(
        "<shape type='shapegroup' id='g'><shape type='sphere'/><shape type='rectangle'>
        <transform name='to_world'><translate x='5'/></transform></shape></shape>
        <shape type='instance'><ref id='g'/></shape>
        <shape type='instance'><ref id='g'/><transform name='to_world'><scale value='2'/></transform></shape>",
    )
    .scene;
    let x: Vec<f32> = scene.world_instances().iter().map(|i| i.world_from_object.translation.x).collect();
    assert_eq!((x, scene.meshes().len()), (vec![0.0, 5.0, 0.0, 10.0], 2));
}

#[test]
fn lights() {
    let scene = loaded(
        "<emitter type='point'><rgb name='intensity' value='300'/><point name='position' x='1' y='2' z='3'/></emitter>
        <emitter type='directional'><vector name='direction' value='0,0,-1'/></emitter>
        <emitter type='spot'><transform name='to_world'><lookat origin='0,5,0' target='0,0,0' up='1,0,0'/></transform>
        <float name='cutoff_angle' value='40'/></emitter>
        <emitter type='constant'><rgb name='radiance' value='1 2 3'/></emitter>",
    )
    .scene;
    let lights: Vec<_> = scene.lights().map(|(_, light)| light.clone()).collect();
    assert_eq!((lights[0].emission, lights[0].kind), (Vec3::splat(300.0), LightKind::Point));
    assert_eq!((lights[1].emission, lights[1].kind), (Vec3::ONE, LightKind::Directional));
    let LightKind::Spot { inner_radians, outer_radians, falloff: SpotFalloff::Linear } = lights[2].kind
    else {
        panic!()
    };
    assert!(
        (inner_radians - 30f32.to_radians()).abs() < 1e-6
            && (outer_radians - 40f32.to_radians()).abs() < 1e-6
    );
    let placed = scene.world_lights();
    assert_eq!(placed[0].world_from_light.translation, vec3(1.0, 2.0, 3.0));
    assert!((-placed[1].world_from_light.matrix3.z_axis).abs_diff_eq(Vec3::NEG_Z, 1e-6));
    assert!((-placed[2].world_from_light.matrix3.z_axis).abs_diff_eq(Vec3::NEG_Y, 1e-6));
    assert_eq!(*scene.environment(), Environment::Constant { radiance: vec3(1.0, 2.0, 3.0) });
}

#[test]
fn an_environment_map_has_its_middle_at_z() {
    let map = b"P6 4 2 255\n............++++++++++++";
    let envmap = |turn: &str| {
        let emitter = format!(
            "<emitter type='envmap'><string name='filename' value='m.ppm'/><float name='scale' value='2'/>
            <transform name='to_world'>{turn}</transform></emitter>"
        );
        *loaded_with(&emitter, &[("m.ppm", map)]).scene.environment()
    };
    let Environment::Map { rotation_y_radians, scale, .. } = envmap("<rotate y='1' angle='90'/>") else {
        panic!()
    };
    assert!((rotation_y_radians - 270f32.to_radians()).abs() < 1e-6, "{rotation_y_radians}");
    assert_eq!(scale, Vec3::splat(2.0));
    let Environment::Map { rotation_y_radians, .. } = envmap("<rotate x='1' angle='90'/>") else { panic!() };
    assert_eq!(rotation_y_radians, 0.0, "the pixels are turned");
}

#[test]
fn checkerboards_are_four_texels() {
    let loaded = loaded(
        "<shape type='rectangle'><bsdf type='diffuse'><texture name='reflectance' type='checkerboard'>
        <float name='color0' value='0.25'/><transform name='to_uv'><scale x='4' y='8'/></transform></texture></bsdf></shape>",
    );
    let Surface::Lambert { albedo } = material_of(&loaded).surface else { panic!() };
    let reference = albedo.texture.unwrap();
    assert!(
        reference.uv_transform.matrix2.x_axis.x == 4.0 && reference.uv_transform.matrix2.y_axis.y == -8.0
    );
    let texture = loaded.scene.texture(reference.texture).unwrap();
    assert_eq!((texture.filter(), texture.wrap()), (TextureFilter::Nearest, [Wrap::Repeat; 2]));
    let Texels::Float(texels) = texture.texels() else { panic!() };
    assert_eq!(texels.iter().map(|texel| texel[0]).collect::<Vec<_>>(), [0.2, 0.25, 0.25, 0.2]);
}

#[test]
fn bitmaps_masks_and_normal_maps() {
    let grey = b"P5 2 1 255\n\x00\xbc";
    let bitmap = |name: &str, more: &str| {
        format!(
            "<texture name='{name}' type='bitmap'><string name='filename' value='g.pgm'/>{more}</texture>"
        )
    };
    let shape = |bsdf: &str| format!("<shape type='rectangle'>{bsdf}</shape>");
    let mask = shape(&format!("<bsdf type='mask'>{}<bsdf type='diffuse'/></bsdf>", bitmap("opacity", "")));
    let masked = loaded_with(&mask, &[("g.pgm", grey)]);
    let material = material_of(&masked);
    assert_eq!(material.alpha, Alpha::Blend);
    let texture = masked.scene.textures().next().unwrap().1.clone();
    assert_eq!(*texture.texels(), Texels::Srgb8(vec![[255, 255, 255, 0], [255, 255, 255, 128]].into()));
    let clamp = "<boolean name='raw' value='true'/><string name='wrap_mode' value='clamp'/>";
    let map = format!("<bsdf type='normalmap'>{}<bsdf type='diffuse'/></bsdf>", bitmap("normalmap", clamp));
    let mapped = loaded_with(&shape(&map), &[("g.pgm", grey)]);
    assert!(material_of(&mapped).normal_map.is_some());
    let texture = mapped.scene.textures().next().unwrap().1.clone();
    assert_eq!(texture.wrap(), [Wrap::ClampToEdge; 2]);
    assert!(matches!(texture.texels(), Texels::Linear8(_)));
    let missing = loaded(&shape(&format!("<bsdf type='diffuse'>{}</bsdf>", bitmap("reflectance", ""))));
    assert!(
        messages(&missing).contains("the texture is left out: cannot read g.pgm"),
        "{}",
        messages(&missing)
    );
}

#[test]
fn scattering_models() {
    let surface = |bsdf: &str| material(&format!("<shape type='sphere'>{bsdf}</shape>")).surface;
    assert_eq!(surface(""), Surface::Lambert { albedo: Vec3::splat(0.5).into() });
    let glass = "<bsdf type='dielectric'><string name='int_ior' value='diamond'/><string name='ext_ior' value='vacuum'/></bsdf>";
    let frosted = "<bsdf type='roughdielectric'><string name='distribution' value='ggx'/><float name='alpha' value='0.25'/></bsdf>";
    let Surface::Dielectric { roughness, beckmann, .. } = surface(frosted) else { panic!() };
    assert_eq!((roughness, beckmann), (0.5, false));
    let gold =
        "<bsdf type='roughconductor'><string name='material' value='Au'/><float name='alpha_u' value='0.04'/>
        <float name='alpha_v' value='0.64'/></bsdf>";
    let Surface::Conductor { eta, k, roughness, anisotropy, beckmann, .. } = surface(gold) else { panic!() };
    // `mitsuba` 3.9.1 prints these
    assert!(eta.abs_diff_eq(vec3(0.143_036, 0.375_307, 1.442_05), 1e-4), "{eta}");
    assert!(k.abs_diff_eq(vec3(3.983, 2.385_56, 1.603_36), 1e-3), "{k}");
    assert!((roughness - 0.4).abs() < 1e-6 && beckmann, "√0.16");
    assert!((anisotropy - (0.04 - 0.64) / 0.68).abs() < 1e-6, "{anisotropy}");
    let plastic = "<bsdf type='plastic'><float name='int_ior' value='1.9'/><boolean name='nonlinear' value='true'/></bsdf>";
    let Surface::Plastic { ior, nonlinear, roughness, .. } = surface(plastic) else { panic!() };
    assert!((ior - 1.9 / 1.000_277).abs() < 1e-6 && nonlinear && roughness == 0.0);
    assert_eq!(surface(glass), Surface::smooth_dielectric(2.419, Vec3::ONE));
    let Surface::ThinDielectric { ior, .. } = surface("<bsdf type='thindielectric'/>") else { panic!() };
    assert!((ior - 1.504_18).abs() < 1e-5);
    let blend = "<bsdf type='blendbsdf'><float name='weight' value='0.25'/>
        <bsdf type='diffuse'><rgb name='reflectance' value='1 0 0'/></bsdf>
        <bsdf type='diffuse'><rgb name='reflectance' value='0 0 1'/></bsdf></bsdf>";
    assert_eq!(surface(blend), Surface::Lambert { albedo: vec3(0.75, 0.0, 0.25).into() });
    assert_eq!(material("<shape type='sphere'><bsdf type='null'/></shape>").alpha, Alpha::Blend);
    // σ = 0.5 / √2 radians, as a part of a right angle
    let Surface::OrenNayar { roughness, .. } =
        surface("<bsdf type='roughdiffuse'><float name='alpha' value='0.5'/></bsdf>")
    else {
        panic!()
    };
    assert!((roughness - 0.225_079).abs() < 1e-5, "{roughness}");
    let old = "<scene version='0.6.0'><shape type='sphere'><bsdf type='conductor'>
        <string name='extEta' value='water'/><float name='eta' value='2.666'/></bsdf></shape></scene>";
    let old = load_bytes("a.xml".as_ref(), old.as_bytes(), &NoFiles).unwrap();
    let Surface::Conductor { eta, .. } = material_of(&old).surface else { panic!() };
    assert!(eta.abs_diff_eq(Vec3::splat(2.0), 1e-5), "{eta}");
}

/// Values that the textures of `mitsuba` 3.9.1, `scalar_rgb`, return.
#[test]
fn emission_as_a_number_and_as_a_spectrum() {
    let radiance = |radiance: &str| {
        material(&format!("<shape type='sphere'><emitter type='area'>{radiance}</emitter></shape>"))
            .emission
            .radiance
    };
    let number = "<spectrum name='radiance' value='2'/>";
    assert!(radiance(number).abs_diff_eq(vec3(2.41, 1.90, 1.82), 5e-3), "{}", radiance(number));
    let uniform = "<spectrum name='radiance' type='uniform'><float name='value' value='2'/></spectrum>";
    assert_eq!(radiance(uniform), Vec3::splat(2.0));
    let daylight = "<spectrum name='radiance' type='d65'><rgb name='color' value='1 0.5 0.2'/>
        <float name='scale' value='2'/></spectrum>";
    assert!(radiance(daylight).abs_diff_eq(vec3(2.0, 1.0, 0.4), 1e-6), "{}", radiance(daylight));
}

#[test]
fn a_light_without_a_surface_emits() {
    let lamp = material(
        "<shape type='sphere'><bsdf type='null'/><emitter type='area'><rgb name='radiance' value='3'/></emitter></shape>",
    );
    assert_eq!((lamp.alpha, lamp.emission.radiance), (Alpha::Opaque, Vec3::splat(3.0)));
    assert_eq!(lamp.surface, Surface::Lambert { albedo: Vec3::ZERO.into() });
}

#[test]
fn what_is_left_out_is_named_once_with_its_place() {
    let loaded = loaded(
        "\n<shape type='sphere'><bsdf type='hair'/><float name='wobble' value='1'/></shape>
        <shape type='sphere'><bsdf type='hair'/></shape><shape type='heightfield'/><emitter type='sunsky'/>
        <shape type='sphere'><medium name='interior' type='homogeneous'/></shape><wibble/>",
    );
    let messages = messages(&loaded);
    for expected in [
        "a.xml:2:22: 2 × the bsdf \"hair\" is not supported",
        "a.xml:2:41: \"wobble\" of the shape \"sphere\" is not used",
        "the shape \"heightfield\" is not supported",
        "the emitter \"sunsky\" is not supported",
        "participating media are part of the scene, but not rendered yet",
        "<wibble> in <scene> is not known",
    ] {
        assert!(messages.contains(expected), "{messages}\n\n{expected}");
    }
    assert_eq!(loaded.scene.world_instances().len(), 3);
}

/// Rays that pass the conductor reach the glass, and no ray passes that.
#[test]
fn blends_are_layers_at_the_same_place() {
    let layers = |bsdf: &str, files: &[(&str, &[u8])]| {
        let loaded = loaded_with(&format!("<shape type='sphere'>{bsdf}</shape>"), files);
        let materials =
            loaded.scene.world_instances().into_iter().map(|instance| instance.materials.to_vec());
        let layers: Vec<Material> =
            materials.map(|materials| loaded.scene.material(materials[0]).unwrap().clone()).collect();
        assert_eq!(loaded.scene.meshes().len(), 1);
        (layers, loaded)
    };
    let glass = "<bsdf type='dielectric'/>";
    let metal = "<bsdf type='conductor'><string name='material' value='none'/></bsdf>";
    let blend = |weight: &str, a: &str, b: &str| format!("<bsdf type='blendbsdf'>{weight}{a}{b}</bsdf>");
    let number = "<float name='weight' value='0.25'/>";
    let alpha = |material: &mut Material| material.surface.alpha_color_mut().unwrap().factor.w;
    for (bsdf, expected) in [(blend(number, metal, glass), 0.75), (blend(number, glass, metal), 0.25)] {
        let (mut found, loaded) = layers(&bsdf, &[]);
        assert!(!messages(&loaded).contains("blendbsdf"), "{}", messages(&loaded));
        let [above, below] = &mut found[..] else { panic!("{found:?}") };
        assert!(matches!(above.surface, Surface::Conductor { .. }) && above.alpha == Alpha::Blend);
        assert!((alpha(above) - expected).abs() < 1e-6);
        assert!(matches!(below.surface, Surface::Dielectric { .. }) && below.alpha == Alpha::Opaque);
    }
    // Without an alpha for either
    let (found, loaded) = layers(&blend(number, glass, glass), &[]);
    assert_eq!(found.len(), 1);
    assert!(messages(&loaded).contains("the bsdf \"blendbsdf\" is not supported"));

    let image = "<texture name='weight' type='bitmap'><string name='filename' value='g.pgm'/>
        <boolean name='raw' value='true'/></texture>";
    let grey: &[u8] = b"P5 2 1 255\n\x00\x33";
    let alphas = |bsdf: &str| {
        let (found, loaded) = layers(bsdf, &[("g.pgm", grey)]);
        assert_eq!(found.len(), 2);
        let texture = found[0].surface.clone().alpha_color_mut().unwrap().texture.unwrap().texture;
        match loaded.scene.texture(texture).unwrap().texels() {
            Texels::Srgb8(texels) => texels.iter().map(|texel| texel[3]).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    };
    // The weight is that of the second model
    assert_eq!(alphas(&blend(image, glass, metal)), [0, 51]);
    assert_eq!(alphas(&blend(image, metal, glass)), [255, 204]);

    let mixture = format!(
        "<bsdf type='mixturebsdf'><string name='weights' value='0.2, 0.3, 0.4'/>{glass}{metal}<bsdf type='plastic'/></bsdf>"
    );
    let (mut found, _) = layers(&mixture, &[]);
    // What is missing to 1 is black; the glass is the last one
    let mut reaching = 1.0;
    let shares: Vec<f32> = (0..4)
        .map(|i| {
            let alpha = found[i].surface.alpha_color_mut().map_or(1.0, |color| color.factor.w);
            let share = reaching * alpha;
            reaching -= share;
            share
        })
        .collect();
    assert!(matches!(found[3].surface, Surface::Dielectric { .. }));
    assert!(shares.iter().zip([0.3, 0.4, 0.1, 0.2]).all(|(a, b)| (a - b).abs() < 1e-6), "{shares:?}");
}

#[test]
fn media_are_kept() {
    let media = |elements: &str| {
        let loaded = loaded(&format!("<shape type='sphere'>{elements}<bsdf type='null'/></shape>"));
        (material_of(&loaded).media, messages(&loaded))
    };
    let (found, notes) = media(
        "<medium name='interior' type='homogeneous'><rgb name='sigma_t' value='1 2 4'/><float name='scale' value='2'/>
        <volume name='albedo' type='constvolume'><rgb name='value' value='0.5 0.25 1'/></volume>
        <phase type='hg'><float name='g' value='-0.3'/></phase></medium>",
    );
    let medium = found.interior.unwrap();
    assert!(medium.scattering.abs_diff_eq(vec3(1.0, 1.0, 8.0), 1e-5), "{medium:?}");
    assert!(medium.absorption.abs_diff_eq(vec3(1.0, 3.0, 0.0), 1e-5), "{medium:?}");
    assert!((medium.asymmetry + 0.3).abs() < 1e-6 && found.exterior.is_none());
    assert!(notes.contains("not rendered yet") && !notes.contains("is not used"), "{notes}");
    let old = "<scene version='0.6.0'><shape type='sphere'><medium name='exterior' type='homogeneous'>
        <spectrum name='sigmaA' value='0.5'/><spectrum name='sigmaS' value='3'/></medium></shape></scene>";
    let old = load_bytes("a.xml".as_ref(), old.as_bytes(), &NoFiles).unwrap();
    let exterior = material_of(&old).media.exterior.unwrap();
    assert!(exterior.absorption.abs_diff_eq(Vec3::splat(0.5), 1e-5), "{exterior:?}");
    assert!(exterior.scattering.abs_diff_eq(Vec3::splat(3.0), 1e-5), "{exterior:?}");
    let (found, notes) = media(
        "<medium name='interior' type='heterogeneous'><volume name='sigma_t' type='gridvolume'>
        <string name='filename' value='a.vol'/></volume></medium>",
    );
    assert!(found.is_empty() && notes.contains("is left out"), "{notes}");
}

/// Cubes at coordinates of a map, a quarter of a metre apart, which single precision cannot tell apart there.
#[test]
fn scenes_far_from_zero_are_relative_to_an_origin() {
    let at = |x: &str, more: &str| {
        format!("<transform name='to_world'><translate x='{x}' y='5335942' z='10'/></transform>{more}")
    };
    let scene = loaded(&format!(
        "<shape type='cube'>{}</shape><shape type='cube'>{}</shape><shape type='shapegroup' id='g'>
        <shape type='sphere'/></shape><shape type='instance'><ref id='g'/>{}</shape>
        <sensor type='perspective'>{}</sensor><emitter type='spot'>{}</emitter>",
        at("6916070", ""),
        at("6916070.25", ""),
        at("6916080.5", ""),
        at("6916075.75", ""),
        at("6916071.75", ""),
    ))
    .scene;
    assert_eq!(scene.origin(), sunfleck_math::DVec3::new(6_916_075.0, 5_335_942.0, 10.0));
    let x: Vec<f32> =
        scene.world_instances().iter().map(|placed| placed.world_from_object.translation.x).collect();
    assert_eq!(x, [-5.0, -4.75, 5.5]);
    assert_eq!(scene.world_cameras()[0].world_from_view.translation, vec3(0.75, 0.0, 0.0));
    assert_eq!(scene.world_lights()[0].world_from_light.translation, vec3(-3.25, 0.0, 0.0));
}

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::Surface;

use super::*;

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

/// Each model refers to ten others, and so on: 10¹² uses of one.
#[test]
fn references_within_references_are_converted_once() {
    let mut elements =
        "<bsdf type='diffuse' id='m0'><rgb name='reflectance' value='0.2 0.4 0.6'/></bsdf>".to_string();
    for level in 1..=12 {
        let inner = format!("<ref id='m{}'/>", level - 1).repeat(10);
        let weights = ["0.1"; 10].join(",");
        elements += &format!(
            "<bsdf type='mixturebsdf' id='m{level}'><string name='weights' value='{weights}'/>{inner}</bsdf>"
        );
    }
    let Surface::Lambert { albedo } =
        material(&format!("{elements}<shape type='sphere'><ref id='m12'/></shape>")).surface
    else {
        panic!("diffuse")
    };
    assert!(albedo.factor.truncate().abs_diff_eq(vec3(0.2, 0.4, 0.6), 1e-4), "{albedo:?}");
}

#[test]
fn shapes_are_counted_in_merged_ones() {
    let mut elements = "<shape type='merge' id='s0'/>".to_string();
    for level in 1..=12 {
        let inner = format!("<ref id='s{}'/>", level - 1).repeat(10);
        elements += &format!("<shape type='merge' id='s{level}'>{inner}</shape>");
    }
    let error = error(&format!("<scene version='3.0.0'>{elements}</scene>"));
    assert!(error.contains("shapes and instances"), "{error}");
}

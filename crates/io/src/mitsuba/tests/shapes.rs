use sunfleck_math::{Shape, UnitShape, Vec3, vec3};
use sunfleck_scene::Surface;

use super::*;

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
    // In the world: shapes are relative to their places
    let in_world = |placed: &sunfleck_scene::WorldInstance<'_>| {
        let shape = scene.mesh(placed.mesh).unwrap().shapes()[0].clone();
        let mut object_from_unit = shape.object_from_unit;
        object_from_unit.translation += placed.world_from_object.translation;
        Shape { object_from_unit, ..shape }
    };
    let shapes: Vec<Shape> = scene.world_instances().iter().map(in_world).collect();
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

/// Places by the centre of a sphere, by the end of a cylinder and within a merged shape.
#[test]
fn all_places_of_shapes_count_for_the_origin() {
    let scene = loaded(
        "<shape type='sphere'><point name='center' value='6916070, 5335942, 10'/></shape>
        <shape type='sphere'><point name='center' value='6916070.25, 5335942, 10'/></shape>
        <shape type='cylinder'><point name='p0' value='6916080.5, 5335942, 10'/>
        <point name='p1' value='6916080.5, 5335942, 12.5'/></shape>
        <shape type='merge'><shape type='sphere'><transform name='to_world'>
        <translate x='6916075.75' y='5335942' z='10'/></transform></shape></shape>",
    )
    .scene;
    assert_eq!(scene.origin(), sunfleck_math::DVec3::new(6_916_075.0, 5_335_942.0, 10.0));
    let placed = scene.world_instances();
    let bounds = |i: usize| {
        let shape = &scene.mesh(placed[i].mesh).unwrap().shapes()[0];
        shape.bounds().transformed(&placed[i].world_from_object)
    };
    for (i, x) in [(0, -5.0), (1, -4.75), (3, 0.75)] {
        assert!(bounds(i).center().abs_diff_eq(vec3(x, 0.0, 0.0), 1e-6), "{i}: {:?}", bounds(i));
    }
    assert!(bounds(2).center().abs_diff_eq(vec3(5.5, 0.0, 1.25), 1e-6), "{:?}", bounds(2));
}

/// Layers without colours of vertices do not show those of others.
#[test]
fn vertex_colours_belong_to_a_layer() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        property float r\nproperty float g\nproperty float b\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n0 0 0 .5 0 0\n1 0 0 .5 0 1\n0 1 0 .5 1 0\n3 0 1 2\n";
    let scene = loaded_with(
        "<shape type='ply'><string name='filename' value='m'/><bsdf type='blendbsdf'>
        <float name='weight' value='0.5'/><bsdf type='conductor'/>
        <bsdf type='diffuse'><texture name='reflectance' type='mesh_attribute'/></bsdf></bsdf></shape>",
        &[("m", ply.as_bytes())],
    )
    .scene;
    let mut layers = 0;
    for placed in scene.world_instances() {
        let is_diffuse =
            matches!(scene.material(placed.materials[0]).unwrap().surface, Surface::Lambert { .. });
        let colors = &scene.mesh(placed.mesh).unwrap().data().colors;
        assert_eq!(!colors.is_empty(), is_diffuse, "{colors:?}");
        layers += 1;
    }
    assert_eq!(layers, 2);
}

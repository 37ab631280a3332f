//! Shapes on the GPU against the CPU, in images.

use std::sync::Arc;

use sunfleck_gpu::{AdapterChoice, Gpu, Renderer};
use sunfleck_image::{Aov, AovSet};
use sunfleck_integrators::{Algorithm, PlacedCamera, ViewSpec, World};
use sunfleck_math::transform::look_at;
use sunfleck_math::{Affine3, Shape, UnitShape, Vec3, vec3};
use sunfleck_scene::{
    Alpha, Camera, ColorTexture, Material, Mesh, MeshData, Node, NormalMap, Scene, Surface, Texels, Texture,
    TextureFilter, TextureRef,
};
use sunfleck_testkit::shapes::{patch, patches};

use crate::path::{different, on_cpu, render_by_renderer};

const SIZE: u32 = 48;

fn place(shape: Shape, node: Node, material: Material, scene: &mut Scene) {
    let mesh = Mesh::new(MeshData { shapes: vec![shape], ..MeshData::default() }).unwrap();
    let mesh = scene.add_mesh(mesh).unwrap();
    let material = scene.add_material(material).unwrap();
    scene.add_node(node.with_mesh(mesh, vec![material])).unwrap();
}

/// Shapes of all kinds on a disk, below lamps that are a sphere and a rectangle: textured, with a normal map, with alpha,
/// of glass and of metal.
fn scene(has_patches: bool) -> Scene {
    let mut scene = Scene::default();
    let checks =
        |i: u32| if (i % 8 + i / 8).is_multiple_of(2) { [230, 60, 40, 255] } else { [240, 240, 230, 90] };
    let texels = Texels::Srgb8(Arc::new((0..64).map(checks).collect()));
    let checks = Texture::new("checks", 8, 8, texels).unwrap();
    let checks =
        scene.add_texture(checks.with_sampling([Default::default(); 2], TextureFilter::Nearest)).unwrap();
    let waves = Texels::Linear8(Arc::new((0..64u8).map(|i| [100 + i, 128, 230, 255]).collect()));
    let waves = scene.add_texture(Texture::new("waves", 8, 8, waves).unwrap()).unwrap();
    let textured = ColorTexture { texture: Some(TextureRef::new(checks)), ..ColorTexture::plain(Vec3::ONE) };
    let checked = Material::new("checked", Surface::Lambert { albedo: textured });
    let holes = Material { alpha: Alpha::Mask { cutoff: 0.5 }, ..checked.clone() };
    let relief = Material {
        normal_map: Some(NormalMap { texture: TextureRef::new(waves), scale: 1.0 }),
        ..Material::metallic_roughness("relief", Vec3::splat(0.7), 1.0, 0.3)
    };
    let grey = |name: &str| Material::lambert(name, Vec3::splat(0.6));
    let up = |unit, at: Vec3, radius: f32, height: f32| Shape::about_axis(unit, at, Vec3::Y * height, radius);
    let floor = up(UnitShape::Disk { hole: 0.0 }, Vec3::ZERO, 4.0, 1.0);
    place(floor, Node::new("floor"), grey("floor"), &mut scene);
    let at = |x: f32, z: f32| Affine3::from_translation(vec3(x, 0.0, z));
    let ball = Shape::sphere(Vec3::Y * 0.4, 0.4);
    place(ball.clone(), Node::new("ball").at(at(-1.2, 0.0)), checked.clone(), &mut scene);
    place(ball.clone(), Node::new("glass").at(at(0.0, 0.9)), Material::dielectric("glass", 1.5), &mut scene);
    let stretched = at(1.1, 0.8) * Affine3::from_scale(vec3(0.7, 1.3, -0.7));
    place(ball, Node::new("ellipsoid").at(stretched), relief.clone(), &mut scene);
    place(
        up(UnitShape::Cylinder, Vec3::ZERO, 0.3, 0.9),
        Node::new("can").at(at(-0.2, -0.6)),
        holes,
        &mut scene,
    );
    let cone = up(UnitShape::Cone { top: 0.3 }, Vec3::ZERO, 0.4, 0.8);
    place(cone, Node::new("cone").at(at(1.2, -0.5)), checked.clone(), &mut scene);
    let cube = Shape::new(UnitShape::Cube).transformed(&Affine3::from_scale(Vec3::splat(0.25)));
    let turned = at(-1.1, 1.1) * sunfleck_math::transform::rotation_y(0.5);
    let checked_again = checked.clone();
    place(cube, Node::new("cube").at(turned), checked, &mut scene);
    let bubble = Surface::ThinDielectric { ior: 1.5, tint: vec3(0.9, 0.5, 0.3) };
    let bubble = Material::new("bubble", bubble);
    place(Shape::sphere(vec3(0.2, 0.5, 1.9), 0.3), Node::new("bubble"), bubble, &mut scene);
    let mut veil = Material::lambert("veil", Vec3::splat(0.8));
    (veil.alpha, veil.surface) = (Alpha::Blend, Surface::Lambert { albedo: half_transparent() });
    place(Shape::sphere(vec3(-0.6, 0.4, 1.9), 0.25), Node::new("veil"), veil, &mut scene);
    let beads = [0u8, 1, 2].map(|i| Shape::sphere(vec3(-1.8 + 0.3 * f32::from(i), 0.1, 1.9), 0.1));
    let colors = [Vec3::X, Vec3::Y, Vec3::ONE].map(|color| color.extend(1.0));
    let data = MeshData { shapes: beads.to_vec(), colors: colors.to_vec(), ..MeshData::default() };
    let beads = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    let white = scene.add_material(grey("beads")).unwrap();
    scene.add_node(Node::new("beads").with_mesh(beads, vec![white])).unwrap();
    if has_patches {
        let sheet = patch(|x, y| vec3(0.5 * x, 0.4 + 0.4 * y - 0.3 * x * x, 0.15 * x * y))
            .transformed(&at(0.1, -1.4));
        place(sheet, Node::new("sheet"), checked_again, &mut scene);
        let metal = Material::metallic_roughness("metal", vec3(0.9, 0.7, 0.4), 1.0, 0.2);
        place(
            patches()[5].transformed(&Affine3::from_scale(Vec3::splat(0.4))),
            Node::new("dome").at(at(2.0, 0.3)),
            metal,
            &mut scene,
        );
    }
    let ring = up(UnitShape::Disk { hole: 0.5 }, vec3(0.4, 0.9, -0.2), 0.4, 1.0);
    place(ring, Node::new("ring"), relief, &mut scene);
    let lamp = |name: &str| Material::emitter(name, vec3(9.0, 8.0, 7.0));
    place(Shape::sphere(vec3(-1.5, 2.2, 1.0), 0.3), Node::new("lamp"), lamp("lamp"), &mut scene);
    let panel = Shape::about_axis(UnitShape::Rectangle, vec3(1.0, 2.4, 0.0), Vec3::NEG_Y, 0.4);
    place(panel, Node::new("panel"), lamp("panel"), &mut scene);
    if has_patches {
        let arch = patch(|x, y| vec3(0.4 * x, 2.2 - 0.2 * x * x, -0.8 - 0.3 * y));
        place(Shape { flipped: true, ..arch }, Node::new("arch"), lamp("arch"), &mut scene);
    }
    scene
}

fn half_transparent() -> ColorTexture {
    ColorTexture { factor: Vec3::splat(0.8).extend(0.4), texture: None }
}

fn spec() -> ViewSpec {
    let camera = PlacedCamera {
        name: "view".into(),
        camera: Camera::perspective("view", 0.8),
        world_from_view: look_at(vec3(0.3, 2.2, 4.2), vec3(0.0, 0.4, 0.0), Vec3::Y),
    };
    let aovs = AovSet::EMPTY.with(Aov::Albedo).with(Aov::NormalShading).with(Aov::Depth);
    ViewSpec { aovs, ..ViewSpec::new(&camera, SIZE, SIZE) }
}

fn renderer() -> Renderer {
    Renderer::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()))
}

/// The same decisions from the same random numbers: only where rounding changes a path do pixels differ.
fn compare(renderer: &mut Renderer, world: &Arc<World>, name: &str, others: usize) {
    let algorithm = *Algorithm::ALL.iter().find(|algorithm| algorithm.name() == name).unwrap();
    let (expected, _) = on_cpu(world, spec(), &algorithm, 4);
    let (found, _) = render_by_renderer(renderer, world, &spec(), &algorithm, 4);
    let count = different(&found.radiance(), &expected.radiance());
    assert!(count <= others, "{name}: {count} of {} pixels differ", SIZE * SIZE);
    for (aov, found, expected) in [
        ("albedo", found.albedo(), expected.albedo()),
        ("shading normal", found.normal_shading(), expected.normal_shading()),
    ] {
        let count = different(&found.unwrap(), &expected.unwrap());
        assert!(count <= 40, "{name}, {aov}: {count} pixels differ");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn images_are_those_of_the_cpu() {
    let world = Arc::new(World::commit(&scene(true)).unwrap());
    let mut renderer = renderer();
    for (name, others) in [("path", 120), ("whitted", 60), ("ao", 40)] {
        compare(&mut renderer, &world, name, others);
    }
}

/// Light is stored on triangles that stand for shapes, and found from points of the shapes. Without patches, which are
/// found in the same way.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn stored_light_is_that_of_the_cpu() {
    compare(&mut renderer(), &Arc::new(World::commit(&scene(false)).unwrap()), "radiosity", 60);
}

/// Instant radiosity places its lights by chance, so that only sums are the same. Without patches, whose kernels take
/// lavapipe a quarter of an hour.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn igi_has_the_light_of_the_cpu() {
    let world = Arc::new(World::commit(&scene(false)).unwrap());
    let igi = *Algorithm::ALL.iter().find(|algorithm| algorithm.name() == "igi").unwrap();
    let (expected, _) = on_cpu(&world, spec(), &igi, 8);
    let (found, _) = render_by_renderer(&mut renderer(), &world, &spec(), &igi, 8);
    let blocks = |picture: &sunfleck_image::Picture| {
        let mut sums = [0.0f32; 16];
        for (i, pixel) in picture.pixels().iter().enumerate() {
            let (x, y) = (i % SIZE as usize, i / SIZE as usize);
            sums[y * 4 / SIZE as usize * 4 + x * 4 / SIZE as usize] += pixel.element_sum();
        }
        sums
    };
    for (block, (found, expected)) in
        blocks(&found.radiance()).iter().zip(blocks(&expected.radiance())).enumerate()
    {
        assert!((found - expected).abs() < 0.05 * expected + 1.0, "block {block}: {found} for {expected}");
    }
}

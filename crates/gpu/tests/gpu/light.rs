//! Light sampling on the GPU against `LightTable`: the same choices from the same random numbers. Any adapter will do.

use std::mem::{offset_of, size_of};
use std::sync::Arc;

use crate::harness::{Harness, kernel};
use bytemuck::{Pod, Zeroable};
use naga::TypeInner;
use sunfleck_math::{Aabb, Affine3, BezierPatch, Frame, Shape, UnitShape, Vec2, Vec3, Vec4, vec3};
use sunfleck_sampling::warp::{uniform_sphere, uniform_triangle, unit_shape};
use sunfleck_scene::{
    Alpha, Environment, Light, LightKind, Material, MeshData, Node, Scene, SpotFalloff, Texels, Texture,
    TextureFilter, TextureRef, Wrap,
};
use sunfleck_shading::packed_lights::{AreaLight, LightHeader, LightNode, PackedLights, PunctualLight};
use sunfleck_shading::{EmissiveShape, EmissiveSurfaces, EmissiveTriangle, LightTable, MaterialTable};
use sunfleck_testkit::shapes::{patches, unit_shapes};
use sunfleck_testkit::{Random, Uniforms};
use sunfleck_transport::{MeshArrays, PackedInstance};

/// Input of all queries of the light table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Question {
    origin: [f32; 3],
    light_u: f32,
    direction: [f32; 3],
    inst_id: u32,
    point: [f32; 3],
    prim_id: u32,
    u: [f32; 2],
    location: [f32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Answer {
    wi: [f32; 3],
    distance: f32,
    radiance: [f32; 3],
    pdf_solid_angle: f32,
    environment: [f32; 3],
    pdf_of_environment: f32,
    uv: [f32; 2],
    light: u32,
    flags: u32,
    pdf_of_area: f32,
    extent: f32,
    unused1: u32,
    unused2: u32,
}

impl Answer {
    const VALID: u32 = 1;
    const DELTA: u32 = 2;
    const VARIES: u32 = 4;
}

/// Results of all queries.
///
/// * `shapes` — mesh of shapes of instance 0, if some lights are shapes.
fn evaluate(lights: &PackedLights, questions: &[Question], shapes: &MeshData) -> Vec<Answer> {
    let ranges = lights.ranges.as_flattened().to_vec();
    let numbers = [lights.environment.clone().unwrap_or_default(), lights.bins.clone(), ranges].concat();
    let arrays = MeshArrays::new(shapes);
    let words: Vec<u8> = arrays.iter().flatten().copied().collect();
    let mesh = arrays.placed(0);
    let placed = PackedInstance { mesh: 0, ..Zeroable::zeroed() };
    let tables = [
        ("light_header", bytemuck::bytes_of(&lights.header)),
        ("light_nodes", bytemuck::cast_slice(&lights.nodes)),
        ("area_lights", bytemuck::cast_slice(&lights.areas)),
        ("punctual_lights", bytemuck::cast_slice(&lights.punctual)),
        ("light_numbers", bytemuck::cast_slice(&numbers)),
        ("placed_instances", bytemuck::bytes_of(&placed)),
        ("meshes", bytemuck::bytes_of(&mesh)),
        ("words", &words),
    ];
    Harness::new("light").run(questions, &tables)
}

const QUESTIONS: usize = 20_000;

/// Largest relative error. On lavapipe the worst is 3e-5, at the edge of a spot; choices, directions and densities
/// agree to 4e-7.
const TOLERANCE: f32 = 1e-4;

/// Number of queries that may have another result: random numbers on the boundary between two lights or texels, and
/// barycentric coordinates of triangles seen from their edge. On lavapipe there is one.
const EXCEPTIONS: usize = 8;

struct LitScene {
    materials: MaterialTable,
    lights: LightTable,
    emissive: Vec<EmissiveTriangle>,
    /// Emissive shapes, all of instance 0.
    shapes: MeshData,
    bounds: Aabb,
}

impl LitScene {
    /// Collects the emissive triangles as the renderer does.
    fn new(scene: &Scene) -> Self {
        let materials = MaterialTable::new(scene);
        let (mut emissive, mut bounds) = (Vec::new(), Aabb::EMPTY);
        for (instance, inst_id) in scene.world_instances().iter().zip(0..) {
            let mesh = scene.mesh(instance.mesh).unwrap();
            let data = mesh.data();
            for (triangle, prim_id) in data.triangles.iter().zip(0..) {
                let vertices = triangle.map(|v| v as usize);
                let corners =
                    vertices.map(|v| instance.world_from_object.transform_point3(data.positions[v]));
                bounds = bounds.union(Aabb::from_points(corners));
                let material = materials.index_of(instance.materials[mesh.slot(prim_id) as usize]);
                if !materials.is_emissive(material) {
                    continue;
                }
                let uv = |uvs: &[Vec2]| vertices.map(|v| uvs.get(v).copied().unwrap_or(Vec2::ZERO));
                emissive.push(EmissiveTriangle {
                    inst_id,
                    prim_id,
                    material,
                    corners,
                    uv0: uv(&data.uv0),
                    uv1: uv(&data.uv1),
                    colors: vertices.map(|v| data.colors.get(v).copied().unwrap_or(Vec4::ONE)),
                    flipped: instance.world_from_object.matrix3.determinant() < 0.0,
                });
            }
        }
        Self::with(scene, materials, emissive, bounds)
    }

    fn with(scene: &Scene, materials: MaterialTable, emissive: Vec<EmissiveTriangle>, bounds: Aabb) -> Self {
        let around_origin = Aabb { min: Vec3::splat(-2.0), max: Vec3::splat(2.0) };
        let bounds = if bounds == Aabb::EMPTY { around_origin } else { bounds };
        let lights = LightTable::build(scene, &materials, emissive.clone(), bounds);
        Self { materials, lights, emissive, shapes: MeshData::default(), bounds }
    }

    fn questions(&self) -> Vec<Question> {
        let mut random = Random::new(11);
        let question = |i: usize| {
            let place = Vec3::draw(&mut random);
            let (light_u, u) = <(f32, Vec2)>::draw(&mut random);
            let (which, at) = <(f32, Vec2)>::draw(&mut random);
            let direction = uniform_sphere(Vec2::draw(&mut random));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
            let which = (which * self.emissive.len() as f32) as usize;
            let (inst_id, prim_id, point, location) = match self.emissive.get(which) {
                Some(triangle) => {
                    let [a, b, c] = triangle.corners;
                    let weights = uniform_triangle(at);
                    let point = a + (b - a) * weights.x + (c - a) * weights.y;
                    // Some ids belong to no light
                    let beyond = if i.is_multiple_of(16) { 1_000_000 } else { 0 };
                    (triangle.inst_id, triangle.prim_id + beyond, point, Vec2::ZERO)
                }
                None => match self.shapes.shapes.get(i % self.shapes.shapes.len().max(1)) {
                    Some(shape) => {
                        let sample = unit_shape(&shape.unit, at);
                        let point = shape.object_from_unit.transform_point3(sample.position);
                        (0, u32::try_from(i % self.shapes.shapes.len()).unwrap(), point, sample.location)
                    }
                    None => (0, 0, Vec3::ZERO, Vec2::ZERO),
                },
            };
            Question {
                origin: (self.bounds.min + self.bounds.size() * place).to_array(),
                light_u,
                direction: direction.to_array(),
                inst_id,
                point: point.to_array(),
                prim_id,
                u: u.to_array(),
                location: location.to_array(),
            }
        };
        (0..QUESTIONS).map(question).collect()
    }

    /// Asserts that CPU and GPU agree, except for a few queries in which rounding decides.
    #[track_caller]
    fn compare(&self, name: &str) {
        self.compare_but(EXCEPTIONS, name);
    }

    /// Asserts that CPU and GPU agree, except for `exceptions` queries in which rounding decides.
    #[track_caller]
    fn compare_but(&self, exceptions: usize, name: &str) {
        let packed = self.lights.packed(&self.materials, None);
        let questions = self.questions();
        let answers = evaluate(&packed, &questions, &self.shapes);
        let (mut differ, mut seen) = (Vec::new(), 0);
        for (i, (question, answer)) in questions.iter().zip(&answers).enumerate() {
            seen += usize::from(self.check(&packed, question, answer, &mut |what, found, expected, size| {
                let same = found == expected || (found - expected).abs() <= TOLERANCE * size;
                if !same {
                    differ.push(format!("{what} of question {i}: {found} for {expected}"));
                }
            }));
        }
        let first = &differ[..differ.len().min(12)];
        assert!(differ.len() <= exceptions, "{name}: {} differ: {first:#?}", differ.len());
        assert!(seen > 0 || self.lights.is_empty(), "{name}: no valid sample");
    }

    /// Passes each result with the expected one and the scale of its error to `check`; returns whether a sample was
    /// valid.
    fn check(
        &self,
        packed: &PackedLights,
        question: &Question,
        answer: &Answer,
        check: &mut impl FnMut(&'static str, f32, f32, f32),
    ) -> bool {
        let (origin, direction) = (Vec3::from(question.origin), Vec3::from(question.direction));
        let mut check_all = |what, found: Vec3, expected: Vec3, size: f32| {
            for (found, expected) in found.to_array().into_iter().zip(expected.to_array()) {
                check(what, found, expected, size);
            }
        };
        let expected = self.lights.environment_radiance(direction);
        check_all("environment", Vec3::from(answer.environment), expected, expected.max_element());
        let u = Vec2::from(question.u);
        let expected = self.lights.sample(&self.materials, origin, direction, question.light_u, u);
        let valid = answer.flags & Answer::VALID != 0;
        let varies = answer.flags & Answer::VARIES != 0;
        // Textured emitters may be black at the sampled point
        let same =
            expected.map_or(!valid || varies, |expected| valid && answer.light as usize == expected.light);
        if let Some(expected) = expected.filter(|_| same) {
            check_all("wi", Vec3::from(answer.wi), expected.wi, 1.0);
            if !varies {
                check_all(
                    "radiance",
                    answer.radiance.into(),
                    expected.radiance,
                    expected.radiance.max_element(),
                );
            }
            let area = packed.areas.get(expected.light);
            if let Some(triangle) = area.filter(|area| area.flags & AreaLight::SHAPE == 0) {
                let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(Vec3::from);
                let [u, v] = answer.uv;
                let [expected_point, point] =
                    [origin + expected.wi * expected.distance, a + (b - a) * u + (c - a) * v];
                let size = origin.abs().max_element() + a.abs().max_element() + expected.distance;
                check_all("barycentrics", point, expected_point, size);
            }
            let distance = expected.distance.min(f32::MAX);
            check("distance", answer.distance, distance, distance);
            check("pdf", answer.pdf_solid_angle, expected.pdf_solid_angle, expected.pdf_solid_angle);
            let delta = answer.flags & Answer::DELTA != 0;
            check("delta", f32::from(delta), f32::from(expected.delta), 1.0);
        }
        check("choice", f32::from(same), 1.0, 1.0);
        let expected = self.lights.pdf_surface(
            question.inst_id,
            question.prim_id,
            origin,
            Vec3::from(question.point),
            Vec2::from(question.location),
        );
        check("pdf of surface", answer.pdf_of_area, expected, expected);
        if !self.shapes.shapes.is_empty() {
            let reach = Vec3::from(question.point).abs().max_element();
            check("extent", answer.extent.min(reach), reach, 1e-2 * reach);
        }
        let expected = self.lights.pdf_environment(direction, false);
        check("pdf of environment", answer.pdf_of_environment, expected, expected);
        valid
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn rooms() {
    for name in ["cornell", "conference", "building"] {
        LitScene::new(&sunfleck_models::build(name).unwrap()).compare(name);
    }
}

fn punctual_light(scene: &mut Scene, kind: LightKind, at: Vec3, towards: Vec3) {
    let light = Light { name: "lamp".into(), emission: vec3(6.0, 4.0, 2.0), kind };
    let light = scene.add_light(light).unwrap();
    let frame = Frame::from_normal(-towards.normalize_or(Vec3::Y));
    let turned = sunfleck_math::Mat3::from_cols(frame.tangent, frame.bitangent, frame.normal);
    let node = Node::new("lamp").at(Affine3::from_mat3_translation(turned, at));
    scene.add_node(node.with_light(light)).unwrap();
}

/// Adds `count` lights of each punctual kind.
fn add_punctual_lights(scene: &mut Scene, count: u32) {
    let mut random = Random::new(5);
    for _ in 0..count {
        let mut draw = || (Vec3::draw(&mut random) - Vec3::splat(0.5)) * 4.0;
        punctual_light(scene, LightKind::Point, draw(), draw());
        use SpotFalloff::{Linear, Quadratic, Quartic, Smooth};
        for falloff in [Quadratic, Smooth, Quartic, Linear] {
            let kind = LightKind::Spot { inner_radians: 0.4, outer_radians: 1.2, falloff };
            punctual_light(scene, kind, draw(), draw());
        }
        punctual_light(scene, LightKind::Directional, draw(), draw());
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn lights_without_extent() {
    for count in [1, 2, 30] {
        let mut scene = Scene::default();
        add_punctual_lights(&mut scene, count);
        LitScene::new(&scene).compare(&format!("{count} of each kind"));
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn no_light() {
    LitScene::new(&Scene::default()).compare("dark");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_constant_environment() {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: vec3(1.0, 2.0, 3.0) }).unwrap();
    LitScene::new(&scene).compare("constant");
    add_punctual_lights(&mut scene, 4);
    LitScene::new(&scene).compare("constant, and punctual lights");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn environment_maps() {
    const SIZE: [u32; 2] = [48, 24];
    let mut random = Random::new(3);
    let count = SIZE[0] * SIZE[1];
    let float = |i: u32| match i {
        // A dark row and a sun
        480..528 => [0.0; 4],
        300 => [80.0, 70.0, 60.0, 1.0],
        _ => <[f32; 4]>::draw(&mut random),
    };
    let float = Texels::Float(Arc::new((0..count).map(float).collect()));
    let mut bytes = Random::new(4);
    let codes = (0..count).map(|_| bytes.next_u64().to_le_bytes()).map(|[r, g, b, a, ..]| [r, g, b, a]);
    let codes = Texels::Srgb8(Arc::new(codes.collect()));
    for (texels, filter, rows_at_poles) in [
        (float.clone(), TextureFilter::Linear, false),
        (float.clone(), TextureFilter::Linear, true),
        (float.clone(), TextureFilter::Nearest, true),
        (float, TextureFilter::Nearest, false),
        (codes, TextureFilter::Linear, false),
    ] {
        let mut scene = Scene::default();
        let texture = Texture::new("sky", SIZE[0], SIZE[1], texels).unwrap();
        let texture = scene.add_texture(texture.with_sampling([Wrap::Repeat; 2], filter)).unwrap();
        let scale = vec3(1.0, 0.9, 0.8);
        let map = Environment::Map { texture, rotation_y_radians: 1.1, scale, rows_at_poles };
        scene.set_environment(map).unwrap();
        add_punctual_lights(&mut scene, 2);
        LitScene::new(&scene).compare(&format!("map, {filter:?}, {rows_at_poles}"));
    }
}

/// Shapes of all kinds, stretched, mirrored, reversed and emissive on both sides, from outside and inside.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn emissive_shapes() {
    let mut scene = Scene::default();
    let lamp = scene.add_material(Material::emitter("lamp", vec3(2.0, 3.0, 5.0))).unwrap();
    let both = Material::emitter("both", Vec3::ONE).with_double_sided();
    let both = scene.add_material(both).unwrap();
    let materials = MaterialTable::new(&scene);
    let (mut all, mut random) = (Vec::new(), Random::new(8));
    let units = unit_shapes().into_iter().chain(patches().map(|patch| patch.unit));
    for (i, unit) in units.cycle().take(48).enumerate() {
        let at = (Vec3::draw(&mut random) - 0.5) * 6.0;
        let scale = match i / 16 {
            0 => Vec3::splat(0.3),
            1 => vec3(0.2, -0.3, 0.5),
            _ => vec3(0.6, 0.2, 0.4),
        };
        let place = Affine3::from_translation(at)
            * sunfleck_math::transform::rotation_y(at.x)
            * Affine3::from_scale(scale);
        // Control points of patches may be far outside of the cube of unit space
        let shape = match &unit {
            UnitShape::Patch(patch) => {
                let large = BezierPatch::new(patch.points().map(|point| point * 8.0)).with_uv(*patch.uv());
                let small = Affine3::from_scale(Vec3::splat(0.125));
                Shape::new(UnitShape::Patch(Arc::new(large))).transformed(&(place * small))
            }
            _ => Shape::new(unit).transformed(&place),
        };
        all.push(Shape { flipped: i % 3 == 2, ..shape });
    }
    let emissive = all.iter().zip(0..).map(|(shape, prim_id)| EmissiveShape {
        inst_id: 0,
        prim_id,
        material: materials.index_of(if prim_id % 5 == 4 { both } else { lamp }),
        shape: shape.clone(),
        object_from_world: Affine3::IDENTITY,
    });
    let surfaces = EmissiveSurfaces { shapes: emissive.collect(), ..EmissiveSurfaces::default() };
    let bounds = Aabb { min: Vec3::splat(-3.5), max: Vec3::splat(3.5) };
    let lights = LightTable::build(&scene, &materials, surfaces, bounds);
    let shapes = MeshData { shapes: all, ..MeshData::default() };
    // Densities are large where a shape is seen from its edge, and are as uncertain there as the cosine is
    let lit = LitScene { materials, lights, emissive: Vec::new(), shapes, bounds };
    lit.compare_but(64, "shapes");
}

/// Double-sided, mirrored, distant, textured and transparent triangles.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn odd_triangles() {
    let mut scene = Scene::default();
    let plain = Material::emitter("plain", vec3(2.0, 3.0, 5.0));
    let double_sided = Material { double_sided: true, ..plain.clone() };
    let texels = Texels::Float(Arc::new(vec![[0.2, 0.4, 0.6, 1.0]; 4]));
    let image = scene.add_texture(Texture::new("image", 2, 2, texels).unwrap()).unwrap();
    let mut textured = plain.clone();
    textured.emission.texture = Some(TextureRef::new(image));
    let blended = Material { alpha: Alpha::Blend, ..double_sided.clone() };
    let materials =
        [plain, double_sided, textured, blended].map(|material| scene.add_material(material).unwrap());
    let table = MaterialTable::new(&scene);
    let mut random = Random::new(8);
    let triangle = |i: u32| {
        let corner = (Vec3::draw(&mut random) - Vec3::splat(0.5)) * 4.0;
        let size = [1.0, 0.1, 0.003][i as usize % 3];
        let mut at = || corner + (Vec3::draw(&mut random) - Vec3::splat(0.5)) * size;
        EmissiveTriangle {
            inst_id: i / 7,
            prim_id: i % 7 * 3,
            material: table.index_of(materials[i as usize % 6 % 4]),
            corners: [at(), at(), at()],
            uv0: [Vec2::ZERO, Vec2::X, Vec2::Y],
            uv1: [Vec2::ZERO; 3],
            colors: [Vec4::ONE; 3],
            flipped: i.is_multiple_of(4),
        }
    };
    let emissive: Vec<_> = (0..100).map(triangle).collect();
    let lit = LitScene::with(&scene, table, emissive, Aabb::EMPTY);
    let packed = lit.lights.packed(&lit.materials, None);
    assert_eq!(packed.header.varies, 1, "textures are flagged");
    lit.compare("odd triangles");
}

/// Name of a struct, name and offset of each member, and size.
type StructLayout = (&'static str, Vec<(&'static str, usize)>, usize);

macro_rules! struct_layout {
    ($type:ident { $($member:ident),* }) => {
        (stringify!($type), vec![$((stringify!($member), offset_of!($type, $member))),*], size_of::<$type>())
    };
}

#[test]
fn struct_layouts_match_the_shaders() {
    let layouts: [StructLayout; 6] = [
        struct_layout!(LightHeader {
            areas,
            punctual,
            near,
            distant,
            share_of_distant,
            environment,
            width,
            height,
            radiance,
            linear,
            sin_rotation,
            cos_rotation,
            bins,
            row_cumulative,
            density,
            cumulative,
            texels,
            varies,
            columns,
            rows,
            instances,
            height_in_image
        }),
        struct_layout!(LightNode { center, radius, axis, cos_spread, power, sin_spread, next, is_leaf }),
        struct_layout!(AreaLight { a, inst_id, b, prim_id, c, material, ng, flags, radiance, path_bits }),
        struct_layout!(PunctualLight { emission, kind, position, scale, direction, offset }),
        struct_layout!(Question { origin, light_u, direction, inst_id, point, prim_id, u, location }),
        struct_layout!(Answer {
            wi,
            distance,
            radiance,
            pdf_solid_angle,
            environment,
            pdf_of_environment,
            uv,
            light,
            flags,
            pdf_of_area,
            extent,
            unused1,
            unused2
        }),
    ];
    let module = kernel("light").module;
    for (mirror, members, size) in &layouts {
        let found = module.types.iter().find_map(|(_, ty)| match (&ty.name, &ty.inner) {
            (Some(name), TypeInner::Struct { members, span }) if name.split('·').next() == Some(mirror) => {
                let members = members.iter().map(|m| (m.name.as_deref().unwrap_or(""), m.offset as usize));
                Some((members.collect::<Vec<_>>(), *span as usize))
            }
            _ => None,
        });
        assert_eq!(found.as_ref(), Some(&(members.clone(), *size)), "{mirror}");
    }
}

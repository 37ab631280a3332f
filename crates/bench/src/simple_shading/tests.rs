use std::sync::Arc;

use fearless_simd::Level;
use sunfleck_kernel::{HitBuffer, MISS, RayBuffer};
use sunfleck_math::{Affine3, Mat3, Ray, Vec2, Vec3, vec2, vec3};
use sunfleck_sampling::rng::uniform_2d;
use sunfleck_scene::{ColorTexture, Material, MeshData, Node, Scene, Surface, Texels, Texture, TextureRef};

use super::*;

/// Reference implementation for one hit, with the same order of operations.
fn reference_shading(
    tables: &ShadingTables,
    light: &PointLight,
    ray: &Ray,
    [t, u, v]: [f32; 3],
    ids: [u32; 2],
) -> Vec3 {
    let [inst, prim] = ids;
    if prim == MISS {
        return Vec3::ZERO;
    }
    let triangle = &tables.triangles[(tables.first_triangle[inst as usize] + prim) as usize];
    let material = &tables.materials[triangle.material as usize];
    let [n0, n1, n2] = triangle.normal.map(Vec3::from_array);
    let normal = n0 + n1 * u + n2 * v;
    let towards_light = light.position - (ray.origin + ray.direction * t);
    let cos = normal.dot(towards_light) / (normal.dot(normal) * towards_light.dot(towards_light)).sqrt();
    let facing = if normal.dot(ray.direction) > 0.0 { -cos } else { cos };
    let irradiance = light.ambient + light.diffuse * facing.max(0.0);
    let mut color = Vec3::from_array(material.color);
    if material.size[0] > 0.0 {
        let [t0, t1, t2] = triangle.uv.map(Vec2::from_array);
        color *= reference_texture(tables, material, t0 + t1 * u + t2 * v);
    }
    color * irradiance + Vec3::from_array(material.emission)
}

#[allow(clippy::cast_possible_truncation, reason = "texels are few")]
fn reference_texture(tables: &ShadingTables, material: &MaterialRecord, uv: Vec2) -> Vec3 {
    let [width, height] = material.size.map(|size| size as i64);
    let position = (uv - uv.floor()) * Vec2::from_array(material.size) - 0.5;
    let corner = position.floor();
    let share = position - corner;
    let texel = |x: i64, y: i64| {
        let (column, row) =
            ((corner.x as i64 + x).rem_euclid(width), (corner.y as i64 + y).rem_euclid(height));
        let [r, g, b, _] = tables.texels[material.first_texel as usize + (row * width + column) as usize];
        vec3(r, g, b)
    };
    let mix = |a: Vec3, b: Vec3, share: f32| a + (b - a) * share;
    let (upper, lower) = (mix(texel(0, 0), texel(1, 0), share.x), mix(texel(0, 1), texel(1, 1), share.x));
    mix(upper, lower, share.y)
}

fn levels() -> Vec<Level> {
    let best = Level::new();
    #[cfg(target_arch = "x86_64")]
    let narrow = [best.as_sse4_2().map(Level::Sse4_2), best.as_avx2().map(Level::Avx2)];
    #[cfg(not(target_arch = "x86_64"))]
    let narrow = [None];
    [Some(Level::fallback()), Some(best)].into_iter().chain(narrow).flatten().collect()
}

/// Returns a random number between −1 and 1.
fn random(key: [u32; 2]) -> f32 {
    uniform_2d([key[0], key[1], 7, 0]).x * 2.0 - 1.0
}

fn random3(key: [u32; 2]) -> Vec3 {
    vec3(random(key), random([key[0], key[1] + 1000]), random([key[0], key[1] + 2000]))
}

/// Returns tables of 40 triangles in two instances, with four materials, two of them textured.
fn random_tables() -> ShadingTables {
    let triangle = |i: u32| TriangleRecord {
        normal: [0, 1, 2].map(|k| (random3([i, k]) + Vec3::Y * if k == 0 { 3.0 } else { 0.0 }).to_array()),
        uv: [3, 4, 5].map(|k| random3([i, k]).truncate().to_array().map(|x| x * 4.0)),
        material: i / 7 % 4,
    };
    let material = |size: [f32; 2], first_texel, i| MaterialRecord {
        color: random3([i, 20]).abs().to_array(),
        emission: random3([i, 21]).abs().to_array(),
        size,
        first_texel,
    };
    let texels = (0..5 * 3 + 8 * 8).map(|i| random3([i, 22]).abs().extend(1.0).to_array());
    ShadingTables {
        triangles: (0..40).map(triangle).collect(),
        first_triangle: vec![0, 25],
        materials: vec![
            material([0.0; 2], 0, 0),
            material([5.0, 3.0], 0, 1),
            material([0.0; 2], 0, 2),
            material([8.0; 2], 15, 3),
        ],
        texels: texels.collect(),
    }
}

#[test]
fn every_level_gives_the_bits_of_the_scalar_reference() {
    const EDGE: u32 = 32;
    let tables = random_tables();
    let light = PointLight { position: vec3(1.0, 5.0, -2.0), diffuse: 0.7, ambient: 0.2 };
    let rays: Vec<Ray> = (0..EDGE * EDGE).map(|i| Ray::new(random3([i, 30]), random3([i, 31]))).collect();
    let mut hits = HitBuffer::with_len(rays.len());
    for i in 0..EDGE * EDGE {
        // Blocks of one triangle, blocks of one material, and mixed blocks with misses
        let (prim, inst) = match i / 16 % 4 {
            0 => (i / 64 % 15, i / 128 % 2),
            1 => (i % 7 + 7 * (i / 64 % 2), 0),
            _ if i % 5 == 0 => (MISS, MISS),
            _ => (i * 7 % 15, i / 3 % 2),
        };
        let at = i as usize;
        (hits.prim_id[at], hits.inst_id[at]) = (prim, inst);
        hits.t[at] = if prim == MISS { f32::INFINITY } else { random([i, 32]) + 2.0 };
        let [u, v] = uniform_2d([i, 33, 7, 0]).to_array();
        (hits.u[at], hits.v[at]) = (u, v * (1.0 - u));
    }
    let expected: Vec<Vec3> = (0..rays.len())
        .map(|i| {
            let ids = [hits.inst_id[i], hits.prim_id[i]];
            reference_shading(&tables, &light, &rays[i], [hits.t[i], hits.u[i], hits.v[i]], ids)
        })
        .collect();
    let buffer: RayBuffer = rays.iter().collect();
    for level in levels() {
        let mut film = TiledFilm::new(EDGE);
        shade(level, &tables, &light, 0, &buffer.as_stream(), &hits, &mut film);
        let pixels = film.pixels();
        for (i, &expected) in expected.iter().enumerate() {
            // Tiles of 8 × 8, four in a row
            let (tile, within) = (i / 64, i % 64);
            let (x, y) = (tile % 4 * 8 + within % 8, tile / 4 * 8 + within / 8);
            assert_eq!(pixels[y * 32 + x], expected, "ray {i} with {level:?}");
        }
    }
}

/// Rectangle of 4 × 2 at height 1, a unit square with a non-uniform scale, and with a texture of two texels that is
/// repeated three times.
fn textured_rectangle() -> Scene {
    let mut scene = Scene::default();
    let texels = Texels::Srgb8(Arc::new(vec![[255, 255, 255, 255], [0, 0, 255, 255]]));
    let texture = scene.add_texture(Texture::new("t", 2, 1, texels).unwrap()).unwrap();
    let uv_transform = glam::Affine2::from_scale(Vec2::splat(3.0));
    let reference = TextureRef { uv_transform, ..TextureRef::new(texture) };
    let albedo = ColorTexture { texture: Some(reference), ..vec3(0.5, 0.25, 1.0).into() };
    let painted = Material {
        emission: Material::emitter("", vec3(0.0, 0.0, 0.125)).emission,
        ..Material::new("p", Surface::Lambert { albedo })
    };
    let painted = scene.add_material(painted).unwrap();
    let corners = [vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(1.0, 1.0), vec2(0.0, 1.0)];
    let data = MeshData {
        positions: corners.iter().map(|p| vec3(p.x, 0.0, p.y)).collect(),
        uv0: corners.to_vec(),
        triangles: vec![[0, 2, 1], [0, 3, 2]],
        ..MeshData::default()
    };
    let mesh = scene.add_mesh(sunfleck_scene::Mesh::new(data).unwrap()).unwrap();
    let at = Affine3::from_mat3_translation(Mat3::from_diagonal(vec3(4.0, 7.0, 2.0)), Vec3::Y);
    scene.add_node(Node::new("n").at(at).with_mesh(mesh, vec![painted])).unwrap();
    scene
}

#[test]
fn a_textured_rectangle_is_lit_on_the_visible_side() {
    let tables = ShadingTables::new(&textured_rectangle());
    let light = PointLight { position: vec3(1.0, 4.0, 1.0), diffuse: 0.8, ambient: 0.2 };
    // Vertical rays to the first triangle; u and v are the weights of its vertices (4, 1, 2) and (4, 1, 0)
    let shaded = |u: f32, v: f32, from: f32| {
        let point = vec3(4.0 * (u + v), 1.0, 2.0 * u);
        let ray = Ray::new(point + Vec3::Y * from, vec3(0.0, -from.signum(), 0.0));
        let buffer: RayBuffer = [ray; 64].iter().collect();
        let mut hits = HitBuffer::with_len(64);
        hits.t.fill(from.abs());
        hits.u.fill(u);
        hits.v.fill(v);
        hits.prim_id.fill(0);
        hits.inst_id.fill(0);
        let mut film = TiledFilm::new(8);
        shade(Level::new(), &tables, &light, 0, &buffer.as_stream(), &hits, &mut film);
        film.pixels()[37]
    };
    // The texture coordinate is 3 (u + v): white at ¼, blue at ¾; red and green are linear in between
    let expected = |u: f64, v: f64, lit: bool| {
        let x = (3.0 * (u + v)).fract();
        let from_blue = (x - 0.75).abs();
        let white = 2.0 * from_blue.min(1.0 - from_blue);
        let towards_light = [1.0 - 4.0 * (u + v), 3.0, 1.0 - 2.0 * u];
        let cos = 3.0 / towards_light.iter().map(|x| x * x).sum::<f64>().sqrt();
        let irradiance = 0.2 + if lit { 0.8 * cos } else { 0.0 };
        [0.5 * white * irradiance, 0.25 * white * irradiance, irradiance + 0.125]
    };
    for (u, v) in [(0.1, 0.15), (0.0, 0.0), (0.3, 0.45), (0.05, 0.9), (0.5, 0.11), (0.2, 0.0)] {
        for (from, lit) in [(2.5, true), (-2.5, false)] {
            let found = shaded(u, v, from).to_array();
            let expected = expected(f64::from(u), f64::from(v), lit);
            let close = found.iter().zip(expected).all(|(&f, e)| (f64::from(f) - e).abs() < 2e-6);
            assert!(close, "at {u}, {v} from {from}: {found:?} instead of {expected:?}");
        }
    }
}

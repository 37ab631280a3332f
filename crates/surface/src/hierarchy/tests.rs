//! Tests of hierarchical radiosity.

use std::f64::consts::PI;

use sunfleck_math::{Affine3, DVec3, Shape, Vec3, vec2, vec3};
use sunfleck_scene::{Environment, Light, LightKind, Material, Mesh, MeshData, Node, Scene};
use sunfleck_transport::World;

use super::cells::Cells;
use super::exchange::Exchanges;
use super::oracle::Oracle;
use super::pieces::pieces;
use super::refine::{inaccurate, refine, roots};
use super::*;
use crate::atlas::Atlas;
use crate::matrix::StopRule;
use crate::stochastic::{StochasticOptions, StochasticRadiosity};

type Quad = [Vec3; 4];

fn scene_of(quads: &[Quad], albedo: f32, emission: f32) -> Scene {
    let mut scene = Scene::default();
    let material = Material::lambert("", Vec3::splat(albedo)).with_emission(Vec3::splat(emission));
    let material = scene.add_material(material).unwrap();
    for quad in quads {
        let (positions, triangles) = (quad.to_vec(), vec![[0, 1, 2], [0, 2, 3]]);
        let mesh = Mesh::new(MeshData { positions, triangles, ..MeshData::default() }).unwrap();
        let mesh = scene.add_mesh(mesh).unwrap();
        scene.add_node(Node::new("").with_mesh(mesh, vec![material])).unwrap();
    }
    scene
}

fn world_of(quads: &[Quad], albedo: f32, emission: f32) -> World {
    World::commit(&scene_of(quads, albedo, emission)).unwrap()
}

/// Square in a plane of constant z, facing +z or -z.
fn square(center: Vec3, half: f32, up: bool) -> Quad {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let mut quad = corners.map(|(x, y)| center + vec3(x, y, 0.0) * half);
    if !up {
        quad.reverse();
    }
    quad
}

/// The inside of a box of unequal sides.
fn room() -> Vec<Quad> {
    let at = |i: u8| vec3(f32::from(i & 1) * 2.0, f32::from(i >> 1 & 1) * 1.5, f32::from(i >> 2));
    let faces = [[2, 6, 4, 0], [5, 7, 3, 1], [4, 5, 1, 0], [3, 7, 6, 2], [1, 3, 2, 0], [6, 7, 5, 4]];
    faces.map(|face| face.map(at)).into_iter().collect()
}

/// Two squares that face each other, and a smaller one between them.
fn facing_squares() -> World {
    let quads = [
        square(Vec3::ZERO, 0.5, true),
        square(vec3(0.1, 0.0, 1.0), 0.5, false),
        square(vec3(0.15, 0.1, 0.45), 0.2, true),
    ];
    world_of(&quads, 0.6, 1.0)
}

fn cornell() -> World {
    World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap()
}

/// Returns whether the segment between two points crosses the small square.
fn is_occluded(a: DVec3, b: DVec3) -> bool {
    let t = (0.45 - a.z) / (b.z - a.z);
    let p = a + (b - a) * t;
    t > 1e-6 && t < 1.0 - 1e-6 && (p.x - 0.15).abs() < 0.2 && (p.y - 0.1).abs() < 0.2
}

/// Points of a texel in a regular pattern of 12 × 12.
fn points(atlas: &Atlas, texel: u32) -> Vec<DVec3> {
    let at = |i: u16| (f32::from(i) + 0.5) / 12.0;
    let all = (0..12).flat_map(|i| (0..12).map(move |j| vec2(at(i), at(j))));
    let point = |u| {
        let point = atlas.point_in(texel, u).unwrap();
        atlas.surfaces().triangles()[point.triangle as usize].point(point.barycentrics).as_dvec3()
    };
    all.map(point).collect()
}

/// Form factors of all pairs of elements of the facing squares by brute force: `cos cos / π r²` between all pairs of
/// points, times the area of the other texel. Row by row.
fn brute_force(atlas: &Atlas) -> Vec<f64> {
    let count = atlas.texels().len();
    let points: Vec<_> = (0..u32::try_from(count).unwrap()).map(|texel| points(atlas, texel)).collect();
    let normal = |i: usize| atlas.surfaces().normal(atlas.texels()[i].triangle).as_dvec3();
    let mut factors = vec![0.0; 4 * count * count];
    for (i, to) in points.iter().enumerate() {
        for (j, from) in points.iter().enumerate() {
            let share = f64::from(atlas.areas()[j]) / (to.len() * from.len()) as f64;
            for &x in to {
                for &y in from {
                    let (offset, squared) = (x - y, x.distance_squared(y));
                    let (cos_y, cos_x) = (normal(j).dot(offset), -normal(i).dot(offset));
                    if cos_y == 0.0 || cos_x == 0.0 || is_occluded(x, y) {
                        continue;
                    }
                    let sender = if cos_y > 0.0 { j } else { count + j };
                    let receiver = if cos_x > 0.0 { i } else { count + i };
                    factors[receiver * 2 * count + sender] +=
                        (cos_x * cos_y).abs() / (PI * squared * squared) * share;
                }
            }
        }
    }
    factors
}

/// Returns the root mean square over the area of the difference of two functions of elements, relative to the second.
fn rms(areas: &[f32], found: &[Vec3], expected: &[Vec3]) -> f64 {
    let (mut squares, mut all) = (0.0, 0.0);
    for ((&area, found), expected) in areas.iter().chain(areas).zip(found).zip(expected) {
        squares += f64::from(area) * f64::from((*found - *expected).length_squared());
        all += f64::from(area) * f64::from(expected.length_squared());
    }
    (squares / all).sqrt()
}

/// Any light, on both sides.
fn any_light(len: usize) -> Vec<Vec3> {
    let value = |i: usize| f32::from(u8::try_from(i * 7 % 11).unwrap());
    (0..len).map(|i| vec3(value(i), value(i + 3), value(i + 5))).collect()
}

#[test]
fn tolerance_zero_is_brute_force_over_all_pairs_of_texels() {
    let world = facing_squares();
    let atlas = Atlas::meshed(&world, 8).unwrap();
    let options = HierarchyOptions { tolerance: 0.0, rays: 256, ..HierarchyOptions::default() };
    let radiosity = HierarchicalRadiosity::new(&world, &atlas, &options).unwrap();
    let factors = brute_force(&atlas);
    let light = any_light(128);
    let found = radiosity.gather(&light);
    let expected: Vec<Vec3> = factors
        .chunks(128)
        .map(|row| row.iter().zip(&light).map(|(&f, &b)| b.as_dvec3() * f).sum::<DVec3>().as_vec3())
        .collect();
    let error = rms(atlas.areas(), &found, &expected);
    let worst = found.iter().zip(&expected).map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f32::max);
    let largest = expected.iter().fold(0.0f32, |largest, b| largest.max(b.max_element()));
    eprintln!("{} links: RMS error {error:.5}, largest {:.5}", radiosity.links().len(), worst / largest);
    // 256 rays find the visibility of a pair to about one per cent, and rows have dozens of pairs
    assert!(error < 3e-3 && worst < 0.01 * largest, "{error} {worst}");
    // Each link joins two texels, and its form factor is that of the pair
    let mut relative = 0.0f64;
    for link in radiosity.links() {
        assert_eq!(link.ways, [true; 2]);
        let [i, j] = link.nodes.map(|node| if node < 85 { node as usize } else { (node - 85 + 64) as usize });
        assert!(i < 128 && j < 128 && link.nodes.iter().all(|node| node % 85 < 64), "{link:?}");
        let expected = factors[i * 128 + j] * f64::from(atlas.areas()[i % 64]);
        relative = relative.max((f64::from(link.exchange) - expected).abs() / expected.max(1e-4));
        let bound =
            0.02 * f64::from(atlas.areas()[i % 64].min(atlas.areas()[j % 64])).sqrt() * expected.sqrt();
        assert!((f64::from(link.exchange) - expected).abs() < bound + 2e-6, "{link:?}: {expected}");
    }
    eprintln!("largest relative error of an exchange {relative:.4}");
}

#[test]
fn links_cover_each_pair_of_texels_once() {
    let world = facing_squares();
    let atlas = Atlas::meshed(&world, 8).unwrap();
    let factors = brute_force(&atlas);
    let cells = Cells::new(&atlas).unwrap();
    let options = HierarchyOptions { rays: 4, ..HierarchyOptions::default() };
    let exchanges = Exchanges::new(&world, &atlas, &cells, &options);
    let texels_of = |node: u32| {
        let (mut below, mut texels) = (vec![node], Vec::new());
        while let Some(node) = below.pop() {
            match cells.children(node) {
                Some(children) => below.extend(children),
                None => texels.push((0..128).find(|&i| cells.node_of_element(i) == node as usize).unwrap()),
            }
        }
        texels
    };
    // No element is black, so that all pairs can be divided
    let light: Vec<Vec3> = any_light(128).into_iter().map(|light| light + 0.1).collect();
    let mut counts = Vec::new();
    for limits in [vec![1e9], vec![0.1], vec![1.0, 0.01], vec![0.0]] {
        let mut links = Vec::new();
        let mut pairs = roots(&cells);
        for limit in limits {
            let oracle = Oracle::new(&cells, &light, limit, options.rays);
            pairs.extend(inaccurate(&oracle, &mut links));
            refine(&exchanges, &oracle, std::mem::take(&mut pairs), &mut links, 1 << 20).unwrap();
        }
        let mut covered = vec![0; 128 * 128];
        for link in &links {
            let [from, to] = link.nodes.map(texels_of);
            for &i in &from {
                for &j in &to {
                    covered[i * 128 + j] += i32::from(link.ways[0]);
                    covered[j * 128 + i] += i32::from(link.ways[1]);
                }
            }
        }
        for (pair, (&covered, &factor)) in covered.iter().zip(&factors).enumerate() {
            let is_right = covered == 1 || (covered == 0 && factor < 1e-9);
            assert!(is_right, "{} and {} are in {covered} links, F {factor}", pair / 128, pair % 128);
        }
        counts.push(links.iter().map(|link| link.ways.map(usize::from).iter().sum::<usize>()).sum::<usize>());
    }
    eprintln!("entries {counts:?}");
    assert!(counts.is_sorted() && counts[0] < 60 && counts[3] > 1000, "{counts:?}");
}

#[test]
fn squares_of_texels_are_polygons_of_their_area() {
    let world = world_of(&room(), 0.5, 1.0);
    let atlas = Atlas::meshed(&world, 16).unwrap();
    assert!((0..12).any(|t| atlas.rect(t).width != atlas.rect(t).height), "some rectangles are not squares");
    let cells = Cells::new(&atlas).unwrap();
    let planar =
        cells.finest_first().map(|node| cells.node(node)).filter(|node| node.cell.extent.is_planar());
    let mut count = 0;
    for node in planar {
        let pieces = pieces(&atlas, node.cell.square, node.cell.extent.triangle, node.axis);
        let area: f64 = pieces.iter().map(|piece| piece.area()).sum();
        assert!((area / f64::from(node.area()) - 1.0).abs() < 1e-5, "{:?}: {area}", node.cell.square);
        // The pieces lie inside of the box, and their fronts face the same side
        let inside = node.cell.center.as_dvec3() + node.axis.as_dvec3() * 0.3;
        let seen: f64 =
            pieces.iter().map(|piece| piece.form_factor_from_point(inside, -node.axis.as_dvec3())).sum();
        assert!(seen > 0.0, "{:?}", node.cell.square);
        count += 1;
    }
    assert!(count > 512, "{count}");
}

#[test]
fn errors_fall_with_the_tolerance() {
    let world = facing_squares();
    let atlas = Atlas::meshed(&world, 32).unwrap();
    let solve = |tolerance| {
        let options = HierarchyOptions { tolerance, rays: 32, ..HierarchyOptions::default() };
        let radiosity = HierarchicalRadiosity::new(&world, &atlas, &options).unwrap();
        let solution = radiosity.solve(&StopRule::default());
        (radiosity.entry_count(), radiosity.irradiance(&solution))
    };
    let (all, exact) = solve(0.0);
    let mut rows = Vec::new();
    for tolerance in [1e-1, 1e-2, 1e-3, 1e-4] {
        let (links, irradiance) = solve(tolerance);
        rows.push((links, rms(atlas.areas(), &irradiance, &exact)));
        eprintln!(
            "tolerance {tolerance:.0e}: {links} of {all} entries, RMS error {:.5}",
            rows[rows.len() - 1].1
        );
    }
    for pair in rows.windows(2) {
        assert!(pair[1].0 > pair[0].0 && pair[1].1 < 0.7 * pair[0].1, "{rows:?}");
    }
    assert!(rows[2].0 < all / 4 && rows[2].1 < 0.01, "{rows:?}");
}

/// `B = E / (1 - ρ)` in a closed room of equal surfaces, and the rows of form factors add up to 1.
#[test]
fn a_closed_room_of_equal_surfaces_is_equally_bright() {
    let world = world_of(&room(), 0.8, 1.0);
    let atlas = Atlas::meshed(&world, 32).unwrap();
    let radiosity = HierarchicalRadiosity::new(&world, &atlas, &HierarchyOptions::default()).unwrap();
    let sums = radiosity.row_sums();
    eprintln!("{} links, {sums:?}", radiosity.links().len());
    // Of both sides, the inner one is closed
    assert!((sums.closed - 0.5).abs() < 1e-6, "{sums:?}");
    assert!(sums.bias.abs() < 2e-3 && sums.deviation < 0.01 && sums.largest < 0.05, "{sums:?}");
    let solution = radiosity.solve(&StopRule::default());
    assert!(solution.is_converged && solution.error_bound < 1e-3, "{solution:?}");
    let exact = PI / (1.0 - 0.8);
    let (texels, irradiance) = (atlas.texels().len(), radiosity.irradiance(&solution));
    for texel in 0..texels {
        // After normalising exact up to the error of the iteration
        let found = f64::from(solution.radiosity.get(texel).x);
        assert!(
            (found - exact).abs() < f64::from(solution.error_bound) + 1e-4 * exact,
            "{found} for {exact}"
        );
        assert_eq!(irradiance[texels + texel], Vec3::ZERO, "outside");
    }
}

/// The inside of a unit sphere, emission 1/2 and reflectance 1/2: radiance 1.
#[test]
fn a_closed_sphere_has_radiance_one() {
    let mut scene = Scene::default();
    let material = Material::lambert("", Vec3::splat(0.5)).with_emission(Vec3::splat(0.5));
    let material = scene.add_material(Material { double_sided: true, ..material }).unwrap();
    let shapes = vec![Shape::sphere(Vec3::ZERO, 1.0)];
    let mesh = scene.add_mesh(Mesh::new(MeshData { shapes, ..MeshData::default() }).unwrap()).unwrap();
    scene.add_node(Node::new("").with_mesh(mesh, vec![material])).unwrap();
    let world = World::commit(&scene).unwrap();
    let atlas = Atlas::meshed(&world, 64).unwrap();
    let options = HierarchyOptions { tolerance: 1e-2, ..HierarchyOptions::default() };
    let radiosity = HierarchicalRadiosity::new(&world, &atlas, &options).unwrap();
    let sums = radiosity.row_sums();
    eprintln!("{} links, {sums:?}", radiosity.links().len());
    assert!((sums.closed - 0.5).abs() < 1e-6, "{sums:?}");
    // Triangles between points of the sphere have less area, and the form factor to an area is its share of the sphere
    let area: f64 = atlas.areas().iter().map(|&area| f64::from(area)).sum();
    let expected = area / (4.0 * PI) - 1.0;
    assert!((sums.bias - expected).abs() < 1e-3 && sums.deviation < 0.02, "{sums:?}, expected {expected}");
    let solution = radiosity.solve(&StopRule::default());
    for texel in 0..atlas.texels().len() {
        let back = f64::from(solution.radiosity.get(atlas.texels().len() + texel).x) / PI;
        assert!((back - 1.0).abs() < 1e-4, "{back}");
    }
}

#[test]
#[ignore = "takes a minute"]
fn cornell_has_the_light_of_stochastic_radiosity() {
    let world = cornell();
    let atlas = Atlas::meshed(&world, 64).unwrap();
    let mut stochastic = StochasticRadiosity::new(&world, &atlas, StochasticOptions::default());
    stochastic.iterate(300);
    let noise = stochastic.error();
    let mut errors = Vec::new();
    for tolerance in [3e-2, 3e-3] {
        let options = HierarchyOptions { tolerance, ..HierarchyOptions::default() };
        let radiosity = HierarchicalRadiosity::new(&world, &atlas, &options).unwrap();
        let solution = radiosity.solve(&StopRule::default());
        let difference = rms(atlas.areas(), &radiosity.irradiance(&solution), stochastic.irradiance());
        let error = (difference * difference - noise * noise).max(0.0).sqrt();
        eprintln!(
            "tolerance {tolerance:.0e}: {} links, {} entries, RMS difference {difference:.4}, {noise:.4} of it noise, \
             {error:.4} without it, {:?}",
            radiosity.links().len(),
            radiosity.entry_count(),
            radiosity.row_sums(),
        );
        errors.push((difference, error));
    }
    assert!(noise < 0.015 && errors[1].0 < 0.02 && errors[1].1 < 0.0125, "{errors:?}");
    assert!(errors[1].1 < 0.5 * errors[0].1, "{errors:?}");
}

/// All pairs of texels would be 2 N² links for N texels.
#[test]
fn the_number_of_links_grows_linearly_with_texels() {
    let world = cornell();
    let mut per_texel = Vec::new();
    for resolution in [32, 64, 128] {
        let atlas = Atlas::meshed(&world, resolution).unwrap();
        let options = HierarchyOptions { tolerance: 3e-2, ..HierarchyOptions::default() };
        let radiosity = HierarchicalRadiosity::new(&world, &atlas, &options).unwrap();
        let (links, texels) = (radiosity.links().len(), atlas.texels().len());
        per_texel.push(links as f64 / texels as f64);
        eprintln!("{resolution}²: {links} links, {:.1} per texel", per_texel[per_texel.len() - 1]);
    }
    assert!(per_texel.windows(2).all(|pair| pair[1] < 1.1 * pair[0]), "{per_texel:?}");
    assert!(per_texel.iter().all(|&links| links < 100.0), "{per_texel:?}");
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let world = cornell();
    let atlas = Atlas::meshed(&world, 16).unwrap();
    let solve = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let options = HierarchyOptions { tolerance: 1e-2, ..HierarchyOptions::default() };
            let radiosity = HierarchicalRadiosity::new(&world, &atlas, &options).unwrap();
            (radiosity.solve(&StopRule::default()), radiosity.links().to_vec())
        })
    };
    let one = solve(1);
    assert!(one.1.len() > 1000 && one == solve(2), "the same links and light");
    assert!(one == solve(3), "the same links and light");
}

/// A floor under a constant sky, half of which a wall hides, and under a point light.
#[test]
fn environment_and_punctual_lights_arrive() {
    let floor = square(Vec3::ZERO, 0.5, true);
    let far = 1e4;
    let wall = [vec3(-0.6, -far, -far), vec3(-0.6, far, -far), vec3(-0.6, far, far), vec3(-0.6, -far, far)];
    let mut sky = scene_of(&[floor, wall], 0.0, 0.0);
    sky.set_environment(Environment::Constant { radiance: vec3(1.0, 2.0, 3.0) }).unwrap();
    let mut point = scene_of(&[floor], 0.0, 0.0);
    let light = Light { name: String::new(), emission: vec3(4.0, 2.0, 1.0), kind: LightKind::Point };
    let light = point.add_light(light).unwrap();
    let place = Affine3::from_translation(vec3(0.0, 0.0, 2.0));
    point.add_node(Node { light: Some(light), ..Node::new("").at(place) }).unwrap();
    for (scene, exact) in
        [(sky, vec3(1.0, 2.0, 3.0) * std::f32::consts::FRAC_PI_2), (point, vec3(4.0, 2.0, 1.0) / 4.0)]
    {
        let world = World::commit(&scene).unwrap();
        let atlas = Atlas::meshed(&world, 16).unwrap();
        let radiosity = HierarchicalRadiosity::new(&world, &atlas, &HierarchyOptions::default()).unwrap();
        let map = radiosity.map(&radiosity.solve(&StopRule::default()));
        // Around the centre, where the irradiance of the point light is I / h²
        let around = [[0.0, 0.5], [0.0, 0.45], [0.0, 0.55], [0.05, 0.5], [0.05, 0.45]];
        let found: Vec3 =
            around.iter().map(|&uv| map.irradiance_at(0, 0, uv, Vec3::Z).unwrap()).sum::<Vec3>() / 5.0;
        eprintln!("irradiance {found}, exact {exact}");
        assert!(found.abs_diff_eq(exact, 0.05 * exact.max_element()), "{found} for {exact}");
    }
}

/// A panel 0.01 mm below a ceiling hides the floor from it, and gets and gives all light between the two.
#[test]
fn light_does_not_pass_a_narrow_gap() {
    let panel = 1.0 - 1e-5;
    let quads = [
        square(Vec3::ZERO, 0.5, true),
        square(vec3(0.0, 0.0, 1.0), 0.25, false),
        square(vec3(0.0, 0.0, panel), 0.25, false),
    ];
    let world = world_of(&quads, 0.5, 1.0);
    let atlas = Atlas::meshed(&world, 16).unwrap();
    let options = HierarchyOptions { tolerance: 0.0, ..HierarchyOptions::default() };
    let radiosity = HierarchicalRadiosity::new(&world, &atlas, &options).unwrap();
    let count = atlas.texels().len();
    let elements = |z: f32, back: usize| {
        let is_at = move |(_, position): &(usize, &Vec3)| (position.z - z).abs() < 1e-6;
        let texels = radiosity.elements().images.position.iter().enumerate().filter(is_at);
        texels.map(move |(texel, _)| texel + back * count).collect::<Vec<_>>()
    };
    let lit = |from: &[usize]| {
        let mut light = vec![Vec3::ZERO; 2 * count];
        from.iter().for_each(|&element| light[element] = Vec3::ONE);
        radiosity.gather(&light)
    };
    let (floor, ceiling, above_panel) = (elements(0.0, 0), elements(1.0, 0), elements(panel, 1));
    assert!(!floor.is_empty() && !ceiling.is_empty() && !above_panel.is_empty(), "all have texels");
    let of_floor = lit(&floor);
    assert!(ceiling.iter().all(|&element| of_floor[element] == Vec3::ZERO), "the floor is hidden");
    let of_panel = lit(&above_panel);
    for element in ceiling {
        assert!((of_panel[element].x - 1.0).abs() < 0.01, "{}", of_panel[element]);
    }
}

#[test]
fn unusual_worlds_have_defined_answers() {
    let dark = world_of(&room(), 0.5, 0.0);
    let atlas = Atlas::meshed(&dark, 8).unwrap();
    let radiosity = HierarchicalRadiosity::new(&dark, &atlas, &HierarchyOptions::default()).unwrap();
    let solution = radiosity.solve(&StopRule::default());
    assert!(radiosity.links().is_empty() && solution.radiosity.largest() == 0.0, "dark");

    let empty = World::commit(&Scene::default()).unwrap();
    let atlas = Atlas::meshed(&empty, 8).unwrap();
    let radiosity = HierarchicalRadiosity::new(&empty, &atlas, &HierarchyOptions::default()).unwrap();
    assert!(radiosity.solve(&StopRule::default()).is_converged, "empty");

    let bright = world_of(&room(), 0.5, 1.0);
    let charts = Atlas::charts(&bright, 32).unwrap();
    let error = HierarchicalRadiosity::new(&bright, &charts, &HierarchyOptions::default()).unwrap_err();
    assert_eq!(error, HierarchyError::NotMeshed);
    let atlas = Atlas::meshed(&bright, 16).unwrap();
    let few = HierarchyOptions { tolerance: 0.0, most_links: 1000, ..HierarchyOptions::default() };
    let error = HierarchicalRadiosity::new(&bright, &atlas, &few).unwrap_err();
    assert_eq!(error, HierarchyError::TooManyLinks { limit: 1000 });
}

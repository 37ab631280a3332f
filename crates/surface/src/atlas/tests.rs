//! Tests of the meshed atlas.

use std::time::Instant;

use sunfleck_math::{Affine3, Vec2, Vec3, vec2, vec3};
use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene};
use sunfleck_transport::World;

use super::*;

fn world_of(data: MeshData, transforms: &[Affine3]) -> World {
    let mut scene = Scene::default();
    let material = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    for transform in transforms {
        scene.add_node(Node::new("").at(*transform).with_mesh(mesh, vec![material])).unwrap();
    }
    World::commit(&scene).unwrap()
}

/// Grid of `2 n²` triangles over a paraboloid.
fn grid(n: u16) -> MeshData {
    let mut data = MeshData::default();
    for j in 0..=n {
        for i in 0..=n {
            let p = vec2(f32::from(i), f32::from(j)) / f32::from(n) - 0.5;
            data.positions.push(vec3(p.x, p.length_squared(), p.y));
        }
    }
    let width = u32::from(n) + 1;
    for j in 0..u32::from(n) {
        for i in 0..u32::from(n) {
            let a = j * width + i;
            data.triangles.extend([[a, a + width, a + 1], [a + 1, a + width, a + width + 1]]);
        }
    }
    data
}

fn cornell() -> World {
    World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap()
}

/// The triangles of a cluster.
fn leaves(nodes: &[ClusterNode], i: usize) -> Vec<u32> {
    let end = i + 2 * nodes[i].count as usize - 1;
    nodes[i..end].iter().filter(|node| node.count == 1).map(|node| node.triangle).collect()
}

#[test]
fn clusters_divide_their_triangles_and_their_rectangle() {
    for (world, resolution) in [(cornell(), 64), (world_of(grid(17), &[Affine3::IDENTITY]), 64)] {
        let atlas = Atlas::meshed(&world, resolution).unwrap();
        let triangles = atlas.surfaces().triangles().len();
        let nodes = atlas.nodes();
        assert_eq!(nodes.len(), 2 * triangles - 1);
        let mut all = leaves(nodes, 0);
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..u32::try_from(triangles).unwrap()), "each triangle is one leaf");
        for (i, node) in nodes.iter().enumerate() {
            assert!(node.rect.height == node.rect.width || node.rect.height == 2 * node.rect.width);
            if let Some(children) = ClusterNode::children(nodes, i) {
                let [a, b] = children.map(|child| nodes[child]);
                assert_eq!(a.count + b.count, node.count, "node {i}");
                assert_eq!([a.rect, b.rect], node.rect.halves(), "node {i}");
            }
        }
        assert_eq!(atlas.utilisation(), 1.0, "no texel is lost");
    }
}

#[test]
fn clusters_of_a_connected_mesh_are_connected() {
    let world = world_of(grid(17), &[Affine3::IDENTITY]);
    let atlas = Atlas::meshed(&world, 64).unwrap();
    let adjacency = adjacency::Adjacency::of(atlas.surfaces().triangles());
    for (i, _) in atlas.nodes().iter().enumerate() {
        let members = leaves(atlas.nodes(), i);
        let (mut reached, mut open) = (vec![members[0]], vec![members[0]]);
        while let Some(next) = open.pop() {
            for &other in adjacency.of_node(next) {
                if members.contains(&other) && !reached.contains(&other) {
                    reached.push(other);
                    open.push(other);
                }
            }
        }
        assert_eq!(reached.len(), members.len(), "cluster {i}");
    }
}

#[test]
fn texels_get_their_share_of_the_area() {
    let atlas = Atlas::meshed(&cornell(), 256).unwrap();
    eprintln!("cornell: utilisation {}, evenness {}", atlas.utilisation(), atlas.evenness());
    assert!(atlas.evenness() > 0.6, "{}", atlas.evenness());
    // Half of the texels of size 1 and half of size 2 would have an evenness of 1.5² / 2.5 = 0.9
    let flat = MeshData { positions: grid(16).positions.iter().map(|p| p.with_y(0.0)).collect(), ..grid(16) };
    let atlas = Atlas::meshed(&world_of(flat, &[Affine3::IDENTITY]), 128).unwrap();
    eprintln!("flat grid: evenness {}", atlas.evenness());
    assert!(atlas.evenness() > 0.85, "{}", atlas.evenness());
    let atlas = Atlas::meshed(&world_of(grid(40), &[Affine3::IDENTITY]), 256).unwrap();
    eprintln!("grid of 3200: evenness {}", atlas.evenness());
    assert!(atlas.evenness() > 0.75, "{}", atlas.evenness());
}

#[test]
fn bilinear_lookups_read_texels_of_their_triangle_only() {
    let turned = Affine3::from_scale(vec3(-2.0, 1.0, 0.3));
    let world = world_of(grid(5), &[Affine3::IDENTITY, turned]);
    let atlas = Atlas::meshed(&world, 64).unwrap();
    for triangle in 0..u32::try_from(atlas.surfaces().triangles().len()).unwrap() {
        let rect = atlas.rect(triangle);
        // Points on each edge: the other triangle of the edge is looked up at the same points when its turn comes
        let steps = 16 * (rect.width + rect.height);
        for i in 0..=steps {
            let t = i as f32 / steps as f32;
            for barycentrics in [vec2(t, 0.0), vec2(0.0, t), vec2(t, 1.0 - t), vec2(t / 3.0, t / 5.0)] {
                let point = SurfacePoint { triangle, barycentrics };
                let Bilinear { texels, weights } = atlas.bilinear(point);
                assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{weights:?}");
                for texel in texels.into_iter().chain([atlas.texel_at(point)]) {
                    assert_eq!(atlas.texels()[texel as usize].triangle, triangle, "at {barycentrics}");
                }
            }
        }
    }
}

#[test]
fn bilinear_interpolation_reproduces_linear_functions_inside_both_halves() {
    let atlas = Atlas::meshed(&world_of(grid(2), &[Affine3::IDENTITY]), 64).unwrap();
    let value = |b: Vec2| 1.0 + 2.0 * b.x - 3.0 * b.y;
    let values: Vec<f32> = atlas.texels().iter().map(|texel| value(texel.barycentrics)).collect();
    for barycentrics in [vec2(0.2, 0.5), vec2(0.6, 0.2), vec2(0.3, 0.1)] {
        let Bilinear { texels, weights } = atlas.bilinear(SurfacePoint { triangle: 3, barycentrics });
        let found: f32 = texels.iter().zip(weights).map(|(&t, w)| values[t as usize] * w).sum();
        assert!((found - value(barycentrics)).abs() < 1e-4, "{barycentrics}: {found}");
    }
}

#[test]
fn texels_are_found_at_their_own_points_and_areas_add_up() {
    let world = world_of(grid(9), &[Affine3::from_scale(vec3(1.0, 3.0, 2.0))]);
    let atlas = Atlas::meshed(&world, 128).unwrap();
    let mut sums = vec![0.0f64; atlas.surfaces().triangles().len()];
    for (i, texel) in (0u32..).zip(atlas.texels()) {
        sums[texel.triangle as usize] += f64::from(atlas.areas()[i as usize]);
        for u in [vec2(0.5, 0.5), vec2(0.05, 0.9), vec2(0.99, 0.02)] {
            assert_eq!(atlas.texel_at(atlas.point_in(i, u).unwrap()), i);
        }
    }
    for (sum, triangle) in sums.iter().zip(atlas.surfaces().triangles()) {
        let [a, b, c] = triangle.corners.map(Vec3::as_dvec3);
        let area = (b - a).cross(c - a).length() / 2.0;
        assert!((sum - area).abs() < 1e-6 * area, "{sum} for {area}");
    }
}

#[test]
fn texels_of_a_pyramid_are_averages_of_clusters() {
    let world = world_of(grid(11), &[Affine3::IDENTITY]);
    let atlas = Atlas::meshed(&world, 32).unwrap();
    let images = AtlasImages::new(&world, &atlas);
    let weighted = images.position.iter().zip(atlas.areas()).map(|(p, area)| *p * *area).collect();
    let (sums, areas) = (Pyramid::new(weighted).unwrap(), Pyramid::new(atlas.areas().to_vec()).unwrap());
    let mut compared = 0;
    for (i, node) in atlas.nodes().iter().enumerate().filter(|(_, n)| n.rect.width == n.rect.height) {
        let level = node.rect.width.ilog2();
        let at = ((node.rect.y >> level) * (32 >> level) + (node.rect.x >> level)) as usize;
        let [sum, area] =
            [sums.levels()[level as usize][at], Vec3::splat(areas.levels()[level as usize][at])];
        // The area-weighted average of positions is that of centroids
        let (mut expected, mut total) = (Vec3::ZERO, 0.0);
        for triangle in leaves(atlas.nodes(), i) {
            let triangle = &atlas.surfaces().triangles()[triangle as usize];
            expected += triangle.centroid() * triangle.area();
            total += triangle.area();
        }
        // Centres of few texels are not the centroid, but within their triangle
        let tolerance = if node.count > 8 { 0.01 } else { 0.05 };
        assert!(
            (sum / area).abs_diff_eq(expected / total, tolerance),
            "node {i}: {} {}",
            sum / area,
            expected / total
        );
        assert!((area.x - total).abs() < 1e-5 * total, "node {i}: {} {total}", area.x);
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let world = world_of(grid(60), &[Affine3::IDENTITY]);
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let atlas = Atlas::meshed(&world, 128).unwrap();
            let pyramid = Pyramid::new(atlas.areas().to_vec()).unwrap();
            (atlas.nodes().to_vec(), AtlasImages::new(&world, &atlas), pyramid)
        })
    };
    let (one, two) = (build(1), build(2));
    assert!(one == two, "nodes, images and sums are equal");
}

#[test]
fn degenerate_and_single_triangles_are_covered() {
    let point = MeshData {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(1e-30)],
        triangles: vec![[0, 1, 2], [0, 0, 0], [0, 1, 1], [0, 3, 4], [1, 2, 3]],
        ..MeshData::default()
    };
    let world = world_of(point, &[Affine3::IDENTITY]);
    let atlas = Atlas::meshed(&world, 4).unwrap();
    for triangle in 0..5 {
        assert!(atlas.texels().iter().any(|texel| texel.triangle == triangle), "triangle {triangle}");
        assert!(atlas.rect(triangle).texels() > 0, "triangle {triangle}");
    }
    let images = AtlasImages::new(&world, &atlas);
    assert!(images.position.iter().chain(&images.normal).all(|v| v.is_finite()), "{images:?}");
    assert!(atlas.areas().iter().all(|area| area.is_finite()), "{:?}", atlas.areas());

    let single = MeshData {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, 2]],
        ..MeshData::default()
    };
    let world = world_of(single, &[Affine3::IDENTITY]);
    let atlas = Atlas::meshed(&world, 1).unwrap();
    assert_eq!((atlas.nodes().len(), atlas.areas()), (1, &[0.5][..]));
    assert_eq!(Atlas::meshed(&world, 3).unwrap_err(), AtlasError::Resolution(3));
    let error = AtlasError::TooSmall { resolution: 4, triangles: 32 };
    assert_eq!(Atlas::meshed(&cornell(), 4).unwrap_err(), error);
    let empty = World::commit(&Scene::default()).unwrap();
    assert_eq!(Atlas::meshed(&empty, 2).unwrap().utilisation(), 0.0);
}

#[test]
fn as_many_texels_as_triangles_are_enough() {
    let atlas = Atlas::meshed(&world_of(grid(8), &[Affine3::IDENTITY; 2]), 16).unwrap();
    let mut triangles: Vec<u32> = atlas.texels().iter().map(|texel| texel.triangle).collect();
    triangles.sort_unstable();
    assert!(triangles.into_iter().eq(0..256), "one texel each");
}

#[test]
fn large_meshes_are_clustered_in_seconds() {
    let world = world_of(grid(224), &[Affine3::IDENTITY]);
    let start = Instant::now();
    let atlas = Atlas::meshed(&world, 1024).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "{} triangles: {seconds:.2} s, evenness {}",
        atlas.surfaces().triangles().len(),
        atlas.evenness()
    );
    assert!(seconds < 30.0, "{seconds} s");
}

#[test]
fn texels_are_selected_by_their_value() {
    let values: Vec<f32> = (0..64u16).map(|i| f32::from(i % 7) * f32::from(i % 3)).collect();
    let total: f32 = values.iter().sum();
    let pyramid = Pyramid::new(values.clone()).unwrap();
    let mut counts = vec![0u32; 64];
    let samples = 1 << 16;
    for i in 0..samples {
        let (texel, _) = pyramid.select((i as f32 + 0.5) / samples as f32).unwrap();
        counts[texel as usize] += 1;
    }
    for (i, (&count, value)) in counts.iter().zip(values).enumerate() {
        // Equidistant numbers: each interval is met exactly, but for its ends
        let expected = value / total * samples as f32;
        assert!((count as f32 - expected).abs() <= 2.0, "texel {i}: {count} for {expected}");
    }
    assert_eq!(Pyramid::new(vec![0.0f32; 4]).unwrap().select(0.5), None);
    assert_eq!(Pyramid::new(vec![0.0f32; 8]), None);
}

/// Points of a chart atlas are in their texels, and its texels cover the surfaces.
#[test]
fn charts_divide_surfaces_among_texels() {
    for (name, world, resolution) in
        [("cornell", cornell(), 128), ("grid", world_of(grid(9), &[Affine3::IDENTITY]), 64)]
    {
        let atlas = Atlas::charts(&world, resolution).unwrap();
        let meshed = Atlas::meshed(&world, resolution).unwrap();
        for atlas in [&atlas, &meshed] {
            eprintln!("{name}: utilisation {:.3}, evenness {:.3}", atlas.utilisation(), atlas.evenness());
        }
        let sum = |values: &mut dyn Iterator<Item = f32>| values.map(f64::from).sum::<f64>();
        let area = sum(&mut atlas.surfaces().triangles().iter().map(SurfaceTriangle::area));
        let covered = sum(&mut atlas.areas().iter().copied());
        assert!((covered / area - 1.0).abs() < 1e-4, "{covered} of {area}");
        let (mut inside, mut points) = (0, 0);
        for (texel, &area) in (0u32..).zip(atlas.areas()).filter(|(_, area)| **area > 0.0) {
            // Not the middle, which may be the corner of a part of the texel
            for u in [vec2(0.47, 0.53), vec2(0.1, 0.8), vec2(0.93, 0.2)] {
                let point = atlas.point_in(texel, u).unwrap();
                (inside, points) = (inside + u32::from(atlas.texel_at(point) == texel), points + 1);
                let Bilinear { texels, weights } = atlas.bilinear(point);
                let sum: f32 = weights.iter().sum();
                assert!((sum - 1.0).abs() < 1e-5, "weights {weights:?}");
                for (texel, weight) in texels.into_iter().zip(weights) {
                    assert!(
                        weight == 0.0 || atlas.areas()[texel as usize] > 0.0,
                        "empty texels are not read"
                    );
                }
            }
            assert!(area.is_finite(), "texel {texel}");
        }
        // Points at the borders of texels are rounded to the next texel
        assert!(f64::from(inside) > 0.999 * f64::from(points), "{inside} of {points}");
    }
}

#[test]
fn points_of_charts_are_uniform_in_their_texel() {
    let world = world_of(grid(9), &[Affine3::IDENTITY]);
    let atlas = Atlas::charts(&world, 32).unwrap();
    // The mean position of uniform points is that of the texel's pieces, which a regular pattern over the map finds
    let n = 40u16;
    for texel in [200u32, 333, 410, 517].into_iter().filter(|&texel| atlas.areas()[texel as usize] > 0.0) {
        let at = |i: u16| (f32::from(i) + 0.5) / f32::from(n);
        let all = (0..n).flat_map(|i| (0..n).map(move |j| vec2(at(i), at(j))));
        let mean = all
            .map(|u| {
                let point = atlas.point_in(texel, u).unwrap();
                atlas.surfaces().triangles()[point.triangle as usize].point(point.barycentrics)
            })
            .sum::<Vec3>()
            / f32::from(n * n);
        let (mut sum, mut total) = (Vec3::ZERO, 0.0);
        for (triangle, surface) in (0u32..).zip(atlas.surfaces().triangles()) {
            let steps = 60u16;
            for i in 0..steps {
                for j in 0..steps {
                    let at = |i: u16| (f32::from(i) + 0.5) / f32::from(steps);
                    let barycentrics = barycentrics_of(vec2(at(i), at(j)));
                    if atlas.texel_at(SurfacePoint { triangle, barycentrics }) == texel {
                        let weight = surface.area();
                        (sum, total) = (sum + surface.point(barycentrics) * weight, total + weight);
                    }
                }
            }
        }
        assert!(mean.abs_diff_eq(sum / total, 2e-3), "texel {texel}: {mean} for {}", sum / total);
    }
}

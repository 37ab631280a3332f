//! Rays that workgroups sort by octant before they trace them against rays in their original order: the hits are the
//! same, bit for bit.

use std::sync::Arc;

use sunfleck_gpu::{AdapterChoice, Gpu, Mirror, RayBatch, Tracer};
use sunfleck_kernel::Tlas;
use sunfleck_math::{Affine3, vec3};
use sunfleck_shaders::layout::{Hit, Ray};

use crate::traversal::{blas, instance, point, soup, world};

/// A ray into one of the eight octants.
fn into(octant: u32, i: u32) -> Ray {
    let sign = |bit: u32| if octant >> bit & 1 == 0 { 1.0 } else { -1.0 };
    let direction = (point(i, 21).abs() * vec3(sign(0), sign(1), sign(2))).to_array();
    Ray { origin: point(i, 20).to_array(), t_near: 0.0, direction, t_far: f32::INFINITY }
}

fn answers(gpu: Gpu, world: &Tlas, streams: &[Vec<Ray>]) -> Vec<(Vec<Hit>, Vec<bool>)> {
    let gpu = Arc::new(gpu);
    let mirror = Mirror::new(&gpu, world).unwrap();
    let tracer = Tracer::new(&gpu, &mirror).unwrap();
    let of = |rays: &Vec<Ray>| {
        let batch = RayBatch::new(&gpu, rays).unwrap();
        (tracer.closest(&mirror, &batch).unwrap(), tracer.occluded(&mirror, &batch).unwrap())
    };
    streams.iter().map(of).collect()
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn sorted_rays_keep_their_hits() {
    let mut streams = Vec::new();
    // Workgroups have 128 or 256 rays: full ones, one ray more than fits, and some that are not full
    for count in [1, 7, 33, 127, 128, 129, 255, 256, 257, 700] {
        let stream = |octant: &dyn Fn(u32) -> u32| (0..count).map(|i| into(octant(i), i)).collect();
        for octant in 0..8 {
            streams.push(stream(&|_| octant));
            // A single ray has the opposite octant
            streams.push(stream(&|i| if i % 256 == 255 { 7 - octant } else { octant }));
            streams.push(stream(&|i| if i % 2 == 0 { octant } else { (octant + 1) % 8 }));
        }
        streams.push(stream(&|i| i % 8));
        streams.push(stream(&|i| i.wrapping_mul(2_654_435_761) >> 29));
    }
    let world = world(vec![blas(soup(300, 0.5))], vec![instance(0, Affine3::IDENTITY)]);
    let found = answers(Gpu::open(AdapterChoice::Best).unwrap(), &world, &streams);
    let expected = answers(Gpu::open_without_features(AdapterChoice::Best).unwrap(), &world, &streams);
    let hits = expected.iter().flat_map(|(_, any)| any).filter(|&&hit| hit).count();
    let rays: usize = streams.iter().map(Vec::len).sum();
    assert!(hits * 10 > rays && hits * 10 < rays * 9, "{hits} of {rays} hit anything");
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let words = |hits: &Vec<Hit>| bytemuck::cast_slice::<_, u32>(hits).to_vec();
        assert_eq!(words(&found.0), words(&expected.0), "stream {i}, closest");
        assert_eq!(found.1, expected.1, "stream {i}, any");
    }
}

//! Compares the crossbar, which tests all pairs of rays and triangles, with the kernel.

use sunfleck_kernel::Hit;
use sunfleck_ray_engine::Crossbar;
use sunfleck_shaders::layout;

use crate::soup::{batch, corners, gpu, on_cpu, rays, soup, world};

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn the_crossbar_finds_what_the_tree_finds() {
    let mesh = soup(300, 0.3);
    let planes: Vec<layout::Plane> = corners(&mesh).into_iter().map(layout::Plane::new).collect();
    let gpu = gpu();
    let rays = rays(4096, 2.0);
    let hits = Crossbar::new(&gpu, &planes).unwrap().closest(&batch(&gpu, &rays)).unwrap();
    let world = world(mesh);
    let differ = |(found, expected): &(&layout::Hit, &Option<Hit>)| {
        found.prim_id != expected.as_ref().map_or(layout::Hit::MISS, |hit| hit.prim_id)
    };
    let different = hits.iter().zip(&on_cpu(&world, &rays)).filter(differ).count();
    assert!(different <= 2, "{different} of {} rays differ", rays.len());
}

//! Rays in the uniform grid against the kernel.

use sunfleck_math::vec3;
use sunfleck_ray_engine::UniformGrid;
use sunfleck_shaders::layout;

use crate::soup::{Mesh, batch, corners, gpu, on_cpu, rays, soup, world};

/// Meshes of all kinds.
fn meshes() -> [(&'static str, Mesh); 4] {
    let wall = (vec![vec3(-1.0, -1.0, 0.0), vec3(1.0, -1.0, 0.0), vec3(0.0, 1.0, 0.0)], vec![[0, 1, 2]]);
    [
        ("one flat triangle", wall),
        ("seven large ones", soup(7, 1.0)),
        ("many of all sizes", soup(3000, 0.3)),
        ("many small ones", soup(20_000, 0.02)),
    ]
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn the_grid_finds_what_the_tree_finds() {
    let gpu = gpu();
    for (name, mesh) in meshes() {
        let grid = UniformGrid::new(&gpu, &corners(&mesh)).unwrap();
        let world = world(mesh);
        let rays = rays(4000, 2.0);
        let batch = batch(&gpu, &rays);
        let (closest, any) = (grid.closest(&batch).unwrap(), grid.occluded(&batch).unwrap());
        let (mut hits, mut different) = (0, 0);
        for ((found, any), expected) in closest.iter().zip(any).zip(on_cpu(&world, &rays)) {
            assert_eq!(found.prim_id != layout::Hit::MISS, any, "{name}: any and closest disagree");
            let same = match expected {
                None => found.prim_id == layout::Hit::MISS,
                Some(hit) => {
                    hits += 1;
                    found.prim_id == hit.prim_id && (found.t - hit.t).abs() <= 2e-4 * hit.t.max(1.0)
                }
            };
            different += usize::from(!same);
        }
        assert!(hits > 20, "{name}: {hits} hits");
        assert!(different <= 2, "{name}: {different} of {hits} differ");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_grid_of_nothing() {
    let gpu = gpu();
    let grid = UniformGrid::new(&gpu, &[]).unwrap();
    let found = grid.closest(&batch(&gpu, &rays(100, 1.0))).unwrap();
    assert!(found.iter().all(|hit| hit.prim_id == layout::Hit::MISS), "{found:?}");
}

//! Kernels of other crates.

use sunfleck_gpu::compute::{Array, Dispatch, Pipeline, Timestamps, run};
use sunfleck_shaders::layout::{Hit, Plane, Ray};
use sunfleck_shaders::passes::crossbar;

use crate::traversal::gpu;

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_kernel_runs_and_is_timed() {
    let gpu = gpu();
    let kernel = Pipeline::of_shader(&gpu, &crossbar::CLOSEST).unwrap();
    let wall = |z: f32| Plane::new([[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [x, y, z].into()));
    let planes = Array::new(&gpu, "triangles", &[wall(9.0), wall(5.0)]).unwrap();
    let ray =
        |x| Ray { origin: [x, 0.0, 0.0], t_near: 0.0, direction: [0.0, 0.0, 1.0], t_far: f32::INFINITY };
    let rays = Array::new(&gpu, "rays", &[ray(0.0), ray(7.0)]).unwrap();
    let hits = Array::<Hit>::zeroed(&gpu, "hits", rays.len()).unwrap();
    let buffers = [("planes", planes.buffer()), ("rays", rays.buffer()), ("hits", hits.buffer())];
    let group = kernel.bind(&gpu, &buffers.into()).unwrap();
    let stamps = Timestamps::new(&gpu, 3).unwrap();
    run(&gpu, &[Dispatch { kernel: &kernel, group, items: rays.len() }], 3, stamps.as_ref());
    let [hit, miss] = hits.read(&gpu).unwrap()[..] else { panic!("two rays") };
    assert_eq!((hit.prim_id, hit.t, miss.prim_id), (1, 5.0, Hit::MISS));
    if let Some(stamps) = stamps {
        assert_eq!(stamps.read(&gpu).unwrap().len(), 3);
    }
}

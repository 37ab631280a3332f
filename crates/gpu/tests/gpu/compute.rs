//! Kernels of other rooms.

use sunfleck_gpu::compute::{Array, Dispatch, Pipeline, Stamps, run};
use sunfleck_gpu::{GpuError, PathRenderer, RayStructure, SceneMirror};
use sunfleck_shaders::layout::{Hit, Plane, Ray};
use sunfleck_shaders::{CROSSBAR, Shader, path};

use crate::path::committed;
use crate::traversal::gpu;

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_kernel_runs_and_is_timed() {
    let gpu = gpu();
    let kernel = Pipeline::of_shader(&gpu, &CROSSBAR).unwrap();
    let wall = |z: f32| Plane::new([[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [x, y, z].into()));
    let planes = Array::new(&gpu, "triangles", &[wall(9.0), wall(5.0)]).unwrap();
    let ray =
        |x| Ray { origin: [x, 0.0, 0.0], t_near: 0.0, direction: [0.0, 0.0, 1.0], t_far: f32::INFINITY };
    let rays = Array::new(&gpu, "rays", &[ray(0.0), ray(7.0)]).unwrap();
    let hits = Array::<Hit>::vacant(&gpu, "hits", rays.len()).unwrap();
    let groups = vec![
        kernel.bind(&gpu, 0, &[(0, planes.buffer())]),
        kernel.bind(&gpu, 1, &[(0, rays.buffer()), (1, hits.buffer())]),
    ];
    let stamps = Stamps::new(&gpu, 3).unwrap();
    run(&gpu, &[Dispatch { kernel: &kernel, groups, items: rays.len() }], 3, stamps.as_ref());
    let [hit, miss] = hits.read(&gpu).unwrap()[..] else { panic!("two rays") };
    assert_eq!((hit.prim_id, hit.t, miss.prim_id), (1, 5.0, Hit::MISS));
    if let Some(stamps) = stamps {
        assert_eq!(stamps.read(&gpu).unwrap().len(), 3);
    }
}

/// Kernels run without bounds checks: so their texts have to be ours.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn other_texts_than_ours_are_refused() {
    let gpu = gpu();
    let other = Shader { text: "@compute @workgroup_size(64) fn main() {}", ..CROSSBAR };
    let refused = Pipeline::of_shader(&gpu, &other).unwrap_err();
    assert!(matches!(refused, GpuError::Shader { shader: "crossbar", .. }), "{refused}");
    let scene = SceneMirror::new(&gpu, &committed("cornell")).unwrap();
    let structure = RayStructure { intersect: path::INTERSECT, shadow: other, arrays: Vec::new() };
    let refused = PathRenderer::in_structure(&gpu, &scene, structure).unwrap_err();
    assert!(matches!(refused, GpuError::Shader { .. }), "{refused}");
}

//! Visibility masks of selected objects.

use std::collections::BTreeSet;

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_integrators::{CameraRays, PlacedCamera, World};
use sunfleck_math::Vec2;
use sunfleck_scene::{NodeId, Scene};

use crate::protocol::Silhouette;

/// Longest edge of the mask, in cells. The mask may be coarser than the image, since its outline is drawn as
/// lines between cells.
const MAX_EDGE: u32 = 320;

/// Returns the visibility mask of a node and its descendants.
///
/// * `[width, height]` — size of the image in pixels.
pub(super) fn silhouette(
    scene: &Scene,
    world: &World,
    camera: &PlacedCamera,
    node: NodeId,
    [width, height]: [u32; 2],
) -> Silhouette {
    let longest = width.max(height).max(1);
    let cells =
        |edge: u32| (u64::from(edge) * u64::from(MAX_EDGE) / u64::from(longest)).clamp(1, MAX_EDGE.into());
    #[expect(clippy::cast_possible_truncation, reason = "it is at most MAX_EDGE")]
    let [width, height] = [width, height].map(|edge| cells(edge) as u32);
    let subtree: BTreeSet<NodeId> = scene.with_descendants(&[node]).into_iter().collect();
    let level = Level::new();
    let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
    let row = |y: u32| -> Vec<bool> {
        let cell = |x: u32| {
            let film = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            // The rays pass through the centre of the lens
            let picked = world.pick(level, &rays.ray(film, Vec2::splat(0.5)));
            picked.is_some_and(|picked| subtree.contains(&picked.node))
        };
        (0..width).map(cell).collect()
    };
    let mask: Vec<bool> = (0..height).into_par_iter().map(row).flatten_iter().collect();
    Silhouette { node, width, height, runs: runs(&mask) }
}

/// Returns the run lengths of a mask, alternating between outside and inside, starting outside.
fn runs(mask: &[bool]) -> Vec<u32> {
    let (mut runs, mut inside) = (vec![0], false);
    for &cell in mask {
        if cell != inside {
            runs.push(0);
            inside = cell;
        }
        if let Some(last) = runs.last_mut() {
            *last += 1;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ViewerScene;

    #[test]
    fn runs_begin_outside() {
        assert_eq!(runs(&[true, true, false]), [0, 2, 1]);
        assert_eq!(runs(&[false, true]), [1, 1]);
    }

    #[test]
    fn masks_of_objects_do_not_overlap() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let opened = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
        let scene = opened.world.scene();
        let area = |node: NodeId| {
            let mask =
                silhouette(scene, opened.world.committed(), &opened.camera.camera(1.0), node, [64, 64]);
            assert_eq!((mask.width, mask.runs.iter().sum::<u32>()), (MAX_EDGE, MAX_EDGE * MAX_EDGE));
            mask.runs.iter().skip(1).step_by(2).sum::<u32>()
        };
        let leaves = scene.nodes().filter(|(_, node)| node.instance.is_some());
        let areas: Vec<u32> = leaves.map(|(id, _)| area(id)).collect();
        let seen: u32 = areas.iter().sum();
        assert!(
            seen > MAX_EDGE * MAX_EDGE / 2 && seen <= MAX_EDGE * MAX_EDGE,
            "no cell is counted twice: {areas:?}"
        );
    }
}

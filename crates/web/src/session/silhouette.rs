use std::collections::BTreeSet;

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_integrators::{CameraRays, PlacedCamera, World};
use sunfleck_math::Vec2;
use sunfleck_scene::{NodeId, Scene};

use crate::protocol::Silhouette;

/// Longest edge of the mask: its outline is drawn with lines between cells, so it may be coarser than the picture.
const EDGE: u32 = 320;

/// Where a node and all below it are seen, in a picture of that shape.
pub(super) fn of(
    scene: &Scene,
    world: &World,
    camera: &PlacedCamera,
    node: NodeId,
    [width, height]: [u32; 2],
) -> Silhouette {
    let longest = width.max(height).max(1);
    let cells = |edge: u32| (u64::from(edge) * u64::from(EDGE) / u64::from(longest)).clamp(1, EDGE.into());
    #[expect(clippy::cast_possible_truncation, reason = "it is at most EDGE")]
    let [width, height] = [width, height].map(|edge| cells(edge) as u32);
    let family = family(scene, node);
    let level = Level::new();
    let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
    let row = |y: u32| -> Vec<bool> {
        let cell = |x: u32| {
            let film = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            // Through the middle of the lens
            let picked = world.pick(level, &rays.ray(film, Vec2::splat(0.5)));
            picked.is_some_and(|picked| family.contains(&picked.node))
        };
        (0..width).map(cell).collect()
    };
    let mask: Vec<bool> = (0..height).into_par_iter().map(row).flatten_iter().collect();
    Silhouette { node, width, height, runs: runs(&mask) }
}

/// A node and all below it.
fn family(scene: &Scene, node: NodeId) -> BTreeSet<NodeId> {
    let mut family = BTreeSet::from([node]);
    loop {
        let size = family.len();
        let children =
            scene.nodes().filter(|(_, child)| child.parent.is_some_and(|parent| family.contains(&parent)));
        let children: Vec<NodeId> = children.map(|(id, _)| id).collect();
        family.extend(children);
        if family.len() == size {
            return family;
        }
    }
}

/// Lengths of runs, outside and inside in turn.
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
    fn everything_is_seen_and_hidden_things_are_not() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let stage = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
        let scene = stage.world.scene();
        let area = |node: NodeId| {
            let found = of(scene, stage.world.committed(), &stage.camera, node, [64, 64]);
            assert_eq!((found.width, found.runs.iter().sum::<u32>()), (EDGE, EDGE * EDGE));
            found.runs.iter().skip(1).step_by(2).sum::<u32>()
        };
        let leaves = scene.nodes().filter(|(_, node)| node.instance.is_some());
        let areas: Vec<u32> = leaves.map(|(id, _)| area(id)).collect();
        let seen: u32 = areas.iter().sum();
        assert!(seen > EDGE * EDGE / 2 && seen <= EDGE * EDGE, "nothing is counted twice: {areas:?}");
    }
}

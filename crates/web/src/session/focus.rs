//! Where a camera has a free view of an object.

use std::collections::BTreeSet;

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_integrators::World;
use sunfleck_math::{Ray, Vec3, atan2, cos, sin};
use sunfleck_scene::{NodeId, Scene};

use crate::protocol::{Sphere, SphereView};

/// Directions beside the current one: turns about the vertical, and elevations, degrees.
const TURNS: [f32; 12] = [0.0, 30.0, -30.0, 60.0, -60.0, 90.0, -90.0, 120.0, -120.0, 150.0, -150.0, 180.0];
const ELEVATIONS: [f32; 3] = [15.0, 35.0, 60.0];
/// Distances that are tried, as fractions of the one from which the object fills the image.
const DISTANCES: [f32; 6] = [1.0, 0.8, 0.64, 0.5, 0.4, 0.32];
/// Smallest distance in radii of the object: nearer, the camera may be inside of it.
const MIN_RADII: f32 = 1.05;
/// Rays to the object, per axis.
const RAYS: u8 = 9;
/// Maximum number of surfaces on a ray.
const MAX_LAYERS: usize = 32;
/// Visible part of the object with which the current direction is good enough.
const ENOUGH: f32 = 0.9;

/// Returns the direction and distance from which most of an object is visible, near to those that are wanted.
///
/// * `nodes` — the object, with the descendants of the nodes.
/// * `sphere` — a sphere around it.
/// * `wanted` — direction from the object to the camera, and distance from the centre of the sphere.
pub(super) fn free_view(
    scene: &Scene,
    world: &World,
    nodes: &[NodeId],
    sphere: Sphere,
    wanted: SphereView,
) -> SphereView {
    let own: BTreeSet<NodeId> = scene.with_descendants(nodes).into_iter().collect();
    let object = Object { world, own, sphere };
    let first = object.best_view(wanted.backward, wanted);
    if first.score >= 0.8 * ENOUGH {
        return first.view;
    }
    // Up to a hundred thousand rays with several surfaces each: other clients wait for them
    let others: Vec<Vec3> = other_directions(wanted.backward).collect();
    let others: Vec<ScoredView> =
        others.into_par_iter().map(|backward| object.best_view(backward, wanted)).collect();
    let better = |best: ScoredView, other: ScoredView| if other.score > best.score { other } else { best };
    others.into_iter().fold(first, better).view
}

/// Returns directions to the camera beside the wanted one: all around, at usual elevations.
fn other_directions(wanted: Vec3) -> impl Iterator<Item = Vec3> {
    let azimuth = atan2(wanted.x, wanted.z);
    TURNS.iter().flat_map(move |turn| {
        ELEVATIONS.iter().map(move |elevation| {
            let (turned, elevation) = (azimuth + turn.to_radians(), elevation.to_radians());
            Vec3::new(sin(turned) * cos(elevation), sin(elevation), cos(turned) * cos(elevation))
        })
    })
}

/// View with what makes it better than others.
#[derive(Clone, Copy)]
struct ScoredView {
    score: f32,
    view: SphereView,
}

/// Object that is looked at.
struct Object<'a> {
    world: &'a World,
    /// Its nodes.
    own: BTreeSet<NodeId>,
    sphere: Sphere,
}

impl Object<'_> {
    /// Returns the best view from a direction: one from nearer only if more is visible from there.
    fn best_view(&self, backward: Vec3, wanted: SphereView) -> ScoredView {
        let mut best = ScoredView { score: f32::NEG_INFINITY, view: wanted };
        for fraction in DISTANCES {
            let distance = fraction * wanted.distance;
            if fraction < 1.0 && distance < MIN_RADII * self.sphere.radius {
                break;
            }
            let view = SphereView { backward, distance };
            let visible = self.visible_part(view);
            // A view that is turned less, and not so near, is better than one that shows a little more
            let turn = 0.5 - 0.5 * backward.dot(wanted.backward);
            let score = visible * (0.5 + 0.5 * fraction) * (1.0 - 0.4 * turn);
            if score > best.score {
                best = ScoredView { score, view };
            }
            if visible >= ENOUGH {
                break;
            }
        }
        best
    }

    /// Returns how much of the object is visible, 0 … 1; of one without surfaces, whether its centre is.
    fn visible_part(&self, SphereView { backward, distance }: SphereView) -> f32 {
        let Sphere { center, radius } = self.sphere;
        let eye = center + backward * distance;
        let right = backward.any_orthonormal_vector();
        let up = backward.cross(right);
        let offset = |i: u8| (2.0 * (f32::from(i) + 0.5) / f32::from(RAYS) - 1.0) * radius;
        let targets = (0..RAYS).flat_map(|i| (0..RAYS).map(move |k| (i, k)));
        let targets = targets.map(|(i, k)| center + right * offset(i) + up * offset(k));
        let seen: Vec<bool> = targets.filter_map(|target| self.is_seen(eye, target)).collect();
        if seen.is_empty() {
            let to_center = Ray { t_far: 1.0, ..Ray::new(eye, center - eye) };
            return if self.world.pick(Level::new(), &to_center).is_none() { 1.0 } else { 0.0 };
        }
        seen.iter().filter(|&&is_first| is_first).count() as f32 / seen.len() as f32
    }

    /// Returns whether the object is the first surface on a ray; `None` if the ray misses it.
    fn is_seen(&self, eye: Vec3, target: Vec3) -> Option<bool> {
        let mut ray = Ray::new(eye, (target - eye).try_normalize()?);
        let step = 1e-4 * self.sphere.radius;
        for layer in 0..MAX_LAYERS {
            let hit = self.world.pick(Level::new(), &ray)?;
            if self.own.contains(&hit.node) {
                return Some(layer == 0);
            }
            ray.t_near = hit.distance + step;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_engine::EditableWorld;
    use sunfleck_math::vec3;

    use super::super::dropping::tests::room;
    use super::*;

    /// Returns the view of the small box at a position, beside the table.
    fn view_of_box(at: Vec3, backward: Vec3, distance: f32) -> (EditableWorld, SphereView) {
        let (world, id) = room(at);
        let sphere = Sphere { center: at, radius: 0.35 };
        let wanted = SphereView { backward: backward.normalize_or_zero(), distance };
        let view = free_view(world.scene(), world.committed(), &[id], sphere, wanted);
        (world, view)
    }

    #[test]
    fn a_free_view_is_kept() {
        let backward = vec3(-0.6, 0.0, 0.8);
        let (_, view) = view_of_box(vec3(0.0, 0.5, 0.0), backward, 1.5);
        assert_eq!(view, SphereView { backward, distance: 1.5 });
    }

    #[test]
    fn nothing_is_between_camera_and_object() {
        // The table, x from 2 to 4, is between the box and the camera; nearer, it is not
        let at = vec3(1.0, 0.5, 0.0);
        for distance in [2.0, 6.0] {
            let (world, SphereView { backward, distance }) = view_of_box(at, vec3(1.0, 0.05, 0.0), distance);
            let eye = at + backward * distance;
            let hit = world.committed().pick(Level::new(), &Ray::new(eye, -backward)).unwrap();
            assert_eq!(world.scene().node(hit.node).unwrap().name, "box", "{eye}");
        }
        // From below the floor, it would be hidden from all distances
        let (_, view) = view_of_box(at, vec3(0.0, -1.0, 0.1), 4.0);
        assert!(view.backward.y > 0.0, "{view:?}");
    }
}

//! Probes: paths that compare the light of two worlds.

use std::sync::Arc;

use sunfleck_constants::reuse::{MOST_DEPTH_STEP, MOST_TRACKED_MOTIONS, NO_NODE, PROBE_LEAST_COS};
use sunfleck_image::Film;
use sunfleck_math::{Affine3, Vec3};
use sunfleck_transport::{InstanceMotion, Motion};

use super::probes::RenderProbes;
use crate::view::RayCount;
use crate::{Algorithm, ViewSpec, World};

/// First surface of a camera ray, by which pixels and probes are matched.
#[derive(Clone, Copy, Debug)]
pub struct FirstSurface {
    /// Id of the node; [`NO_NODE`] if the ray leaves the scene.
    pub node: u32,
    /// Unit geometric normal; 0 if the ray leaves the scene.
    pub ng: Vec3,
}

/// Path that is traced in both worlds with the same random numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// First surface in the previous world.
    pub(super) surface: FirstSurface,
    /// Distance of the first hit in the previous world, metres; infinite if the ray leaves the scene.
    pub(super) depth: f32,
    /// Radiance in the previous world.
    pub(super) previous: Vec3,
    /// Radiance in the current world; `None` if the path does not meet the same surface there.
    pub(super) current: Option<Vec3>,
}

/// View and algorithm by which two worlds are compared.
pub(super) struct Comparison<'a, R> {
    /// Motion since the previous world.
    pub(super) motion: &'a Motion<'a>,
    pub(super) algorithm: &'a Algorithm,
    pub(super) spec: ViewSpec,
    /// Number of the sample.
    pub(super) sample: u32,
    pub(super) renderer: R,
    pub(super) rays: RayCount,
}

impl<R: RenderProbes> Comparison<'_, R> {
    /// Renders one sample per pixel.
    fn film(&mut self, world: &Arc<World>, spec: ViewSpec) -> Result<Film, R::Error> {
        let (film, rays) = self.renderer.film(world, &spec, self.algorithm, self.sample)?;
        self.rays += rays;
        Ok(film)
    }

    /// Traces all paths.
    pub(super) fn probes(
        &mut self,
        previous: &Arc<World>,
        current: &Arc<World>,
    ) -> Result<Vec<Probe>, R::Error> {
        let previous_film = self.film(previous, self.spec)?;
        let current_film = self.film(current, self.spec)?;
        let (ids, normals) = (previous_film.ids().unwrap_or_default(), previous_film.normal_geometric());
        let (depth, radiance) = (previous_film.depth().unwrap_or_default(), previous_film.radiance());
        let mut probes: Vec<Probe> = (0..radiance.pixels().len())
            .map(|i| Probe {
                surface: FirstSurface {
                    node: node_of(previous, instance_of(ids, i)),
                    ng: normals.as_ref().map_or(Vec3::ZERO, |normals| normals.pixels()[i]),
                },
                depth: depth.get(i).copied().unwrap_or(f32::INFINITY),
                previous: radiance.pixels()[i],
                current: None,
            })
            .collect();
        let mut fill = |film: &Film, is_met: &dyn Fn(u32) -> bool| {
            let (ids, radiance) = (film.ids().unwrap_or_default(), film.radiance());
            for (i, probe) in probes.iter_mut().enumerate() {
                let inst_id = instance_of(ids, i);
                if node_of(current, inst_id) == probe.surface.node && is_met(inst_id) {
                    probe.current = Some(radiance.pixels()[i]);
                }
            }
        };
        let motion = self.motion;
        fill(&current_film, &|inst_id| inst_id == u32::MAX || motion.of(inst_id) == InstanceMotion::Still);
        for previous_from_current in self.largest_motions(&current_film) {
            let world_from_view = previous_from_current.inverse() * self.spec.world_from_view;
            let film = self.film(current, ViewSpec { world_from_view, ..self.spec })?;
            let tracked = InstanceMotion::Transformed { previous_from_current };
            fill(&film, &|inst_id| motion.of(inst_id) == tracked);
        }
        Ok(probes)
    }

    /// Returns the changes of transforms that most pixels of a film show, as `previous_from_current`.
    fn largest_motions(&self, film: &Film) -> Vec<Affine3> {
        let mut motions: Vec<(Affine3, usize)> = Vec::new();
        for &[inst_id, ..] in film.ids().unwrap_or_default() {
            let InstanceMotion::Transformed { previous_from_current } = self.motion.of(inst_id) else {
                continue;
            };
            // A camera cannot follow an object that grew out of a point: the transform has no inverse
            let volume = previous_from_current.matrix3.determinant();
            if volume == 0.0 || !volume.is_finite() {
                continue;
            }
            match motions.iter_mut().find(|(motion, _)| *motion == previous_from_current) {
                Some((_, pixels)) => *pixels += 1,
                None => motions.push((previous_from_current, 1)),
            }
        }
        motions.sort_by_key(|&(_, pixels)| std::cmp::Reverse(pixels));
        motions.into_iter().map(|(motion, _)| motion).take(MOST_TRACKED_MOTIONS as usize).collect()
    }
}

/// Returns the id of the node of an instance; [`NO_NODE`] if there is no such instance.
pub(super) fn node_of(world: &World, inst_id: u32) -> u32 {
    world.node_of(inst_id).map_or(NO_NODE, |node| node.0)
}

/// Returns the instance that a pixel shows; the largest number if there is none.
///
/// * `ids` — those of a film.
fn instance_of(ids: &[[u32; 4]], pixel: usize) -> u32 {
    ids.get(pixel).map_or(u32::MAX, |&[inst_id, ..]| inst_id)
}

impl FirstSurface {
    /// Returns whether two points are taken to be of the same surface.
    pub(super) fn continues(&self, other: &Self) -> bool {
        self.node == other.node && (self.node == NO_NODE || self.ng.dot(other.ng) > PROBE_LEAST_COS)
    }
}

impl Probe {
    /// Returns whether two probes are taken to meet the same surface first.
    pub(super) fn continues(&self, other: &Self) -> bool {
        let step = (self.depth - other.depth).abs();
        self.surface.continues(&other.surface)
            && (self.surface.node == NO_NODE || step < MOST_DEPTH_STEP * self.depth)
    }
}

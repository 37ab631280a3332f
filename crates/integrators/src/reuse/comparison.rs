//! The paths that compare the light of two worlds.

use std::sync::Arc;

use sunfleck_constants::reuse::{MOST_DEPTH_STEP, MOST_TRACKED_MOTIONS, PROBE_LEAST_COS};
use sunfleck_image::Film;
use sunfleck_math::{Affine3, Vec3};
use sunfleck_transport::{InstanceMotion, Motion};

use super::probes::RenderProbes;
use crate::view::RayCount;
use crate::{Algorithm, ViewSpec, World};

/// The first surface of a camera ray, by which pixels and paths are matched.
#[derive(Clone, Copy, Debug)]
pub struct FirstSurface {
    /// Node; `u32::MAX` of a ray that leaves the scene.
    pub node: u32,
    /// Unit geometric normal.
    pub ng: Vec3,
}

/// A path in both worlds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// First surface in the earlier world.
    pub(super) surface: FirstSurface,
    /// Hit distance, metres; infinite of a miss.
    pub(super) depth: f32,
    /// Radiance in the earlier world.
    pub(super) earlier: Vec3,
    /// Radiance in the present world.
    /// `None` if the paths see different surfaces.
    pub(super) present: Option<Vec3>,
}

/// The two worlds and the view in which they are compared.
pub(super) struct Comparison<'a, R> {
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
        earlier: &Arc<World>,
        present: &Arc<World>,
    ) -> Result<Vec<Probe>, R::Error> {
        let then = self.film(earlier, self.spec)?;
        let now = self.film(present, self.spec)?;
        let (ids, normals) = (then.ids().unwrap_or_default(), then.normal_geometric());
        let (depth, radiance) = (then.depth().unwrap_or_default(), then.radiance());
        let node = |world: &World, ids: &[[u32; 4]], i: usize| {
            let inst_id = ids.get(i).map_or(u32::MAX, |&[inst_id, ..]| inst_id);
            world.node_of(inst_id).map_or(u32::MAX, |node| node.0)
        };
        let mut probes: Vec<Probe> = (0..radiance.pixels().len())
            .map(|i| Probe {
                surface: FirstSurface {
                    node: node(earlier, ids, i),
                    ng: normals.as_ref().map_or(Vec3::ZERO, |normals| normals.pixels()[i]),
                },
                depth: depth.get(i).copied().unwrap_or(f32::INFINITY),
                earlier: radiance.pixels()[i],
                present: None,
            })
            .collect();
        let mut fill = |film: &Film, is_met: &dyn Fn(u32) -> bool| {
            let (ids, radiance) = (film.ids().unwrap_or_default(), film.radiance());
            for (i, probe) in probes.iter_mut().enumerate() {
                let inst_id = ids.get(i).map_or(u32::MAX, |&[inst_id, ..]| inst_id);
                if node(present, ids, i) == probe.surface.node && is_met(inst_id) {
                    probe.present = Some(radiance.pixels()[i]);
                }
            }
        };
        let motion = self.motion;
        fill(&now, &|inst_id| inst_id == u32::MAX || motion.of(inst_id) == InstanceMotion::Still);
        for before_from_now in self.largest_motions(&now) {
            let world_from_view = before_from_now.inverse() * self.spec.world_from_view;
            let film = self.film(present, ViewSpec { world_from_view, ..self.spec })?;
            fill(&film, &|inst_id| motion.of(inst_id) == InstanceMotion::Rigid { before_from_now });
        }
        Ok(probes)
    }

    /// Returns the rigid motions that most pixels of a film show.
    fn largest_motions(&self, film: &Film) -> Vec<Affine3> {
        let mut motions: Vec<(Affine3, usize)> = Vec::new();
        for &[inst_id, ..] in film.ids().unwrap_or_default() {
            let InstanceMotion::Rigid { before_from_now } = self.motion.of(inst_id) else { continue };
            // Objects that grew out of a point have no earlier place
            let volume = before_from_now.matrix3.determinant();
            if volume == 0.0 || !volume.is_finite() {
                continue;
            }
            match motions.iter_mut().find(|(motion, _)| *motion == before_from_now) {
                Some((_, pixels)) => *pixels += 1,
                None => motions.push((before_from_now, 1)),
            }
        }
        motions.sort_by_key(|&(_, pixels)| std::cmp::Reverse(pixels));
        motions.into_iter().map(|(motion, _)| motion).take(MOST_TRACKED_MOTIONS as usize).collect()
    }
}

impl FirstSurface {
    /// Returns whether two points are taken to be of the same surface.
    pub(super) fn continues(&self, other: &Self) -> bool {
        self.node == other.node && (self.node == u32::MAX || self.ng.dot(other.ng) > PROBE_LEAST_COS)
    }
}

impl Probe {
    pub(super) fn continues(&self, other: &Self) -> bool {
        let step = (self.depth - other.depth).abs();
        self.surface.continues(&other.surface)
            && (self.surface.node == u32::MAX || step < MOST_DEPTH_STEP * self.depth)
    }
}

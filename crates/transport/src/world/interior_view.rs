//! Default camera inside of a building, for scenes without a camera.

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::Hit;
use sunfleck_math::transform::look_at;
use sunfleck_math::{Ray, Vec2, Vec3, vec3};
use sunfleck_sampling::{rng, warp};
use sunfleck_scene::Camera;

use super::PlacedCamera;
use crate::{AlphaSeed, World};

/// Vertical field of view, 60°: wide, as interiors need it.
const FOV_Y_RADIANS: f32 = std::f32::consts::FRAC_PI_3;
/// Number of rays from each position that is tried.
const PROBES: u32 = 128;
/// Least fraction of rays from inside a building that hit front faces.
const MIN_FRONTS: f32 = 0.7;
/// Largest fraction of rays that hit back faces; inside a solid object all do.
const MAX_BACKS: f32 = 0.05;
/// Least fraction of hits that are on walls, floors and ceilings: their normal lies within 8° of an axis.
const MIN_AXIS_ALIGNED: f32 = 0.4;
const AXIS_ALIGNED_COS: f32 = 0.99;
/// Least mean distance of hits in a room, as a fraction of the scene's diagonal.
const MIN_MEAN_DISTANCE: f32 = 0.1;
/// Position of the camera between the probe (0) and the wall behind it (1).
const STEP_BACK: f32 = 0.85;

/// Statistics of rays from one position in all directions.
#[derive(Clone, Copy)]
struct ProbeStatistics {
    /// Fraction of rays that hit front faces.
    fronts: f32,
    /// Fraction of rays that hit back faces.
    backs: f32,
    /// Fraction of hits with an axis-aligned normal.
    axis_aligned: f32,
    /// Mean distance of hits.
    mean_distance: f32,
}

impl World {
    /// Returns a camera inside the scene that looks along its longer side, if the scene is a building: if a position
    /// near its centre is in open space and surrounded by front faces. `None` for objects that are better seen from
    /// outside.
    pub fn view_from_inside(&self, level: Level) -> Option<PlacedCamera> {
        dispatch!(level, simd => self.find_view_from_inside(simd))
    }

    fn find_view_from_inside<S: Simd>(&self, simd: S) -> Option<PlacedCamera> {
        let bounds = self.bounds();
        if bounds.is_empty() || !bounds.size().is_finite() {
            return None;
        }
        // Try positions from the centre outwards, low ones first
        let mut positions = [0.5, 0.35, 0.65]
            .into_iter()
            .flat_map(|z| [0.5, 0.35, 0.65].into_iter().flat_map(move |x| [0.3, 0.5].map(|y| vec3(x, y, z))));
        let is_room = |probe: &ProbeStatistics| {
            probe.fronts >= MIN_FRONTS
                && probe.backs <= MAX_BACKS
                && probe.axis_aligned >= MIN_AXIS_ALIGNED
                && probe.mean_distance >= MIN_MEAN_DISTANCE * bounds.diagonal()
        };
        let at = |relative: Vec3| bounds.min + bounds.size() * relative;
        let center = at(positions.find(|&relative| is_room(&self.probe(simd, at(relative))))?);

        // Look along the building's longer side, from near the more distant end
        let size = bounds.size();
        let along = if size.x >= size.z { Vec3::X } else { Vec3::Z };
        let free = |direction| self.closest_hit(simd, center, direction).map_or(0.0, |hit| hit.t);
        let ahead = if free(along) > free(-along) { -along } else { along };
        let eye = center - ahead * (free(-ahead) * STEP_BACK);
        let camera = Camera::perspective("inside", FOV_Y_RADIANS);
        let world_from_view = look_at(eye, eye + ahead, Vec3::Y);
        Some(PlacedCamera { name: camera.name.clone(), camera, world_from_view })
    }

    fn probe<S: Simd>(&self, simd: S, position: Vec3) -> ProbeStatistics {
        let (mut fronts, mut backs, mut axis_aligned, mut sum) = (0u32, 0u32, 0u32, 0.0);
        for i in 0..PROBES {
            let u = Vec2::new((i as f32 + 0.5) / PROBES as f32, rng::uniform([i, 0, 0, 0]));
            let direction = warp::uniform_sphere(u);
            let Some(hit) = self.closest_hit(simd, position, direction) else { continue };
            sum += hit.t;
            let ng = hit.ng.normalize_or(Vec3::ZERO);
            axis_aligned += u32::from(ng.abs().max_element() >= AXIS_ALIGNED_COS);
            match ng.dot(direction) < 0.0 {
                true => fronts += 1,
                false => backs += 1,
            }
        }
        let fraction = |count: u32, of: u32| count as f32 / of.max(1) as f32;
        ProbeStatistics {
            fronts: fraction(fronts, PROBES),
            backs: fraction(backs, PROBES),
            axis_aligned: fraction(axis_aligned, fronts + backs),
            mean_distance: sum / (fronts + backs).max(1) as f32,
        }
    }

    fn closest_hit<S: Simd>(&self, simd: S, from: Vec3, direction: Vec3) -> Option<Hit> {
        self.intersect(simd, &Ray::new(from, direction), AlphaSeed { pixel: [0, 0], sample: 0, stream: 0 })
    }
}

//! Where to stand in a scene that came without a camera.

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::Hit;
use sunfleck_math::transform::look_at;
use sunfleck_math::{Ray, Vec2, Vec3, vec3};
use sunfleck_sampling::{rng, warp};
use sunfleck_scene::Camera;

use super::PlacedCamera;
use crate::{AlphaSeed, World};

/// A wide view, as of rooms: 60° vertically.
const FOV_Y_RADIANS: f32 = std::f32::consts::FRAC_PI_3;
/// Rays from each place that is tried.
const PROBES: u32 = 128;
/// Of the rays from inside a building so many meet walls, floor, things …
const LEAST_FRONTS: f32 = 0.7;
/// … and only so many the backs of surfaces. Inside a solid thing all do.
const MOST_BACKS: f32 = 0.05;
/// So many of the surfaces met are walls, floors and ceilings: their normal lies within 8° of an axis.
const LEAST_STRAIGHT: f32 = 0.4;
const STRAIGHT_COS: f32 = 0.99;
/// A room is open: its walls are on the average so far away, as a share of the scene's diagonal.
const LEAST_MEAN_DISTANCE: f32 = 0.1;
/// How far back from the middle towards the wall behind the camera stands.
const STEP_BACK: f32 = 0.85;

/// What a place sees all around.
#[derive(Clone, Copy)]
struct Surroundings {
    fronts: f32,
    backs: f32,
    straight: f32,
    /// Of the surfaces met.
    mean_distance: f32,
}

impl World {
    /// A camera within the scene, looking along it, if the scene is a building: if
    /// somewhere in its middle one stands in the open, surrounded by the fronts of surfaces. `None` for things that are
    /// better seen from outside.
    pub fn view_from_inside(&self, level: Level) -> Option<PlacedCamera> {
        dispatch!(level, simd => self.find_view_from_inside(simd))
    }

    fn find_view_from_inside<S: Simd>(&self, simd: S) -> Option<PlacedCamera> {
        let bounds = self.bounds();
        if bounds.is_empty() || !bounds.size().is_finite() {
            return None;
        }
        // From the middle outwards, low before high
        let mut places = [0.5, 0.35, 0.65]
            .into_iter()
            .flat_map(|z| [0.5, 0.35, 0.65].into_iter().flat_map(move |x| [0.3, 0.5].map(|y| vec3(x, y, z))));
        let is_room = |seen: &Surroundings| {
            seen.fronts >= LEAST_FRONTS
                && seen.backs <= MOST_BACKS
                && seen.straight >= LEAST_STRAIGHT
                && seen.mean_distance >= LEAST_MEAN_DISTANCE * bounds.diagonal()
        };
        let at = |share: Vec3| bounds.min + bounds.size() * share;
        let place = at(places.find(|&share| is_room(&self.surroundings(simd, at(share))))?);

        // Look along the building's longer side, from near the end that is farther away
        let size = bounds.size();
        let along = if size.x >= size.z { Vec3::X } else { Vec3::Z };
        let free = |direction| self.first(simd, place, direction).map_or(0.0, |hit| hit.t);
        let ahead = if free(along) > free(-along) { -along } else { along };
        let eye = place - ahead * (free(-ahead) * STEP_BACK);
        let camera = Camera::perspective("inside", FOV_Y_RADIANS);
        let world_from_view = look_at(eye, eye + ahead, Vec3::Y);
        Some(PlacedCamera { name: camera.name.clone(), camera, world_from_view })
    }

    fn surroundings<S: Simd>(&self, simd: S, place: Vec3) -> Surroundings {
        let (mut fronts, mut backs, mut straight, mut sum) = (0u32, 0u32, 0u32, 0.0);
        for i in 0..PROBES {
            let u = Vec2::new((i as f32 + 0.5) / PROBES as f32, rng::uniform([i, 0, 0, 0]));
            let direction = warp::uniform_sphere(u);
            let Some(hit) = self.first(simd, place, direction) else { continue };
            sum += hit.t;
            let ng = hit.ng.normalize_or(Vec3::ZERO);
            straight += u32::from(ng.abs().max_element() >= STRAIGHT_COS);
            match ng.dot(direction) < 0.0 {
                true => fronts += 1,
                false => backs += 1,
            }
        }
        let share = |count: u32, of: u32| count as f32 / of.max(1) as f32;
        Surroundings {
            fronts: share(fronts, PROBES),
            backs: share(backs, PROBES),
            straight: share(straight, fronts + backs),
            mean_distance: sum / (fronts + backs).max(1) as f32,
        }
    }

    fn first<S: Simd>(&self, simd: S, from: Vec3, direction: Vec3) -> Option<Hit> {
        self.intersect(simd, &Ray::new(from, direction), AlphaSeed { pixel: [0, 0], sample: 0, stream: 0 })
    }
}

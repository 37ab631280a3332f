//! Default views of buildings: from inside, chosen among many by what they show.

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_integrators::{Picked, PlacedCamera, World};
use sunfleck_math::transform::look_at;
use sunfleck_math::{Aabb, Ray, Vec3, cos, log2, sin, tan, vec3};
use sunfleck_scene::{Camera, VALID_ASPECT_RATIOS};

use super::free_space::all_directions;

/// Vertical field of view, 60°: wide, as interiors need it.
const FOV_Y_RADIANS: f32 = std::f32::consts::FRAC_PI_3;
/// Positions that are tried, relative to the bounds of the scene: all combinations of these coordinates.
const ACROSS: [f32; 7] = [0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92];
const HEIGHTS: [f32; 2] = [0.3, 0.5];
/// Number of the first coordinates of [`ACROSS`] that are near the centre, where a building has a room.
const CENTRAL: usize = 3;
/// Number of rays from each position.
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
/// Height of the eye above the floor: that of a standing person in rooms between these heights, metres; else a fraction
/// of the height of the room, since the unit of length may be another.
const EYE_HEIGHT: f32 = 1.6;
const HUMAN_ROOMS: std::ops::Range<f32> = 2.0..30.0;
const EYE_FRACTION: f32 = 0.45;
/// Number of directions from each position.
const AZIMUTHS: u32 = 16;
/// Rays of a view, and the aspect ratio at which it is judged.
const COLUMNS: u32 = 18;
const ROWS: u32 = 12;
/// Surfaces nearer than this fraction of the scene's diagonal block the view.
const NEAR: f32 = 0.1;
/// Number of rays along an edge of a side of the bounds, and how many of its rays escape if that side is open: things
/// in the box may be in the way of some.
const OPEN_RAYS: u32 = 6;
const MIN_ESCAPED: usize = 22;
/// Vertical field of view through an open side, and the fraction of the image's height that the side fills.
const OPEN_FOV_Y_RADIANS: f32 = 0.698_131_7;
const OPEN_FILL: f32 = 0.97;
/// Name of the camera that looks through an open side.
pub(super) const OPEN_SIDE: &str = "open side";
/// Number of the best views whose light is compared.
const FINALISTS: usize = 24;

/// Returns the best views from inside, best first, if the scene is a building: if a position near its centre is in open
/// space and surrounded by front faces. Empty for objects that are better seen from outside.
pub(super) fn views(world: &World, level: Level) -> Vec<PlacedCamera> {
    let bounds = world.bounds();
    if bounds.is_empty() || !bounds.size().is_finite() {
        return Vec::new();
    }
    let search = Search { level, world, diagonal: bounds.diagonal() };
    let Some(center) = search.central_room(&bounds) else { return Vec::new() };
    if let Some(view) = search.view_through_open_side(&bounds, center) {
        return vec![view];
    }
    let eyes: Vec<_> =
        search.rooms(&bounds, &ACROSS).into_iter().map(|position| search.eye_at(position)).collect();
    let of_eye =
        |&eye: &Vec3| (0..AZIMUTHS).map(move |azimuth| search.view(eye, azimuth)).collect::<Vec<_>>();
    let mut views: Vec<_> = eyes.par_iter().flat_map_iter(of_eye).collect();
    views.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    views.into_iter().take(FINALISTS).map(|(_, camera)| camera).collect()
}

/// Returns whether a scene is a building; see [`views`].
pub(super) fn is_building(world: &World, level: Level) -> bool {
    let bounds = world.bounds();
    let search = Search { level, world, diagonal: bounds.diagonal() };
    !bounds.is_empty() && bounds.size().is_finite() && search.central_room(&bounds).is_some()
}

/// World in which views are searched.
#[derive(Clone, Copy)]
struct Search<'a> {
    level: Level,
    world: &'a World,
    /// Diagonal of the bounds of the world, metres.
    diagonal: f32,
}

impl Search<'_> {
    /// Returns the positions in rooms among those whose horizontal coordinates are given, relative to the bounds.
    fn rooms(&self, bounds: &Aabb, coordinates: &[f32]) -> Vec<Vec3> {
        let relative = coordinates
            .iter()
            .flat_map(|&x| coordinates.iter().flat_map(move |&z| HEIGHTS.map(|y| vec3(x, y, z))));
        let positions: Vec<_> = relative.map(|relative| bounds.min + bounds.size() * relative).collect();
        positions.into_par_iter().filter(|&position| self.is_in_room(position)).collect()
    }

    /// Returns a position in a room near the centre.
    fn central_room(&self, bounds: &Aabb) -> Option<Vec3> {
        self.rooms(bounds, &ACROSS[..CENTRAL]).first().copied()
    }

    /// Returns whether a position is in open space and surrounded by walls, floor and ceiling, most of which are
    /// parallel to the axes.
    fn is_in_room(&self, position: Vec3) -> bool {
        let (mut fronts, mut backs, mut axis_aligned, mut sum) = (0u32, 0u32, 0u32, 0.0);
        for direction in all_directions(PROBES) {
            let Some(hit) = self.closest_hit(position, direction) else { continue };
            sum += hit.distance;
            axis_aligned += u32::from(hit.ng.abs().max_element() >= AXIS_ALIGNED_COS);
            match hit.ng.dot(direction) < 0.0 {
                true => fronts += 1,
                false => backs += 1,
            }
        }
        let (rays, hits) = (PROBES as f32, (fronts + backs).max(1) as f32);
        fronts as f32 >= MIN_FRONTS * rays
            && backs as f32 <= MAX_BACKS * rays
            && axis_aligned as f32 >= MIN_AXIS_ALIGNED * hits
            && sum / hits >= MIN_MEAN_DISTANCE * self.diagonal
    }

    /// Returns the position of the eye of a person who stands at a position.
    fn eye_at(&self, position: Vec3) -> Vec3 {
        let free = |direction| self.closest_hit(position, direction).map(|hit| hit.distance);
        let Some(below) = free(Vec3::NEG_Y) else { return position };
        let height = below + free(Vec3::Y).unwrap_or(below);
        let eye = if HUMAN_ROOMS.contains(&height) { EYE_HEIGHT } else { EYE_FRACTION * height };
        position + Vec3::Y * (eye - below)
    }

    /// Returns the horizontal view from an eye, after its score.
    fn view(&self, eye: Vec3, azimuth: u32) -> (f32, PlacedCamera) {
        let angle = std::f32::consts::TAU * azimuth as f32 / AZIMUTHS as f32;
        let world_from_view = look_at(eye, eye + vec3(sin(angle), 0.0, cos(angle)), Vec3::Y);
        let camera = Camera::perspective("inside", FOV_Y_RADIANS);
        let camera = PlacedCamera { name: camera.name.clone(), camera, world_from_view };
        (self.score(&camera), camera)
    }

    /// Returns the view from outside of a box with exactly one open side, such as the Cornell box, through that side.
    fn view_through_open_side(&self, bounds: &Aabb, center: Vec3) -> Option<PlacedCamera> {
        let is_open = |outwards: &Vec3| {
            let across = outwards.cross(Vec3::Y);
            let targets = (0..OPEN_RAYS * OPEN_RAYS).map(|i| {
                let on_side = |i: u32| (i as f32 + 0.5) / OPEN_RAYS as f32 - 0.5;
                0.8 * (across * on_side(i % OPEN_RAYS) + Vec3::Y * on_side(i / OPEN_RAYS)) + 0.5 * outwards
            });
            let directions = targets.map(|target| bounds.center() + bounds.size() * target - center);
            let escapes =
                |direction: &Vec3| self.closest_hit(center, direction.normalize_or(*outwards)).is_none();
            directions.filter(escapes).count() >= MIN_ESCAPED
        };
        let mut open = [Vec3::Z, Vec3::NEG_Z, Vec3::X, Vec3::NEG_X].into_iter().filter(is_open);
        let (outwards, None) = (open.next()?, open.next()) else { return None };
        let size = bounds.size();
        let front = bounds.center() + 0.5 * size * outwards;
        let distance = 0.5 * size.y / (tan(0.5 * OPEN_FOV_Y_RADIANS) * OPEN_FILL);
        let width = (size * outwards.cross(Vec3::Y)).length();
        let aspect = (width / size.y).clamp(*VALID_ASPECT_RATIOS.start(), *VALID_ASPECT_RATIOS.end());
        let mut camera = Camera::perspective(OPEN_SIDE, OPEN_FOV_Y_RADIANS);
        camera.aspect_ratio = Some(aspect);
        let world_from_view = look_at(front + outwards * distance, front, Vec3::Y);
        Some(PlacedCamera { name: camera.name.clone(), camera, world_from_view })
    }

    /// Returns the score of a view: free distance, and variety of surfaces and depths; near surfaces, and rays that
    /// leave the scene, count against it.
    fn score(&self, camera: &PlacedCamera) -> f32 {
        let m = &camera.world_from_view;
        let half = tan(FOV_Y_RADIANS * 0.5);
        let rays = COLUMNS * ROWS;
        let (mut free, mut near, mut missed) = (0.0, 0u32, 0u32);
        let (mut surfaces, mut depths) = (Vec::new(), Vec::new());
        for i in 0..rays {
            let x = (2.0 * ((i % COLUMNS) as f32 + 0.5) / COLUMNS as f32 - 1.0) * half * COLUMNS as f32
                / ROWS as f32;
            let y = (2.0 * ((i / COLUMNS) as f32 + 0.5) / ROWS as f32 - 1.0) * half;
            let direction = m.transform_vector3(vec3(x, y, -1.0).normalize_or(Vec3::NEG_Z));
            let Some(hit) = self.closest_hit(m.translation, direction) else {
                missed += 1;
                continue;
            };
            let relative = hit.distance / self.diagonal;
            free += (relative / 0.5).min(1.0);
            near += u32::from(relative < NEAR);
            let side = |x: f32| u8::from(x > 0.5) + 2 * u8::from(x < -0.5);
            surfaces.push((hit.node, hit.slot, hit.ng.to_array().map(side)));
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a logarithm of a positive f32 is at most 128"
            )]
            depths.push(log2(relative.max(1e-6)).round() as i32);
        }
        let of_rays = |count: u32| count as f32 / rays as f32;
        free / rays as f32 + entropy(surfaces) / 4.0 + entropy(depths) / 5.0
            - 2.0 * of_rays(near)
            - 1.5 * (of_rays(missed) - 0.2).max(0.0)
    }

    fn closest_hit(&self, from: Vec3, direction: Vec3) -> Option<Picked> {
        self.world.pick(self.level, &Ray::new(from, direction))
    }
}

/// Returns the entropy of a list of classes, bits: 0 if all are equal, `log₂ n` if `n` of them are equally frequent.
fn entropy<T: Ord>(mut classes: Vec<T>) -> f32 {
    let total = classes.len() as f32;
    classes.sort_unstable();
    let share = |count: usize| count as f32 / total;
    classes.chunk_by(|a, b| a == b).map(|class| -share(class.len()) * log2(share(class.len()))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_counts_classes() {
        assert_eq!(entropy::<u8>(vec![]), 0.0);
        assert_eq!(entropy(vec![3; 9]), 0.0);
        assert!((entropy(vec![0, 1, 2, 3, 3, 2, 1, 0]) - 2.0).abs() < 1e-6);
    }

    #[test]
    fn interiors_are_buildings_and_objects_are_not() {
        let found = |spec: &str| {
            let world = World::commit(&sunfleck_models::build(spec).unwrap()).unwrap();
            views(&world, Level::new())
        };
        let office = found("office");
        assert_eq!(office.len(), FINALISTS);
        assert!(found("sunflowers:flowers=10").is_empty());
    }
}

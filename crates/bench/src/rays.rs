//! Sets of rays to trace: those of a camera and secondary rays from its hits, random chords, and rays from files of the
//! exchange format ([`crate::format`]).

use std::ops::Range;

use fearless_simd::{Level, dispatch};
use serde::Serialize;
use sunfleck_integrators::CameraRays;
use sunfleck_kernel::{Coherence, Hit, RayBuffer, RayStream, Tlas};
use sunfleck_math::{Aabb, Frame, Ray, Vec2, Vec3};
use sunfleck_sampling::{rng, warp};

use crate::{Subject, Viewpoint};

/// Edge of the square tiles in which primary rays are ordered, pixels.
pub(crate) const TILE: u32 = 8;
/// Distance from the surface to the origins of secondary rays, as a fraction of the scene's diagonal.
const OFFSET: f32 = 1e-4;
/// `t_far` of shadow rays as a fraction of the distance to the light, so that geometry around the light does not
/// occlude it.
const SHADOW_REACH: f32 = 0.999;
/// Number of consecutive rays in each run of a sample of a set.
const SAMPLE_RUN: usize = 1024;

/// Kind of rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RayKind {
    /// Rays of a pinhole camera, in 8×8 tiles, row by row within a tile.
    Primary,
    /// Rays from each primary hit to a point light.
    Shadow,
    /// Rays from each primary hit in a cosine-distributed direction, in the order of the primary rays.
    Diffuse,
    /// Chords between uniformly distributed points of the scene's bounding sphere.
    Random,
    /// Rays read from a file.
    File,
}

impl RayKind {
    /// Kinds of rays that can be generated.
    pub const ALL: [Self; 4] = [Self::Primary, Self::Shadow, Self::Diffuse, Self::Random];

    /// Name in tables and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Shadow => "shadow",
            Self::Diffuse => "diffuse",
            Self::Random => "random",
            Self::File => "file",
        }
    }

    /// Coherence hint that a renderer would give for such rays.
    pub fn coherence(self) -> Coherence {
        match self {
            Self::Primary | Self::Shadow => Coherence::Coherent,
            Self::Diffuse | Self::Random => Coherence::Incoherent,
            Self::File => Coherence::Unknown,
        }
    }
}

/// Rays as array of structures and as structure of arrays: each kernel reads the layout that suits it.
#[derive(Clone, Debug)]
pub struct RaySet {
    /// Kind of rays.
    pub kind: RayKind,
    /// Array of structures.
    pub rays: Vec<Ray>,
    /// Structure of arrays.
    stream: RayBuffer,
}

/// Consecutive rays of a [`RaySet`], in both layouts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RaySlice<'a> {
    pub(crate) rays: &'a [Ray],
    pub(crate) stream: RayStream<'a>,
}

impl RaySet {
    /// Returns a set of these rays.
    pub fn new(kind: RayKind, rays: Vec<Ray>) -> Self {
        let stream = rays.iter().collect();
        Self { kind, rays, stream }
    }

    /// Returns one of `every` rays, as runs of consecutive rays spread over the whole set; at least one run.
    pub(crate) fn sample(&self, every: usize) -> Self {
        let runs = self.rays.chunks(SAMPLE_RUN).step_by(every.max(1));
        Self::new(self.kind, runs.flatten().copied().collect())
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> RaySlice<'_> {
        let all = self.stream.as_stream();
        let cut =
            |slice: &'_ [f32]| -> Range<usize> { range.start.min(slice.len())..range.end.min(slice.len()) };
        let stream = RayStream {
            origin: all.origin.map(|axis| &axis[cut(axis)]),
            t_near: &all.t_near[cut(all.t_near)],
            direction: all.direction.map(|axis| &axis[cut(axis)]),
            t_far: &all.t_far[cut(all.t_far)],
        };
        RaySlice { rays: &self.rays[range], stream }
    }
}

/// Generates rays for one scene.
#[derive(Debug)]
pub struct RayGenerator<'a> {
    tlas: &'a Tlas,
    level: Level,
    viewpoint: Viewpoint,
    bounds: Aabb,
    resolution: u32,
}

impl<'a> RayGenerator<'a> {
    /// Returns a generator for a film of `resolution`² pixels, rounded down to a multiple of 8, and as many random
    /// rays.
    pub fn new(subject: &Subject, tlas: &'a Tlas, level: Level, resolution: u32) -> Self {
        let resolution = (resolution / TILE).max(1) * TILE;
        Self { tlas, level, viewpoint: subject.viewpoint, bounds: subject.mesh.bounds(), resolution }
    }

    /// Generates the rays of a kind; none for [`RayKind::File`].
    pub fn rays(&self, kind: RayKind) -> RaySet {
        let rays = match kind {
            RayKind::Primary => self.primary(),
            RayKind::Shadow => self.shadow(),
            RayKind::Diffuse => self.diffuse(),
            RayKind::Random => self.random(),
            RayKind::File => Vec::new(),
        };
        RaySet::new(kind, rays)
    }

    /// Returns the position of the light that shadow rays end at. If the camera is inside the scene's bounds, the
    /// light is half way to the surface in the centre of the image, and from there half way up to the ceiling;
    /// otherwise it is above the scene, to the camera's right.
    pub fn light(&self) -> Vec3 {
        let bounds = self.bounds;
        let view = &self.viewpoint.world_from_view;
        let eye = view.translation;
        if !bounds.contains(eye) {
            let [right, back] = [view.matrix3.x_axis, view.matrix3.z_axis];
            return bounds.center() + (Vec3::Y * 1.5 + right + back * 0.5) * bounds.diagonal();
        }
        let free = |origin, direction| {
            let free = self.closest(&Ray::new(origin, direction)).map_or(bounds.diagonal(), |hit| hit.t);
            free.min(bounds.diagonal() * 0.5)
        };
        let ahead = -view.matrix3.z_axis;
        let middle = eye + ahead * (free(eye, ahead) * 0.5);
        middle + Vec3::Y * (free(middle, Vec3::Y) * 0.5)
    }

    fn primary(&self) -> Vec<Ray> {
        let Viewpoint { world_from_view, projection } = self.viewpoint;
        let camera = CameraRays::new(projection, world_from_view, self.resolution, self.resolution);
        let tiles = self.resolution / TILE;
        let in_tile = |tile: u32| {
            let corner = [tile % tiles * TILE, tile / tiles * TILE];
            (0..TILE * TILE).map(move |i| [corner[0] + i % TILE, corner[1] + i / TILE])
        };
        let pixels = (0..tiles * tiles).flat_map(in_tile);
        let centre = |[x, y]: [u32; 2]| Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        pixels.map(|pixel| camera.ray(centre(pixel), Vec2::splat(0.5))).collect()
    }

    fn shadow(&self) -> Vec<Ray> {
        let light = self.light();
        let shadow_ray = |start: SecondaryStart| {
            let towards_light = light - start.origin;
            let direction = towards_light.normalize_or(Vec3::Y);
            Ray { t_far: SHADOW_REACH * towards_light.length(), ..Ray::new(start.origin, direction) }
        };
        self.secondary_starts().map(shadow_ray).collect()
    }

    fn diffuse(&self) -> Vec<Ray> {
        let bounce = |start: SecondaryStart| {
            let local = warp::cosine_hemisphere(rng::uniform_2d([start.index, 1, 0, 0]));
            let direction = Frame::from_normal(start.facing).world_from_local(local);
            Ray::new(start.origin, direction.normalize_or(start.facing))
        };
        self.secondary_starts().map(bounce).collect()
    }

    fn random(&self) -> Vec<Ray> {
        let bounds = self.bounds;
        let on_sphere = |i: u32, end: u32| {
            bounds.center()
                + warp::uniform_sphere(rng::uniform_2d([i, 2, end, 0])) * (bounds.diagonal() * 0.5)
        };
        let chord = |i: u32| {
            let (from, to) = (on_sphere(i, 0), on_sphere(i, 1));
            Ray::new(from, (to - from).normalize_or(Vec3::X))
        };
        (0..self.resolution * self.resolution).map(chord).collect()
    }

    fn secondary_starts(&self) -> impl Iterator<Item = SecondaryStart> {
        let offset = OFFSET * self.bounds.diagonal();
        self.primary().into_iter().zip(0..).filter_map(move |(ray, index)| {
            let hit = self.closest(&ray)?;
            let ng = hit.ng.normalize_or(Vec3::Y);
            let facing = if ng.dot(ray.direction) < 0.0 { ng } else { -ng };
            Some(SecondaryStart { index, origin: ray.at(hit.t) + facing * offset, facing })
        })
    }

    fn closest(&self, ray: &Ray) -> Option<Hit> {
        dispatch!(self.level, simd => self.tlas.intersect(simd, ray))
    }
}

/// Origin of a secondary ray, next to a primary hit.
struct SecondaryStart {
    /// Index of the primary ray.
    index: u32,
    origin: Vec3,
    /// Unit geometric normal on the camera's side.
    facing: Vec3,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mesh;
    use std::sync::Arc;
    use sunfleck_kernel::{Blas, BuildOptions, Instance};
    use sunfleck_math::{Affine3, vec3};

    /// Floor of 20 × 20 m at height 0, with a camera above its centre.
    fn floor() -> (Subject, Tlas) {
        let corner = |x, z| vec3(x, 0.0, z);
        let mesh = Mesh {
            positions: vec![
                corner(-10.0, -10.0),
                corner(10.0, -10.0),
                corner(10.0, 10.0),
                corner(-10.0, 10.0),
            ],
            triangles: vec![[0, 2, 1], [0, 3, 2]],
        };
        let options = BuildOptions::default();
        let blas = Arc::new(Blas::build(&mesh.positions, &mesh.triangles, &options).unwrap());
        let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
        let tlas = Tlas::build(vec![blas], vec![instance], &options).unwrap();
        let mut subject = Subject::from_mesh("floor", mesh).unwrap();
        subject.viewpoint = Viewpoint::between(vec3(0.0, 5.0, 0.0), Vec3::ZERO);
        (subject, tlas)
    }

    fn generated(kind: RayKind) -> (RaySet, Vec3) {
        let (subject, tlas) = floor();
        let generator = RayGenerator::new(&subject, &tlas, Level::new(), 64);
        (generator.rays(kind), generator.light())
    }

    #[test]
    fn directions_are_of_unit_length() {
        for kind in RayKind::ALL {
            let (set, _) = generated(kind);
            assert!(!set.rays.is_empty(), "there are {} rays", kind.name());
            let unit = |ray: &Ray| (ray.direction.length() - 1.0).abs() < 1e-6 && ray.t_near == 0.0;
            assert!(set.rays.iter().all(unit), "{}", kind.name());
        }
    }

    #[test]
    fn primary_rays_are_ordered_by_tiles() {
        let (RaySet { rays, .. }, _) = generated(RayKind::Primary);
        assert_eq!(rays.len(), 64 * 64);
        // Pixel that a ray passes through: with 60° field of view, the film at distance 1 reaches to ± tan 30°
        let (subject, _) = floor();
        let view_from_world = subject.viewpoint.world_from_view.inverse();
        let pixel = |ray: &Ray| {
            let d = view_from_world.transform_vector3(ray.direction);
            let film = vec3(d.x, -d.y, 0.0) / -d.z * 3f32.sqrt();
            [film.x, film.y].map(|x| ((x + 1.0) * 32.0 - 0.5).round())
        };
        let order = [0, 1, 7, 8, 63, 64, 511, 512, 4095].map(|i: usize| pixel(&rays[i]));
        let expected = [[0u8, 0], [1, 0], [7, 0], [0, 1], [7, 7], [8, 0], [63, 7], [0, 8], [63, 63]]
            .map(|p| p.map(f32::from));
        assert_eq!(order, expected);
    }

    #[test]
    fn secondary_rays_start_above_the_visible_surface() {
        let offset = 1e-4 * 800f32.sqrt();
        for kind in [RayKind::Shadow, RayKind::Diffuse] {
            let (RaySet { rays, .. }, _) = generated(kind);
            assert_eq!(rays.len(), 64 * 64, "the floor fills the image");
            assert!(rays.iter().all(|ray| (ray.origin.y - offset).abs() < 1e-5), "{}", kind.name());
        }
    }

    #[test]
    fn shadow_rays_end_just_before_the_light() {
        let (RaySet { rays, .. }, light) = generated(RayKind::Shadow);
        for ray in rays {
            let rest = light - ray.at(ray.t_far);
            let expected = (light - ray.origin) * 1e-3;
            assert!((rest - expected).length() < 1e-5 * light.length(), "{rest} remains to the light");
        }
    }

    #[test]
    fn diffuse_rays_are_cosine_distributed() {
        let (RaySet { rays, .. }, _) = generated(RayKind::Diffuse);
        // The density cos θ / π makes cos² θ uniform: its mean is ½, that of cos θ is ⅔.
        let mean = |of: fn(f32) -> f32| rays.iter().map(|ray| of(ray.direction.y)).sum::<f32>() / 4096.0;
        assert!(rays.iter().all(|ray| ray.direction.y >= 0.0), "none points into the floor");
        assert!((mean(|cos| cos * cos) - 0.5).abs() < 0.02 && (mean(|cos| cos) - 2.0 / 3.0).abs() < 0.02);
    }

    #[test]
    fn random_rays_are_chords_of_the_bounding_sphere() {
        let (RaySet { rays, .. }, _) = generated(RayKind::Random);
        let radius = 200f32.sqrt();
        assert!(
            rays.iter().all(|ray| (ray.origin.length() - radius).abs() < 1e-3),
            "origins are on the sphere"
        );
        assert!(rays.iter().all(|ray| ray.origin.dot(ray.direction) <= 1e-3), "directions point inwards");
        // The squared distance of chords between uniformly distributed points from the centre is uniform: half of the
        // chords pass within r / √2 of it.
        let near = rays
            .iter()
            .filter(|ray| ray.origin.cross(ray.direction).length_squared() < radius * radius / 2.0);
        assert!((near.count() as f32 / 4096.0 - 0.5).abs() < 0.03);
    }

    #[test]
    fn slices_and_samples_are_consecutive_in_both_layouts() {
        let ray = |i: usize| Ray { t_far: i as f32, ..Ray::new(Vec3::ZERO, Vec3::X) };
        let set = RaySet::new(RayKind::Random, (0..5000).map(ray).collect());
        let slice = set.slice(100..200);
        assert_eq!((slice.rays.len(), slice.stream.len()), (100, 100));
        assert_eq!((slice.rays[7].t_far, slice.stream.t_far[7]), (107.0, 107.0));
        let sample = set.sample(2);
        assert_eq!(sample.rays.len(), 3 * 1024 - 120, "the last run is shorter");
        assert_eq!(sample.rays[1024].t_far, 2048.0);
    }
}

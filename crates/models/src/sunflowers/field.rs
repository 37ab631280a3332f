//! Terrain of the field, and the placement of plants on it.

use sunfleck_math::transform::{rotation_about, rotation_y};
use sunfleck_math::{Affine3, Vec2, Vec3, atan2, exp, vec2, vec3};
use sunfleck_scene::MeshData;

use super::SUN;
use crate::noise::{noise, turbulence};
use crate::random::{Random, floor_to_u32};
use crate::shape::Shape;

/// Distance between neighbouring flowers, metres.
const SPACING: f32 = 0.62;
/// Extent of the ground around the camera, metres.
const REACH: f32 = 1500.0;
/// Position of the camera, x and z. It looks along -z.
const CAMERA: Vec2 = vec2(0.0, 0.0);

/// Terrain: a slope that rises to a crest in front of the camera, and hills behind it. x points to the right, z towards
/// the camera.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    seed: u32,
}

impl Field {
    pub(super) fn new(seed: u32) -> Self {
        Self { seed }
    }

    /// Returns the height of the ground at (x, z), metres.
    fn height(&self, p: Vec2) -> f32 {
        let ahead = (CAMERA.y - p.y).max(0.0);
        // The field rises to a crest at 150 m and falls behind it; far away there are hills.
        let t = (ahead / 150.0).min(1.0);
        let rise = 15.0 * t * t * (3.0 - 2.0 * t);
        let far = ((ahead - 170.0) / 500.0).clamp(0.0, 1.0);
        let swell = (1.0 - exp(-ahead / 30.0)) * 4.2 * noise(self.seed, p / 55.0 + 0.5);
        let tilt = 0.02 * p.x * t;
        rise - 22.0 * far
            + swell
            + tilt
            + far * 120.0 * (0.75 + turbulence(self.seed ^ 77, p / 420.0, 4)).max(0.0)
    }

    /// Returns the point of the ground at (x, z).
    fn ground_point(&self, p: Vec2) -> Vec3 {
        vec3(p.x, self.height(p), p.y)
    }

    /// Returns the position of the camera, above the heads of the first flowers.
    pub(super) fn eye(&self) -> Vec3 {
        self.ground_point(CAMERA) + Vec3::Y * 1.92
    }

    /// Returns the mesh of the ground: a grid that is finest at the camera.
    pub(super) fn ground(&self) -> MeshData {
        let stretch = |u: f32| {
            let s = 2.0 * u - 1.0;
            REACH * s * s * s.abs() + 30.0 * s
        };
        let mut shape = Shape::colored("ground");
        shape.colored_sheet(
            280,
            280,
            |u, v| self.ground_point(vec2(stretch(u), stretch(1.0 - v))),
            |u, v| self.soil(vec2(stretch(u), stretch(1.0 - v))),
        );
        MeshData { uv0: Vec::new(), ..shape.finish() }
    }

    /// Returns the colour of the ground: earth between the flowers, meadows behind them, then woods that fade to blue
    /// with distance.
    fn soil(&self, p: Vec2) -> Vec3 {
        let distance = (p - CAMERA).length();
        let patches = 0.5 + 0.5 * turbulence(self.seed ^ 31, p / 60.0, 4).clamp(-1.0, 1.0);
        let earth = vec3(0.20, 0.145, 0.085).lerp(vec3(0.15, 0.17, 0.05), patches);
        let meadow = vec3(0.17, 0.24, 0.06).lerp(vec3(0.34, 0.31, 0.11), patches);
        let wood = vec3(0.05, 0.10, 0.05).lerp(vec3(0.20, 0.27, 0.10), patches);
        let air = vec3(0.32, 0.42, 0.55);
        let step = |from: f32, to: f32| ((distance - from) / (to - from)).clamp(0.0, 1.0);
        earth
            .lerp(meadow, step(110.0, 180.0))
            .lerp(wood, step(200.0, 400.0))
            .lerp(air, 0.7 * step(300.0, 1500.0))
    }

    /// Returns kind and transform of each flower, row by row from front to back. Rows are as wide as the
    /// field of view of the camera.
    pub(super) fn flowers(
        &self,
        count: u32,
        wind: f32,
        random: Random,
    ) -> impl Iterator<Item = (u32, Affine3)> + use<> {
        let field = *self;
        let rows = (0u32..).flat_map(move |row| {
            let ahead = row as f32 * SPACING - 2.0;
            let half = (4.0 + 0.80 * ahead.max(0.0)).min(140.0);
            let columns = floor_to_u32(2.0 * half / SPACING);
            let random = random.fork(row);
            (0..columns).filter_map(move |column| {
                let mut r = random.fork(column);
                let jitter = vec2(r.around_zero(0.36), r.around_zero(0.36));
                let cell = vec2(column as f32 + 0.5 * (row % 2) as f32 - 0.5 * columns as f32, 0.0);
                let p = CAMERA + cell * SPACING + vec2(0.0, -ahead) + jitter * SPACING;
                field.is_free(p).then(|| field.flower(p, wind, &mut r))
            })
        });
        rows.take(count as usize)
    }

    /// Returns whether a flower may stand at (x, z): neither at the camera nor directly in front of it.
    fn is_free(&self, p: Vec2) -> bool {
        let ahead = CAMERA.y - p.y;
        let aside = (p.x - CAMERA.x).abs();
        (p - CAMERA).length() > 0.9 && !(ahead > 0.0 && ahead < 1.5 && aside < 0.75)
    }

    /// Returns kind and transform of a flower at (x, z).
    fn flower(&self, p: Vec2, wind: f32, r: &mut Random) -> (u32, Affine3) {
        let kind = r.below(super::FLOWER_KINDS);
        // Towards the sun, and slightly towards the camera
        let facing = atan2(SUN.x + 0.25, SUN.z + 0.25) + r.around_zero(0.38);
        let gust = wind * (0.10 + 0.16 * noise(self.seed ^ 5, p / 7.0)) + 0.03 * r.around_zero(1.0);
        let lean = rotation_about(vec3(0.2, 0.0, -1.0), gust) * rotation_about(Vec3::X, r.around_zero(0.06));
        let size = r.between(0.84, 1.12);
        let transform = Affine3::from_translation(self.ground_point(p));
        (kind, transform * lean * rotation_y(facing) * Affine3::from_scale(Vec3::splat(size)))
    }

    /// Returns the transforms of the trees, which stand in groups on both sides and on the crest.
    pub(super) fn trees(&self, count: u32, random: Random) -> impl Iterator<Item = Affine3> + use<> {
        const SPOTS: [Vec2; 7] = [
            vec2(-19.0, -36.0),
            vec2(34.0, -70.0),
            vec2(47.0, -92.0),
            vec2(-62.0, -118.0),
            vec2(-44.0, -128.0),
            vec2(12.0, -139.0),
            vec2(76.0, -120.0),
        ];
        let field = *self;
        (0..count).map(move |i| {
            let mut r = random.fork(i);
            let round = i as usize / SPOTS.len();
            let shift = vec2(r.around_zero(12.0), r.around_zero(9.0)) * round as f32;
            let position = field.ground_point(SPOTS[i as usize % SPOTS.len()] + shift) - Vec3::Y * 0.2;
            let size = Affine3::from_scale(Vec3::splat(r.between(0.85, 1.2)));
            Affine3::from_translation(position) * rotation_y(r.between(0.0, std::f32::consts::TAU)) * size
        })
    }
}

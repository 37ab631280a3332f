use sunfleck_math::{Vec2, Vec3};
use sunfleck_sampling::{rng, warp};

/// Element of matrix radiosity: one side of a planar triangle or convex quadrilateral, on which radiosity is constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Corners, in world space; the fourth of a triangle repeats the third.
    pub(super) corners: [Vec3; 4],
    pub(super) is_quad: bool,
    /// Area, m².
    pub area: f32,
    /// Centroid.
    pub center: Vec3,
    /// Unit normal of the side that scatters and emits.
    pub normal: Vec3,
    /// Diffuse reflectance, RGB in [0, 1], averaged over the area.
    pub reflectance: Vec3,
    /// Emitted radiosity (radiant exitance), W/m², averaged over the area: π times the radiance.
    pub emission: Vec3,
    /// Index of the instance in the world.
    pub instance: u32,
    /// Whether the patch is the front of its surface.
    pub is_front: bool,
    /// Hash of corners and side. Random numbers depend on it instead of the index, so that edits of other surfaces keep
    /// the rays of a patch.
    pub(super) key: [u32; 2],
    /// Index of the face that the patch is a part of.
    pub(super) face: u32,
}

impl Patch {
    /// Returns the patch of a polygon of three or four corners that is planar and convex.
    pub(super) fn new(corners: &[Vec3], normal: Vec3) -> Self {
        let corner = |k: usize| corners[k.min(corners.len() - 1)];
        let corners_of_patch = [0, 1, 2, 3].map(corner);
        let [a, b, c, d] = corners_of_patch;
        let (first, second) = ((b - a).cross(c - a).length() * 0.5, (c - a).cross(d - a).length() * 0.5);
        let area = first + second;
        let weighted = (a + b + c) * first + (a + c + d) * second;
        let center = if area > 0.0 { weighted / (3.0 * area) } else { a };
        Self {
            corners: corners_of_patch,
            is_quad: corners.len() == 4,
            area,
            center,
            normal,
            key: key(&corners_of_patch, normal),
            reflectance: Vec3::ZERO,
            emission: Vec3::ZERO,
            instance: 0,
            is_front: true,
            face: 0,
        }
    }

    /// Returns the corners, three or four.
    pub fn corners(&self) -> &[Vec3] {
        if self.is_quad { &self.corners } else { &self.corners[..3] }
    }

    /// Returns the corners counter-clockwise, seen from the side of the normal.
    pub(super) fn polygon(&self) -> Vec<Vec3> {
        let [a, b, c, _] = self.corners;
        let mut corners = self.corners().to_vec();
        if (b - a).cross(c - a).dot(self.normal) < 0.0 {
            corners.reverse();
        }
        corners
    }

    /// Returns the radius of a sphere around the centre that contains the patch.
    pub fn radius(&self) -> f32 {
        self.corners().iter().map(|corner| corner.distance(self.center)).fold(0.0, f32::max)
    }

    /// Samples a uniform point of the patch.
    pub fn sample(&self, mut u: Vec2) -> Vec3 {
        let [a, b, c, d] = self.corners;
        let first = if self.is_quad { (b - a).cross(c - a).length() * 0.5 / self.area } else { 1.0 };
        let [p, q, r] = if u.x < first {
            u.x /= first;
            [a, b, c]
        } else {
            u.x = (u.x - first) / (1.0 - first);
            [a, c, d]
        };
        let Vec2 { x, y } = warp::uniform_triangle(u);
        p * (1.0 - x - y) + q * x + r * y
    }
}

fn key(corners: &[Vec3; 4], normal: Vec3) -> [u32; 2] {
    let mix = |[a, b, c, d]: [u32; 4], p: &Vec3| {
        let [x, y, z] = p.to_array().map(f32::to_bits);
        rng::pcg4d([a ^ rng::pcg(x), b ^ rng::pcg(y), c ^ rng::pcg(z), d])
    };
    let [a, b, ..] = corners.iter().chain([&normal]).fold([0; 4], mix);
    [a, b]
}

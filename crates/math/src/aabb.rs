use glam::{Affine3, Vec3};

/// An axis-aligned box, closed; empty when `min > max` on any axis.
#[derive(
    Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, serde::Serialize, serde::Deserialize,
)]
#[repr(C)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing and is neutral under [`Aabb::union`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around some points.
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| b.including(p))
    }

    /// The smallest box around `self` and a point.
    #[inline]
    pub fn including(self, p: Vec3) -> Self {
        Self { min: self.min.min(p), max: self.max.max(p) }
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether it holds no point.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// Edge lengths; zero when empty.
    #[inline]
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.max - self.min }
    }

    /// The middle; meaningless when empty.
    #[inline]
    pub fn center(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// Half of the surface area (SAH needs only ratios).
    #[inline]
    pub fn half_area(&self) -> f32 {
        let d = self.size();
        d.x * d.y + d.y * d.z + d.z * d.x
    }

    /// Length of the diagonal.
    #[inline]
    pub fn diagonal(&self) -> f32 {
        self.size().length()
    }

    /// The box around the transformed eight corners (tight for the box, not for what is in it).
    pub fn transformed(&self, m: &Affine3) -> Self {
        if self.is_empty() {
            return *self;
        }
        let corner = |i: u32| {
            let pick = |bit: u32, lo: f32, hi: f32| if i & bit == 0 { lo } else { hi };
            Vec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        };
        Self::from_points((0..8).map(|i| m.transform_point3(corner(i))))
    }
}

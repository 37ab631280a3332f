use glam::Vec3;

/// An orthonormal, right-handed frame; `normal` is its z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// x axis.
    pub tangent: Vec3,
    /// y axis.
    pub bitangent: Vec3,
    /// z axis.
    pub normal: Vec3,
}

impl Frame {
    /// Any frame around a unit normal, without a branch [Duff17, Listing 3].
    #[inline(always)]
    pub fn from_normal(n: Vec3) -> Self {
        let sign = 1.0f32.copysign(n.z);
        let a = -1.0 / (sign + n.z);
        let b = n.x * n.y * a;
        Self {
            tangent: Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
            bitangent: Vec3::new(b, sign + n.y * n.y * a, -n.y),
            normal: n,
        }
    }

    /// World coordinates of a local vector.
    #[inline(always)]
    pub fn world_from_local(&self, v: Vec3) -> Vec3 {
        self.tangent * v.x + self.bitangent * v.y + self.normal * v.z
    }

    /// Local coordinates of a world vector.
    #[inline(always)]
    pub fn local_from_world(&self, v: Vec3) -> Vec3 {
        Vec3::new(v.dot(self.tangent), v.dot(self.bitangent), v.dot(self.normal))
    }
}

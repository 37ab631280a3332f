//! Floating-point error bounds and neighbours.

use glam::Vec3;

/// The largest f32 below 1: uniforms are at most this.
pub const ONE_MINUS_EPSILON: f32 = 1.0 - f32::EPSILON / 2.0;

/// Bound of the relative error of `n` roundings, `n ε / (1 - n ε)` with ε = 2⁻²⁴ [PBRT4, §6.8.1].
#[inline]
pub const fn gamma(n: u32) -> f32 {
    let ne = n as f32 * (f32::EPSILON / 2.0);
    ne / (1.0 - ne)
}

/// Moves the origin of a ray off the surface that it leaves, far enough that the surface is not hit again and no
/// farther than the error of `position` asks for [PBRT4, §6.8.6].
///
/// * `position_error` — absolute bound per axis of the error of `position`, ≥ 0.
/// * `ng` — unit geometric normal, either side. * `direction` — where the ray goes.
#[inline(always)]
pub fn offset_ray_origin(position: Vec3, position_error: Vec3, ng: Vec3, direction: Vec3) -> Vec3 {
    let distance = ng.abs().dot(position_error);
    let offset = if direction.dot(ng) < 0.0 { -ng * distance } else { ng * distance };
    let step = |p: f32, o: f32| {
        let moved = p + o;
        if o > 0.0 {
            moved.next_up()
        } else if o < 0.0 {
            moved.next_down()
        } else {
            moved
        }
    };
    Vec3::new(step(position.x, offset.x), step(position.y, offset.y), step(position.z, offset.z))
}

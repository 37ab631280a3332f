//! Half of the walks are aimed at surfaces with specular lobes: of the others few would meet one.
//!
//! A projection map [Jensen96, projection maps] divides the directions around a light into those in which such things are seen and others. Here a
//! sphere around one of them, chosen at random, stands for the former. One sample of the mixture of both ways to start has the density of the
//! mixture, so nothing is lost where the sphere is badly chosen, and no walk carries more than twice its flux.

use std::f32::consts::PI;

use sunfleck_math::{Frame, Ray, Vec2, Vec3};
use sunfleck_sampling::warp;
use sunfleck_shading::{EmittedRay, EmitterKind, VirtualEmitter};
use sunfleck_transport::BoundingSphere;

/// Uniform random numbers in [0, 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Decisions {
    /// Whether the walk is aimed.
    pub(super) aim: f32,
    pub(super) direction: Vec2,
    /// Which side of a light that has two.
    pub(super) side: f32,
}

/// A ray on which light leaves; `None`: this one carries nothing.
///
/// * `world` — around everything.
pub(super) fn emit(
    emitter: &VirtualEmitter,
    target: &BoundingSphere,
    world: &BoundingSphere,
    u: Decisions,
) -> Option<EmittedRay> {
    let ray = match u.aim < 0.5 {
        true => towards(emitter, target, world, u.direction),
        false => emitter.emit(u.direction, u.side, (world.center, world.radius))?.ray,
    };
    let density = 0.5 * (emitter.pdf(ray.direction, world.radius) + pdf(emitter, target, &ray));
    let flux = emitter.along(ray.direction) / density;
    (flux.max_element() > 0.0 && flux.is_finite()).then_some(EmittedRay { ray, flux })
}

/// A ray from the emitter to the target.
fn towards(emitter: &VirtualEmitter, target: &BoundingSphere, world: &BoundingSphere, u: Vec2) -> Ray {
    if let EmitterKind::Distant { to_light, .. } = emitter.glow {
        let on_disk = warp::concentric_disk(u) * target.radius;
        let through = target.center + Frame::from_normal(to_light).world_from_local(on_disk.extend(0.0));
        // From outside of the world
        let back = world.radius - (through - world.center).dot(to_light);
        return Ray::new(through + to_light * back, -to_light);
    }
    let (frame, one_minus_cos_max) = cone(emitter, target);
    let direction = frame.world_from_local(warp::uniform_cone(u, one_minus_cos_max));
    Ray::new(emitter.origin_along(direction), direction)
}

/// Density of [`towards`] at a ray, in the measure of [`VirtualEmitter::pdf`].
fn pdf(emitter: &VirtualEmitter, target: &BoundingSphere, ray: &Ray) -> f32 {
    if let EmitterKind::Distant { .. } = emitter.glow {
        let off_axis = ray.direction.cross(target.center - ray.origin).length_squared();
        let area = target.radius * target.radius;
        return if off_axis <= area { (PI * area).recip() } else { 0.0 };
    }
    let (frame, one_minus_cos_max) = cone(emitter, target);
    warp::uniform_cone_pdf(frame.local_from_world(ray.direction), one_minus_cos_max)
}

/// The cone in which an emitter sees the target: its axis, and 1 - cos of its half angle. All directions from inside.
fn cone(emitter: &VirtualEmitter, target: &BoundingSphere) -> (Frame, f32) {
    let to = target.center - emitter.position;
    let sin_squared = target.radius * target.radius / to.length_squared();
    if sin_squared.is_nan() || sin_squared >= 1.0 {
        return (Frame::from_normal(Vec3::Z), 2.0);
    }
    let cos = (1.0 - sin_squared).sqrt();
    (Frame::from_normal(to.normalize_or(Vec3::Z)), sin_squared / (1.0 + cos))
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{vec2, vec3};

    use super::*;

    const WORLD: BoundingSphere = BoundingSphere { center: vec3(0.0, 0.0, 0.0), radius: 4.0 };

    fn emitters() -> [VirtualEmitter; 5] {
        let (ng, intensity) = (Vec3::NEG_Y, vec3(1.0, 2.0, 3.0));
        let glows = [
            EmitterKind::Area { ng, double_sided: false, intensity },
            EmitterKind::Area { ng, double_sided: true, intensity },
            EmitterKind::Point { intensity },
            EmitterKind::Spot { direction: ng, intensity, scale: 4.0, offset: -3.0 },
            EmitterKind::Distant { to_light: vec3(0.6, 0.8, 0.0), irradiance: intensity },
        ];
        glows.map(|glow| VirtualEmitter {
            light: 0,
            glow,
            position: vec3(0.3, 2.0, -0.2),
            position_error: 0.0,
        })
    }

    /// The flux that reaches a small sphere, and that of all walks: aimed at different things, and not aimed at all.
    #[test]
    fn aiming_changes_no_flux() {
        let probe = BoundingSphere { center: vec3(0.4, 0.5, 0.0), radius: 0.3 };
        let rows = 400u16;
        let grid = |i: u16| (f32::from(i) + 0.5) / f32::from(rows);
        let flux = |emit: &dyn Fn(Decisions) -> Option<EmittedRay>| {
            let (mut all, mut met) = (0.0, 0.0);
            for (x, y) in (0..rows).flat_map(|y| (0..rows).map(move |x| (x, y))) {
                for (aim, side) in [(0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)] {
                    let u = Decisions { aim, side, direction: vec2(grid(x), grid(y)) };
                    let Some(EmittedRay { ray, flux }) = emit(u) else { continue };
                    all += f64::from(flux.y);
                    let to = probe.center - ray.origin;
                    let ahead = to.dot(ray.direction) > 0.0;
                    if ahead && to.cross(ray.direction).length() < probe.radius {
                        met += f64::from(flux.y);
                    }
                }
            }
            [all, met].map(|sum| sum / (4.0 * f64::from(rows) * f64::from(rows)))
        };
        let near = BoundingSphere { center: vec3(0.3, 1.9, -0.2), radius: 0.5 };
        let beside = BoundingSphere { center: vec3(1.0, 0.2, 0.5), radius: 0.7 };
        let behind = BoundingSphere { center: vec3(0.3, 3.0, -0.2), radius: 0.2 };
        for emitter in emitters() {
            let expected =
                flux(&|u: Decisions| emitter.emit(u.direction, u.side, (WORLD.center, WORLD.radius)));
            for target in [probe, near, beside, behind] {
                let found = flux(&|u| emit(&emitter, &target, &WORLD, u));
                for (found, expected) in found.into_iter().zip(expected) {
                    let error = (found / expected - 1.0).abs();
                    assert!(error < 0.03, "{emitter:?} {target:?}: {found} W for {expected} W");
                }
            }
        }
    }
}

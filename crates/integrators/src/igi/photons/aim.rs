//! Importance sampling of emission: half of the photon walks start towards surfaces with specular lobes, which few
//! other walks would hit.
//!
//! A projection map [Jensen96, projection maps] stores the directions of a light in which there are specular surfaces.
//! Here these directions are those towards a bounding sphere of one such surface, selected at random. A walk
//! is sampled from the mixture of aimed and unaimed emission and weighted by the density of the mixture, so
//! the result is unbiased for any sphere, and no walk has more than twice the flux of an unaimed one.

use std::f32::consts::PI;

use sunfleck_math::{Frame, Ray, Vec2, Vec3};
use sunfleck_sampling::warp;
use sunfleck_shading::{EmittedRay, EmitterKind, VirtualEmitter};
use sunfleck_transport::BoundingSphere;

/// Random numbers of an emitted ray, uniform in [0, 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct EmissionRandoms {
    /// Selects the technique: below 0.5, the ray is aimed at the target.
    pub(super) aim: f32,
    pub(super) direction: Vec2,
    /// Selects the side of a double-sided light.
    pub(super) side: f32,
}

/// Samples a ray on which light leaves an emitter; `None` if it carries no flux.
///
/// * `target` — sphere that half of the rays are aimed at.
/// * `world` — bounding sphere of the scene.
pub(super) fn emit(
    emitter: &VirtualEmitter,
    target: &BoundingSphere,
    world: &BoundingSphere,
    u: EmissionRandoms,
) -> Option<EmittedRay> {
    let ray = match u.aim < 0.5 {
        true => towards(emitter, target, world, u.direction),
        false => emitter.emit(u.direction, u.side, (world.center, world.radius))?.ray,
    };
    let density = 0.5 * (emitter.pdf(ray.direction, world.radius) + pdf(emitter, target, &ray));
    let flux = emitter.along(ray.direction) / density;
    (flux.max_element() > 0.0 && flux.is_finite()).then_some(EmittedRay { ray, flux })
}

/// Samples a ray from the emitter to the target.
fn towards(emitter: &VirtualEmitter, target: &BoundingSphere, world: &BoundingSphere, u: Vec2) -> Ray {
    if let EmitterKind::Distant { to_light, .. } = emitter.kind {
        let on_disk = warp::concentric_disk(u) * target.radius;
        let through = target.center + Frame::from_normal(to_light).world_from_local(on_disk.extend(0.0));
        // Start outside of the world
        let back = world.radius - (through - world.center).dot(to_light);
        return Ray::new(through + to_light * back, -to_light);
    }
    let (frame, one_minus_cos_max) = cone(emitter, target);
    let direction = frame.world_from_local(warp::uniform_cone(u, one_minus_cos_max));
    Ray::new(emitter.origin_along(direction), direction)
}

/// Returns the density of [`towards`] at a ray, in the measure of [`VirtualEmitter::pdf`].
fn pdf(emitter: &VirtualEmitter, target: &BoundingSphere, ray: &Ray) -> f32 {
    if let EmitterKind::Distant { .. } = emitter.kind {
        let off_axis = ray.direction.cross(target.center - ray.origin).length_squared();
        let area = target.radius * target.radius;
        return if off_axis <= area { (PI * area).recip() } else { 0.0 };
    }
    let (frame, one_minus_cos_max) = cone(emitter, target);
    warp::uniform_cone_pdf(frame.local_from_world(ray.direction), one_minus_cos_max)
}

/// Returns the cone in which an emitter sees the target: its axis, and 1 - cos of its half angle. If the
/// emitter is inside the target, the cone contains all directions.
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
    use sunfleck_scene::SpotFalloff;
    use sunfleck_shading::SpotProfile;

    use super::*;

    const WORLD: BoundingSphere = BoundingSphere { center: vec3(0.0, 0.0, 0.0), radius: 4.0 };

    fn emitters() -> [VirtualEmitter; 5] {
        let (ng, intensity) = (Vec3::NEG_Y, vec3(1.0, 2.0, 3.0));
        let kinds = [
            EmitterKind::Area { ng, double_sided: false, intensity },
            EmitterKind::Area { ng, double_sided: true, intensity },
            EmitterKind::Point { intensity },
            EmitterKind::Spot {
                direction: ng,
                intensity,
                profile: SpotProfile { falloff: SpotFalloff::Linear, scale: -2.0, offset: 1.5 },
            },
            EmitterKind::Distant { to_light: vec3(0.6, 0.8, 0.0), irradiance: intensity },
        ];
        kinds.map(|kind| VirtualEmitter {
            light: 0,
            kind,
            position: vec3(0.3, 2.0, -0.2),
            position_error: 0.0,
        })
    }

    /// Compares the flux that reaches a small sphere, and the total flux, for different targets and for unaimed rays.
    #[test]
    fn aiming_preserves_the_flux() {
        let probe = BoundingSphere { center: vec3(0.4, 0.5, 0.0), radius: 0.3 };
        let rows = 400u16;
        let grid = |i: u16| (f32::from(i) + 0.5) / f32::from(rows);
        let flux = |emit: &dyn Fn(EmissionRandoms) -> Option<EmittedRay>| {
            let (mut total, mut at_probe) = (0.0, 0.0);
            for (x, y) in (0..rows).flat_map(|y| (0..rows).map(move |x| (x, y))) {
                for (aim, side) in [(0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)] {
                    let u = EmissionRandoms { aim, side, direction: vec2(grid(x), grid(y)) };
                    let Some(EmittedRay { ray, flux }) = emit(u) else { continue };
                    total += f64::from(flux.y);
                    let to = probe.center - ray.origin;
                    let ahead = to.dot(ray.direction) > 0.0;
                    if ahead && to.cross(ray.direction).length() < probe.radius {
                        at_probe += f64::from(flux.y);
                    }
                }
            }
            [total, at_probe].map(|sum| sum / (4.0 * f64::from(rows) * f64::from(rows)))
        };
        let near = BoundingSphere { center: vec3(0.3, 1.9, -0.2), radius: 0.5 };
        let beside = BoundingSphere { center: vec3(1.0, 0.2, 0.5), radius: 0.7 };
        let behind = BoundingSphere { center: vec3(0.3, 3.0, -0.2), radius: 0.2 };
        for emitter in emitters() {
            let expected =
                flux(&|u: EmissionRandoms| emitter.emit(u.direction, u.side, (WORLD.center, WORLD.radius)));
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

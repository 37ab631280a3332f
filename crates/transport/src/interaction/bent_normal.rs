//! Bent shading normals: the reflection of the viewer's direction stays above the surface.

use sunfleck_constants::surface::LEAST_REFLECTED;
use sunfleck_math::Vec3;

/// Bends a shading normal towards the geometric normal, just enough for the direction to the viewer to be reflected
/// above the surface: to a cosine of [`LEAST_REFLECTED`] with the geometric normal, or to half of the viewer's cosine
/// if that is less. Other normals are returned unchanged.
///
/// A normal map tells nothing about the facets that a ray reflected below the surface would meet. Without the bend such
/// reflections are lost, and smooth metals are black where they are seen at grazing angles.
///
/// The normal depends on the viewer. Paths from lights, whose viewer is the previous vertex, may see another normal of
/// the same point, as they do where normals that face away from the viewer are bent.
///
/// * `ns`, `ng` — unit normals, both of the front face or both of the back face.
/// * `wo` — unit direction to the viewer, on either side.
#[inline(always)]
pub(super) fn bent_normal(ns: Vec3, ng: Vec3, wo: Vec3) -> Vec3 {
    // Let d be the reflection of ng about ns. The reflection of wo has the cosine dot(wo, d) with ng, since reflecting
    // both vectors of a dot product leaves it unchanged. A bend of ns within the plane of ng and ns rotates d towards
    // ng by twice its angle: find the d of the required cosine, and bisect the angle between it and ng.
    let side = if wo.dot(ng) < 0.0 { -1.0 } else { 1.0 };
    let wo = wo * side;
    let out = wo.dot(ng);
    let least = LEAST_REFLECTED.min(0.5 * out);
    let cos = ns.dot(ng);
    if 2.0 * cos * wo.dot(ns) - out >= least {
        return ns;
    }
    // Coordinates in the plane: `out` along ng, `across` along the part of ns perpendicular to ng. The points of the
    // unit circle with the required dot product with (out, across) are its multiple by least / length², plus or minus
    // the perpendicular vector that reaches the circle.
    let tangent = (ns - ng * cos).normalize_or(Vec3::ZERO);
    let across = wo.dot(tangent);
    let length2 = out * out + across * across;
    let rest = (length2 - least * least).max(0.0).sqrt();
    let along_normal = out * least - across * rest;
    let along_tangent = across * least + out * rest;
    // The bisector has the direction (1 + cos, sin) or (sin, 1 - cos) of the angle between d and ng: the one in which
    // no digits cancel
    let (x, y) = match across > 0.0 {
        true => (along_tangent, length2 - along_normal),
        false => (length2 + along_normal, along_tangent),
    };
    (ng * x + tangent * y).normalize_or(ng)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Vec2, vec3};
    use sunfleck_sampling::{rng, warp};

    use super::*;

    fn uniform(i: u32, k: u32) -> f32 {
        rng::uniform([i, k, 0, 5])
    }

    fn reflected(wo: Vec3, normal: Vec3) -> Vec3 {
        normal * (2.0 * normal.dot(wo)) - wo
    }

    /// Returns random shading normals, geometric normals on the same side, and viewers on both sides.
    fn cases() -> impl Iterator<Item = (Vec3, Vec3, Vec3)> {
        (0..100_000).map(|i| {
            let direction = |k| warp::uniform_sphere(Vec2::new(uniform(i, k), uniform(i, k + 1)));
            let (ng, mut ns, wo) = (direction(0), direction(2), direction(4));
            if ns.dot(ng) < 0.0 {
                ns = -ns;
            }
            // Half of the viewers are at grazing angles
            let tangential = (wo - ng * wo.dot(ng)).normalize_or(Vec3::X);
            let height = 0.1 * (2.0 * uniform(i, 6) - 1.0);
            let grazing = (tangential + ng * height).normalize_or(Vec3::X);
            (ns, ng, if i % 2 == 0 { wo } else { grazing })
        })
    }

    #[test]
    fn reflects_above_the_surface_and_bends_no_more_than_needed() {
        let mut bent_normals = 0;
        for (ns, ng, wo) in cases() {
            let bent = bent_normal(ns, ng, wo);
            let out = wo.dot(ng).abs();
            if out < 1e-3 {
                continue; // The cosine is rounded too much
            }
            let side = wo.dot(ng).signum();
            let [before, after] = [ns, bent].map(|normal| reflected(wo, normal).dot(ng) * side);
            let least = LEAST_REFLECTED.min(0.5 * out);
            let case = format!("ns {ns}, ng {ng}, wo {wo}: {bent} reflects at {after}, before at {before}");
            if before > least + 1e-5 {
                assert_eq!(bent, ns, "{case}");
            }
            if bent != ns {
                bent_normals += 1;
                assert!(after > 0.0 && (after - least).abs() < 2e-5, "{case}");
                assert!(bent.dot(ng) > ns.dot(ng) - 1e-6, "farther from the geometric normal: {case}");
                assert!(
                    bent.dot(ns.cross(ng).normalize_or(Vec3::X)).abs() < 1e-4,
                    "out of the plane: {case}"
                );
                assert!(bent.dot(wo) * side > 0.0, "faces away from the viewer: {case}");
            }
            assert!((bent.length() - 1.0).abs() < 1e-6, "{case}");
        }
        assert!(bent_normals > 20_000, "only {bent_normals} normals are bent");
    }

    #[test]
    fn is_continuous() {
        const STEP: f32 = 1e-3;
        for (i, (ns, ng, wo)) in (0..).zip(cases()) {
            let offset = |k| STEP * (vec3(uniform(i, k), uniform(i, k + 1), 0.5) - Vec3::splat(0.5));
            let near = ((ns + offset(7)).normalize_or(ns), (wo + offset(9)).normalize_or(wo));
            // The plane of the normals turns quickly where they are nearly equal; there is a step where the viewer
            // changes sides
            if wo.dot(ng).abs() < 0.05 || wo.dot(ng) * near.1.dot(ng) < 0.0 {
                continue;
            }
            let change = (bent_normal(near.0, ng, near.1) - bent_normal(ns, ng, wo)).length();
            assert!(change < 20.0 * STEP, "ns {ns}, ng {ng}, wo {wo}: {change}");
        }
    }

    #[test]
    fn defined_at_the_limits() {
        let (ng, wo) = (Vec3::Z, vec3(0.6, 0.0, 0.8));
        assert_eq!(bent_normal(ng, ng, wo), ng, "flat");
        assert_eq!(bent_normal(ng, ng, Vec3::X), ng, "flat, seen from its plane");
        for wo in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::Z] {
            for ns in [Vec3::X, vec3(0.6, 0.0, 0.8), vec3(-0.8, 0.0, 0.6)] {
                let bent = bent_normal(ns, ng, wo);
                assert!((bent.length() - 1.0).abs() < 1e-6 && bent.z >= 0.0, "ns {ns}, wo {wo}: {bent}");
            }
        }
    }
}

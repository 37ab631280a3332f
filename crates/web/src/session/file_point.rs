//! Points in the coordinates of the scene's file, in which options of `sunfleck render` have them.

use sunfleck_math::{DVec3, Vec3};

/// Decimal places after which the shortest form of a number in double precision is taken.
const MAX_DECIMALS: usize = 17;

/// Returns the nearest point that has coordinates in the file: near zero, they are finer than those of a file whose
/// origin is far away.
pub(super) fn representable(point: Vec3, origin: DVec3) -> Vec3 {
    in_scene(origin + point.as_dvec3(), origin)
}

/// Returns a point as the value of an option, and the point that `render` computes from that. If both points can be the
/// same, it is the shortest such value.
///
/// * `origin` — [`Scene::origin`](sunfleck_scene::Scene::origin).
pub(super) fn option_value(point: Vec3, origin: DVec3) -> (String, Vec3) {
    let [x, y, z] = [0, 1, 2].map(|axis: usize| coordinate(point[axis], origin[axis]));
    let rendered = [&x, &y, &z].map(|text| text.parse().unwrap_or(f64::NAN));
    (format!("{x},{y},{z}"), in_scene(rendered.into(), origin))
}

/// Converts a point as `render` does.
fn in_scene(point: DVec3, origin: DVec3) -> Vec3 {
    (point - origin).as_vec3()
}

/// Returns the shortest number from which a coordinate is computed, or the nearest one.
fn coordinate(x: f32, origin: f64) -> String {
    if origin == 0.0 {
        return x.to_string();
    }
    let exact = origin + f64::from(x);
    let is_same = |text: &String| {
        let parsed = text.parse().unwrap_or(f64::NAN);
        in_scene(DVec3::splat(parsed), DVec3::splat(origin)).x == x
    };
    let mut rounded = (0..=MAX_DECIMALS).map(|decimals| format!("{exact:.decimals$}"));
    rounded.find(is_same).unwrap_or_else(|| exact.to_string())
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;

    use super::*;

    /// Origin of a map, as in the projection UTM.
    const MAP: DVec3 = DVec3::new(691_607.0, 120.0, -5_335_942.25);

    #[test]
    fn values_are_those_of_the_file_and_short() {
        let value = |point, origin| option_value(point, origin).0;
        assert_eq!(value(vec3(1.0, 2.5, -3.0), DVec3::ZERO), "1,2.5,-3");
        assert_eq!(value(vec3(0.1, -1e-9, 0.0), DVec3::ZERO), "0.1,-0.000000001,0");
        assert_eq!(value(vec3(1.0, 2.5, 3.0), MAP), "691608,122.5,-5335939.25");
        assert_eq!(value(vec3(0.1, 0.7, -0.3), MAP), "691607.1,120.7,-5335942.55");
        let heights_only = DVec3::new(0.0, 0.0, 5e6);
        assert_eq!(value(vec3(0.1, 1e-9, -8.0), heights_only), "0.1,0.000000001,4999992");
    }

    #[test]
    fn the_rendered_point_is_the_same() {
        for step in 0..1000u16 {
            let t = f32::from(step) * 0.37;
            let point = vec3(sunfleck_math::sin(t) * 1e3, sunfleck_math::sin(t * 3.0), t * t);
            for origin in [DVec3::ZERO, MAP, DVec3::new(1e9 / 3.0, -0.1, 7e-3)] {
                let possible = representable(point, origin);
                let (text, rendered) = option_value(possible, origin);
                assert_eq!(rendered, possible, "{text}");
                assert!((possible - point).abs().max_element() < 1e-6, "{point} of {origin}");
            }
            assert_eq!(representable(point, DVec3::ZERO), point);
        }
    }

    #[test]
    fn points_that_no_value_has_are_near() {
        // Doubles of five million are 2⁻³⁰ apart
        let (text, rendered) = option_value(vec3(0.0, 0.0, 1e-12), MAP);
        assert_eq!((&*text, rendered), ("691607,120,-5335942.25", Vec3::ZERO));
    }
}

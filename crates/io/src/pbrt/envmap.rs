//! Environment maps: equal-area maps of version 4 and latitude-longitude maps of version 3, both with z up, are
//! computed anew as latitude-longitude maps with y up.

use std::f32::consts::{FRAC_1_PI, TAU};
use std::sync::Arc;

use sunfleck_math::direction::direction_from_equirect;
use sunfleck_math::{Affine3, Vec2, Vec3, acos, atan2, vec2};
use sunfleck_scene::{Environment, Texels, Texture, TextureFilter, Wrap};

use super::Importer;
use super::parameter::Directive;
use crate::FileKind;
use crate::environment::linear_texels;
use crate::error::{ImportProblem, ParseError};
use crate::images::{Encoding, Image, Sampling};

/// Points per texel and axis at which a map is read.
const SUBDIVISIONS: u32 = 2;

/// Larger maps would take too long.
const MAX_SIZE: u32 = 16_384;

impl Importer<'_, '_> {
    /// Sets the environment to a map.
    ///
    /// * `scale` — factor of its radiance. * `to_world` — transform from the space of the light.
    pub(super) fn environment_map(
        &mut self,
        light: &Directive,
        name: &str,
        scale: Vec3,
        to_world: &Affine3,
    ) -> Result<(), ParseError> {
        let problem = |problem: ImportProblem| light.place.problem(problem);
        let bytes = self.files.read(name, FileKind::Image).map_err(|message| light.place.error(message))?;
        let image = Image::decode(&bytes, name.rsplit('.').next().unwrap_or_default());
        let image = image.map_err(|error| light.place.error(format!("{name}: {error}")))?;
        let file = self.report.file().to_path_buf();
        self.report.image_notes(&file, &light.place.location, name, image.notes.clone());
        let is_square = image.width == image.height;
        let mapping =
            if is_square && !self.description.is_version_3 { Mapping::EqualArea } else { Mapping::Equirect };
        if !is_square && !self.description.is_version_3 {
            let message = "an environment map that is not square is read as latitude and longitude";
            self.omissions.note(&light.place, message);
        }
        let map = Map::new(&image, mapping).map_err(problem)?;
        let texture = map.with_y_up(name, to_world).map_err(problem)?;
        let texture = self.scene.add_texture(texture).map_err(|error| problem(error.into()))?;
        let map = Environment::Map { texture, rotation_y_radians: 0.0, scale, rows_at_poles: false };
        self.scene.set_environment(map).map_err(|error| problem(error.into()))
    }
}

/// Mapping from directions to points of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mapping {
    /// Equal-area octahedral mapping [Clarberg08, sphere mapping] [PBRT4, §3.8.3].
    EqualArea,
    /// Latitude and longitude [PBRT3, §12.6]: the top row is +z, u is the azimuth from x towards y.
    Equirect,
}

impl Mapping {
    /// Returns the point of a unit direction in [0, 1]², from the upper left corner of the image.
    fn point(self, d: Vec3) -> Vec2 {
        match self {
            Self::EqualArea => square_from_sphere(d),
            Self::Equirect => {
                let azimuth = atan2(d.y, d.x) / TAU;
                let polar = acos(d.z.clamp(-1.0, 1.0)) * FRAC_1_PI;
                vec2(if azimuth < 0.0 { azimuth + 1.0 } else { azimuth }, polar)
            }
        }
    }
}

/// Returns the point of the square of a unit direction: the upper hemisphere is the inner diamond, the lower one the
/// corners. Areas keep their ratios.
fn square_from_sphere(d: Vec3) -> Vec2 {
    let a = d.abs();
    let radius = (1.0 - a.z).max(0.0).sqrt();
    // Angle over a quarter turn, from the x axis
    let turn = if a.x == 0.0 && a.y == 0.0 { 0.0 } else { atan2(a.y, a.x) * (2.0 * FRAC_1_PI) };
    let v = turn * radius;
    let (u, v) = if d.z < 0.0 { (1.0 - v, 1.0 - (radius - v)) } else { (radius - v, v) };
    vec2(u.copysign(d.x), v.copysign(d.y)) * 0.5 + 0.5
}

/// Map that is being converted.
struct Map {
    texels: Vec<[f32; 4]>,
    width: u32,
    height: u32,
    mapping: Mapping,
}

impl Map {
    fn new(image: &Image, mapping: Mapping) -> Result<Self, ImportProblem> {
        let Image { width, height, .. } = *image;
        if width.max(height) > MAX_SIZE {
            let message = format!("environment maps of {width} × {height} pixels are not supported");
            return Err(ImportProblem::Unsupported(message));
        }
        let (wrap, filter) = ([Wrap::Repeat; 2], TextureFilter::Linear);
        let texture = image.texture("", Sampling { encoding: Encoding::Color, wrap, filter })?;
        Ok(Self { texels: linear_texels(texture.texels()), width, height, mapping })
    }

    /// Returns the map as a latitude-longitude map of the scene.
    ///
    /// * `to_world` — transform from the space of the light.
    fn with_y_up(&self, name: &str, to_world: &Affine3) -> Result<Texture, ImportProblem> {
        let to_light = to_world.matrix3.inverse();
        if !to_light.is_finite() {
            return Err(ImportProblem::Malformed(
                "the transform of the environment has no inverse".to_string(),
            ));
        }
        let (width, height) = match self.mapping {
            Mapping::EqualArea => (2 * self.height, self.height),
            Mapping::Equirect => (self.width, self.height),
        };
        let n = SUBDIVISIONS;
        let mut texels = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0; 4];
                for part in 0..n * n {
                    let at = |texel: u32, part: u32, size: u32| {
                        (texel as f32 + (part as f32 + 0.5) / n as f32) / size as f32
                    };
                    let uv = vec2(at(x, part % n, width), at(y, part / n, height));
                    let direction = (to_light * direction_from_equirect(uv)).normalize_or(Vec3::Z);
                    let found = self.at(self.mapping.point(direction));
                    sum.iter_mut().zip(found).for_each(|(sum, value)| *sum += value / (n * n) as f32);
                }
                texels.push(sum);
            }
        }
        let texture = Texture::new(name, width, height, Texels::Float(Arc::new(texels)))?;
        Ok(texture.with_sampling([Wrap::Repeat, Wrap::ClampToEdge], TextureFilter::Linear))
    }

    /// Returns the value at a point in [0, 1]², between the centres of texels.
    #[allow(clippy::cast_possible_truncation, reason = "indices of texels")]
    fn at(&self, point: Vec2) -> [f32; 4] {
        let p = point * vec2(self.width as f32, self.height as f32) - 0.5;
        let (left, top) = (p.x.floor(), p.y.floor());
        let (fx, fy) = (p.x - left, p.y - top);
        let (left, top) = (left as i32, top as i32);
        let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let (nw, ne) = (self.texel(left, top), self.texel(left + 1, top));
        let (sw, se) = (self.texel(left, top + 1), self.texel(left + 1, top + 1));
        std::array::from_fn(|c| lerp(lerp(nw[c], ne[c], fx), lerp(sw[c], se[c], fx), fy))
    }

    /// Returns a texel. Beyond an edge of an equal-area map is the edge itself, mirrored at its middle.
    #[allow(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "sizes of images, clamped indices")]
    fn texel(&self, x: i32, y: i32) -> [f32; 4] {
        let (width, height) = (self.width as i32, self.height as i32);
        let (x, y) = match self.mapping {
            Mapping::Equirect => (x.rem_euclid(width), y),
            Mapping::EqualArea => {
                let y_mirrored = if (0..width).contains(&x) { y } else { height - 1 - y };
                let x_mirrored = if (0..height).contains(&y) { x } else { width - 1 - x };
                (x_mirrored, y_mirrored)
            }
        };
        let (x, y) = (x.clamp(0, width - 1) as usize, y.clamp(0, height - 1) as usize);
        self.texels[y * self.width as usize + x]
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::PI;

    use super::*;
    use crate::images::Pixels;
    use sunfleck_math::vec3;

    /// The inverse mapping as [PBRT4, §3.8.3] prints it, in double precision.
    fn sphere_from_square(p: Vec2) -> Vec3 {
        let (u, v) = (2.0 * f64::from(p.x) - 1.0, 2.0 * f64::from(p.y) - 1.0);
        let distance = 1.0 - (u.abs() + v.abs());
        let r = 1.0 - distance.abs();
        let phi = if r == 0.0 { 1.0 } else { (v.abs() - u.abs()) / r + 1.0 } * f64::from(PI) / 4.0;
        #[allow(clippy::cast_possible_truncation, reason = "the tolerance is larger")]
        let (sin, cos) = sunfleck_math::sin_cos(phi as f32);
        let z = (1.0 - r * r) * distance.signum();
        let side = r * (2.0 - r * r).sqrt();
        let x = (f64::from(cos) * side).copysign(u);
        glam::DVec3::new(x, (f64::from(sin) * side).copysign(v), z).as_vec3()
    }

    #[test]
    fn the_equal_area_mapping_is_the_inverse_of_pbrts() {
        for i in 1..40u8 {
            for j in 1..40u8 {
                let p = vec2(f32::from(i), f32::from(j)) / 40.0;
                let back = square_from_sphere(sphere_from_square(p));
                assert!(back.abs_diff_eq(p, 1e-5), "{p} {back}");
            }
        }
        assert_eq!(square_from_sphere(Vec3::Z), Vec2::splat(0.5));
    }

    fn map(width: u32, height: u32, mapping: Mapping, value: impl Fn(Vec2) -> f32) -> Map {
        let texels = (0..width * height).map(|i| {
            let p =
                vec2((i % width) as f32 + 0.5, (i / width) as f32 + 0.5) / vec2(width as f32, height as f32);
            [value(p), 0.0, 0.0, 1.0]
        });
        let pixels = Pixels::Floats(Arc::new(texels.collect()));
        Map::new(&Image { width, height, pixels, notes: Vec::new() }, mapping).unwrap()
    }

    /// A map that shows the cosine of the angle to a direction does so in the scene.
    #[test]
    fn directions_are_kept() {
        let axis = vec3(0.48, -0.6, 0.64);
        let cosine = |d: Vec3| 2.0 + d.dot(axis);
        let of_equirect = |p: Vec2| {
            let (sin, cos) = sunfleck_math::sin_cos(PI * p.y);
            let (east, north) = sunfleck_math::sin_cos(TAU * p.x);
            cosine(vec3(sin * north, sin * east, cos))
        };
        let maps = [
            map(64, 64, Mapping::EqualArea, |p| cosine(sphere_from_square(p))),
            map(128, 64, Mapping::Equirect, of_equirect),
        ];
        let mirror = Affine3::from_scale(vec3(-1.0, 1.0, 1.0));
        for (map, to_world) in maps.iter().flat_map(|map| [(map, Affine3::IDENTITY), (map, mirror)]) {
            let texture = map.with_y_up("map", &to_world).unwrap();
            let Texels::Float(texels) = texture.texels() else { panic!("floats") };
            assert_eq!((texture.width(), texture.height()), (128, 64));
            for (i, texel) in (0u32..).zip(texels.iter()) {
                let uv = vec2((i % 128) as f32 + 0.5, (i / 128) as f32 + 0.5) / vec2(128.0, 64.0);
                let expected = cosine(to_world.inverse().transform_vector3(direction_from_equirect(uv)));
                // The mapping has kinks, where the interpolation of 64 texels is less exact
                assert!(
                    (texel[0] - expected).abs() < 0.03,
                    "{:?} {uv}: {} {expected}",
                    map.mapping,
                    texel[0]
                );
            }
        }
    }
}

//! Environment maps.

use std::f32::consts::{PI, TAU};
use std::path::Path;
use std::sync::Arc;

use sunfleck_image::DEFAULT_DECODE_LIMIT;
use sunfleck_math::{Mat3, Vec3, acos, atan2, sin_cos, vec3};
use sunfleck_scene::{Environment, Texels, Texture};

use super::Importer;
use super::tree::Object;
use crate::environment::linear_texels;
use crate::error::{ImportProblem, ParseError};
use crate::{FileKind, load_environment_bytes};

impl Importer<'_, '_> {
    pub(super) fn envmap(&mut self, object: &Object) -> Result<(), ParseError> {
        object.is_used.set(true);
        object.ignore(&["sampling_weight"]);
        let missing = || object.place.error("the environment map has no \"filename\"");
        let name = object.text("filename")?.ok_or_else(missing)?;
        let (_, bytes) =
            self.file.paths.read(name, FileKind::Image).map_err(|message| object.place.error(message))?;
        let map = load_environment_bytes(Path::new(name), &bytes, DEFAULT_DECODE_LIMIT);
        let map = map.map_err(|error| object.place.error(error.to_string()))?;
        self.report.append(map.report);
        let scale = Vec3::splat(object.float("scale", 1.0)?.max(0.0));
        let turn = object.transform("to_world")?.matrix3;
        let (texture, rotation_y_radians) = match rotation_about_y(turn) {
            // The middle column is at −z in our scenes, at +z in Mitsuba's
            Some(angle) => (map.texture, PI + angle),
            None => {
                let message = "the map is turned about another axis than y: its pixels are computed anew";
                self.omissions.note(&object.place, message);
                let turned = turned(&map.texture, turn);
                (turned.map_err(|problem| object.place.problem(problem))?, 0.0)
            }
        };
        let texture = self.scene.add_texture(texture).map_err(|error| object.place.problem(error.into()))?;
        self.scene
            .set_environment(Environment::Map { texture, rotation_y_radians, scale, rows_at_poles: true })
            .map_err(|error| object.place.problem(error.into()))
    }
}

/// Returns the angle of a rotation about y; `None` if the matrix is something else.
fn rotation_about_y(matrix: Mat3) -> Option<f32> {
    let (y, z) = (matrix.y_axis.try_normalize()?, matrix.z_axis.try_normalize()?);
    let is_rotation = y.abs_diff_eq(Vec3::Y, 1e-6) && z.y.abs() < 1e-6 && matrix.determinant() > 0.0;
    is_rotation.then(|| atan2(z.x, z.z))
}

/// Returns a map in our coordinates that shows `map` as Mitsuba does after a transform. Both have rows at the poles.
fn turned(map: &Texture, to_world: Mat3) -> Result<Texture, ImportProblem> {
    if to_world.determinant() == 0.0 {
        return Err(ImportProblem::Malformed("the transform has no inverse".to_string()));
    }
    let inverse = to_world.inverse();
    let (width, height) = (map.width(), map.height());
    let source = linear_texels(map.texels());
    let mut texels = Vec::with_capacity(source.len());
    for y in 0..height {
        let (sin, cos) = sin_cos(PI * y as f32 / rows_between_poles(height));
        for x in 0..width {
            let (east, north) = sin_cos(TAU * ((x as f32 + 0.5) / width as f32 - 0.5));
            let direction = inverse * vec3(sin * east, cos, -sin * north);
            texels.push(at(&source, (width, height), direction.normalize_or(Vec3::Y)));
        }
    }
    let texture = Texture::new(map.name(), width, height, Texels::Float(Arc::new(texels)))?;
    Ok(texture.with_sampling(map.wrap(), map.filter()))
}

/// Returns the number of rows from one pole to the other; a single row is at both.
fn rows_between_poles(height: u32) -> f32 {
    (height.max(2) - 1) as f32
}

/// Returns the value of a map of Mitsuba in a direction, between the centres of its texels.
fn at(texels: &[[f32; 4]], (width, height): (u32, u32), direction: Vec3) -> [f32; 4] {
    let u = atan2(direction.x, -direction.z) / TAU * width as f32 - 0.5;
    let v = acos(direction.y.clamp(-1.0, 1.0)) / PI * rows_between_poles(height);
    let (left, top) = (u.floor(), v.floor());
    let (fx, fy) = (u - left, v - top);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "indices of texels")]
    let texel = |dx: f32, dy: f32| {
        let column = (left + dx).rem_euclid(width as f32) as usize % width as usize;
        let row = (top + dy).min(height as f32 - 1.0) as usize;
        texels[row * width as usize + column]
    };
    let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let (nw, ne, sw, se) = (texel(0.0, 0.0), texel(1.0, 0.0), texel(0.0, 1.0), texel(1.0, 1.0));
    std::array::from_fn(|c| lerp(lerp(nw[c], ne[c], fx), lerp(sw[c], se[c], fx), fy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::transform::{rotation_x, rotation_y};

    #[test]
    fn rotations_about_y_are_told_from_others() {
        let angle = rotation_about_y(rotation_y(0.7).matrix3 * 2.0).unwrap();
        assert!((angle - 0.7).abs() < 1e-6);
        for other in [rotation_x(0.7).matrix3, Mat3::from_diagonal(vec3(-1.0, 1.0, 1.0))] {
            assert_eq!(rotation_about_y(other), None);
        }
    }

    /// Columns of the map of `mitsuba` 3.9.1: the middle of a map with 8 columns is at +z, column 1.5 at +x.
    #[test]
    fn directions_of_mitsuba() {
        let texels: Vec<[f32; 4]> =
            (0..32u8).map(|i| [f32::from(i % 8), f32::from(i / 8), 0.0, 1.0]).collect();
        let column = |direction| at(&texels, (8, 4), direction)[0];
        assert!(
            [Vec3::X, Vec3::Z, Vec3::NEG_X]
                .map(column)
                .iter()
                .zip([1.5, 3.5, 5.5])
                .all(|(a, b)| (a - b).abs() < 1e-5)
        );
        assert_eq!(at(&texels, (8, 4), Vec3::Y)[1], 0.0);
        assert_eq!(at(&texels, (8, 4), Vec3::NEG_Y)[1], 3.0);
    }

    #[test]
    fn a_turned_map_shows_the_same_in_the_turned_direction() {
        let texels: Vec<[f32; 4]> =
            (0..512u16).map(|i| [f32::from(i % 32), f32::from(i / 32), 1.0, 1.0]).collect();
        let map = Texture::new("map", 32, 16, Texels::Float(Arc::new(texels.clone()))).unwrap();
        let turn = rotation_x(0.5 * PI).matrix3;
        let Texels::Float(turned) = turned(&map, turn).unwrap().texels().clone() else { panic!("floats") };
        // Our column 24 − 0.5 of row 7.5 is at +x, which the rotation keeps: Mitsuba's column 7.5
        let mean = |row: usize, column: usize| {
            0.25 * (turned[row * 32 + column][0]
                + turned[row * 32 + column + 1][0]
                + turned[(row + 1) * 32 + column][0]
                + turned[(row + 1) * 32 + column + 1][0])
        };
        assert!((mean(7, 23) - 7.5).abs() < 0.1, "{}", mean(7, 23));
        // y turns to z, the middle of the edges in our maps; z turns to −y, the last row
        assert!((turned[7 * 32][1] - 0.0).abs() < 1.0 && (turned[8 * 32 + 31][1] - 0.0).abs() < 1.0);
        assert!(turned[15 * 32..].iter().all(|texel| (texel[1] - 7.5).abs() < 1e-4));
    }

    #[test]
    fn a_map_that_is_not_turned_is_shifted_by_half_its_width() {
        let texels: Vec<[f32; 4]> = (0..32u8).map(|i| [f32::from(i), f32::from(i / 8), 1.0, 1.0]).collect();
        let map = Texture::new("map", 8, 4, Texels::Float(Arc::new(texels.clone()))).unwrap();
        let Texels::Float(turned) = turned(&map, Mat3::IDENTITY).unwrap().texels().clone() else {
            panic!("floats")
        };
        for (i, texel) in turned.iter().enumerate() {
            // All directions of a row at a pole are one, in which Mitsuba has the column of atan2(0, 0)
            if (8..24).contains(&i) {
                let expected = texels[i / 8 * 8 + (i + 4) % 8];
                assert!((texel[0] - expected[0]).abs() < 1e-3, "{i}: {texel:?} {expected:?}");
            }
            assert!((texel[1] - (i / 8) as f32).abs() < 1e-4);
        }
    }
}

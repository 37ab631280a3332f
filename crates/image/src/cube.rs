//! Cube maps in one image, and their conversion to latitude-longitude maps.

use std::fmt;

use sunfleck_math::direction::direction_from_equirect;
use sunfleck_math::{Vec2, Vec3, vec2};

use crate::Picture;

/// Arrangement of the six faces of a cube map in an image.
///
/// The faces are seen from inside, with +y up. The one in the middle of a cross, which Direct3D and OpenGL call +z in
/// their left-handed frame, is at −z here, where a camera without a rotation looks; +x is on its right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CubeLayout {
    /// 4 × 3 cells: a row of −x, −z, +x, +z, with +y above and −y below the second one.
    HorizontalCross,
    /// 3 × 4 cells: a row of −x, −z, +x, with +y above its middle, −y below it, and +z, upside down, at the bottom.
    VerticalCross,
    /// A row of +x, −x, +y, −y, −z, +z, each as in [DDS, cube maps].
    Row,
    /// A column of the same faces.
    Column,
}

/// Face of a cube: the direction of its centre, and those in which columns and rows increase.
struct Face {
    center: Vec3,
    right: Vec3,
    down: Vec3,
}

/// Faces in the order of DDS, in a right-handed frame: z is negated.
const FACES: [Face; 6] = [
    Face { center: Vec3::X, right: Vec3::Z, down: Vec3::NEG_Y },
    Face { center: Vec3::NEG_X, right: Vec3::NEG_Z, down: Vec3::NEG_Y },
    Face { center: Vec3::Y, right: Vec3::X, down: Vec3::NEG_Z },
    Face { center: Vec3::NEG_Y, right: Vec3::X, down: Vec3::Z },
    Face { center: Vec3::NEG_Z, right: Vec3::X, down: Vec3::NEG_Y },
    Face { center: Vec3::Z, right: Vec3::NEG_X, down: Vec3::NEG_Y },
];

/// Index of the face that is upside down in a vertical cross.
const BACK: usize = 5;

impl CubeLayout {
    /// Recognises a cube map by its aspect; in crosses, the cells without a face must be plain, too, since photographs
    /// have these aspects.
    pub fn of(picture: &Picture) -> Option<Self> {
        let layout = Self::of_size(picture.width(), picture.height())?;
        layout.unused_cells().all(|cell| layout.is_plain(picture, cell)).then_some(layout)
    }

    /// Returns the width of a face in pixels, if an image of this size may be a cube map.
    pub fn edge_of_size(width: u32, height: u32) -> Option<u32> {
        Self::of_size(width, height).map(|layout| width / layout.cells()[0])
    }

    /// Returns the only layout with the aspect of an image of this size.
    fn of_size(width: u32, height: u32) -> Option<Self> {
        let all = [Self::HorizontalCross, Self::VerticalCross, Self::Row, Self::Column];
        all.into_iter().find(|layout| {
            let [columns, rows] = layout.cells();
            width.is_multiple_of(columns)
                && u64::from(width) * u64::from(rows) == u64::from(height) * u64::from(columns)
        })
    }

    /// Numbers of columns and rows of cells.
    fn cells(self) -> [u32; 2] {
        match self {
            Self::HorizontalCross => [4, 3],
            Self::VerticalCross => [3, 4],
            Self::Row => [6, 1],
            Self::Column => [1, 6],
        }
    }

    /// Column and row of the cell of each face.
    fn places(self) -> [[u32; 2]; 6] {
        match self {
            Self::HorizontalCross => [[2, 1], [0, 1], [1, 0], [1, 2], [1, 1], [3, 1]],
            Self::VerticalCross => [[2, 1], [0, 1], [1, 0], [1, 2], [1, 1], [1, 3]],
            Self::Row => [0, 1, 2, 3, 4, 5].map(|i| [i, 0]),
            Self::Column => [0, 1, 2, 3, 4, 5].map(|i| [0, i]),
        }
    }

    fn unused_cells(self) -> impl Iterator<Item = [u32; 2]> {
        let ([columns, rows], places) = (self.cells(), self.places());
        let all = (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]));
        all.filter(move |cell| !places.contains(cell))
    }

    /// Returns whether all texels of a cell are nearly equal; its border, which lossy compression blurs, is left out.
    fn is_plain(self, picture: &Picture, [column, row]: [u32; 2]) -> bool {
        let edge = picture.width() / self.cells()[0];
        let (start, end) = (edge / 8, edge - edge / 8);
        let texel = |x: u32, y: u32| picture.pixel(column * edge + x, row * edge + y);
        let first = texel(start, start);
        let mut all = (start..end).flat_map(|y| (start..end).map(move |x| (x, y)));
        all.all(|(x, y)| {
            let found = texel(x, y);
            found == first || (found - first).abs().max_element() <= 0.01 * (1.0 + first.abs().max_element())
        })
    }

    /// Converts a cube map to a latitude-longitude map of [`direction_from_equirect`], four times as wide as a face.
    /// Each texel is the mean of four bilinear lookups.
    pub fn latitude_longitude(self, picture: &Picture) -> Picture {
        let edge = picture.width() / self.cells()[0];
        let (width, height) = (4 * edge, 2 * edge);
        let size = vec2(width as f32, height as f32);
        let texel = |x: u32, y: u32| {
            let at = |dx: f32, dy: f32| {
                let uv = vec2(x as f32 + dx, y as f32 + dy) / size;
                self.lookup(picture, edge, direction_from_equirect(uv))
            };
            (at(0.25, 0.25) + at(0.75, 0.25) + at(0.25, 0.75) + at(0.75, 0.75)) * 0.25
        };
        Picture::from_fn(width, height, texel).expect("a face has at least one texel")
    }

    /// Returns the radiance from a direction, interpolated between the texels of one face.
    fn lookup(self, picture: &Picture, edge: u32, direction: Vec3) -> Vec3 {
        let distances = FACES.iter().map(|face| face.center.dot(direction));
        let (nearest, distance) =
            distances.enumerate().fold((0, 0.0), |best, found| if found.1 > best.1 { found } else { best });
        let face = &FACES[nearest];
        let on_face = vec2(face.right.dot(direction), face.down.dot(direction)) / distance;
        let turned = if self == Self::VerticalCross && nearest == BACK { -on_face } else { on_face };
        let [column, row] = self.places()[nearest];
        let position = (turned + Vec2::ONE) * (0.5 * edge as f32) - Vec2::splat(0.5);
        let position = position.clamp(Vec2::ZERO, Vec2::splat((edge - 1) as f32));
        let (first, share) = (position.floor(), position - position.floor());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the face")]
        let [x, y] = [first.x as u32, first.y as u32];
        let texel =
            |x: u32, y: u32| picture.pixel(column * edge + x.min(edge - 1), row * edge + y.min(edge - 1));
        let along = |y: u32| texel(x, y) * (1.0 - share.x) + texel(x + 1, y) * share.x;
        along(y) * (1.0 - share.y) + along(y + 1) * share.y
    }
}

impl fmt::Display for CubeLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HorizontalCross => "a horizontal cross",
            Self::VerticalCross => "a vertical cross",
            Self::Row => "a row of six faces",
            Self::Column => "a column of six faces",
        })
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::direction::equirect_from_direction;
    use sunfleck_math::vec3;

    use super::*;

    /// Returns the brightest direction of the map of a cube that is black but for one texel.
    fn brightest(layout: CubeLayout, edge: u32, bright: [u32; 2]) -> Vec3 {
        let [columns, rows] = layout.cells();
        let picture = Picture::from_fn(columns * edge, rows * edge, |x, y| {
            if [x, y] == bright { Vec3::ONE } else { Vec3::ZERO }
        });
        let picture = picture.unwrap();
        assert_eq!(CubeLayout::of(&picture), Some(layout), "{bright:?}");
        let map = layout.latitude_longitude(&picture);
        assert_eq!((map.width(), map.height()), (4 * edge, 2 * edge));
        let mut sum = Vec3::ZERO;
        for y in 0..map.height() {
            for x in 0..map.width() {
                let uv = vec2(x as f32 + 0.5, y as f32 + 0.5) / vec2(map.width() as f32, map.height() as f32);
                let direction = direction_from_equirect(uv);
                let solid_angle = (1.0 - direction.y * direction.y).max(0.0).sqrt();
                sum += direction * map.pixel(x, y).x * solid_angle;
            }
        }
        sum.try_normalize().unwrap()
    }

    #[test]
    fn a_bright_texel_is_where_its_face_is_seen() {
        // Direction, and the texel of a face of 8 × 8 in a horizontal cross, as a drawing of the cross shows it
        let (near, far) = (0.125 / 1.0, 0.875);
        for (direction, bright) in [
            // The texel right and below of the middle of each face
            (vec3(near, -near, -1.0), [12, 12]),
            (vec3(1.0, -near, near), [20, 12]),
            (vec3(-near, -near, 1.0), [28, 12]),
            (vec3(-1.0, -near, -near), [4, 12]),
            (vec3(near, 1.0, -near), [12, 4]),
            (vec3(near, -1.0, near), [12, 20]),
            // Corners: what is near the edge of a face is near the next one
            (vec3(far, far, -1.0), [15, 8]),
            (vec3(-far, 1.0, -far), [8, 7]),
            (vec3(-far, -1.0, -far), [8, 16]),
        ] {
            let found = brightest(CubeLayout::HorizontalCross, 8, bright);
            let expected = direction.try_normalize().unwrap();
            assert!(found.dot(expected) > 0.995, "{found} instead of {expected}");
        }
    }

    #[test]
    fn the_layouts_have_the_same_faces() {
        let down_right = [5, 6];
        for (face, of_face) in FACES.iter().enumerate() {
            let place = |layout: CubeLayout| layout.places()[face];
            let at = |layout: CubeLayout| {
                let [column, row] = place(layout);
                let [x, y] = down_right;
                let turned = layout == CubeLayout::VerticalCross && face == BACK;
                let [x, y] = if turned { [7 - x, 7 - y] } else { [x, y] };
                brightest(layout, 8, [8 * column + x, 8 * row + y])
            };
            let cross = at(CubeLayout::HorizontalCross);
            for other in [CubeLayout::VerticalCross, CubeLayout::Row, CubeLayout::Column] {
                assert!(cross.dot(at(other)) > 0.9999, "face {face} of {other}");
            }
            assert!(cross.dot(of_face.center) > 0.8, "face {face}");
        }
    }

    #[test]
    fn the_bottom_of_a_vertical_cross_continues_the_face_below() {
        // The last row of −y and the first row of the cell below it are neighbours
        let above = brightest(CubeLayout::VerticalCross, 8, [10, 23]);
        let below = brightest(CubeLayout::VerticalCross, 8, [10, 24]);
        assert!(above.dot(below) > 0.95, "{above} and {below}");
    }

    #[test]
    fn photographs_are_no_cubes() {
        let noise = |x: u32, y: u32| Vec3::splat(((x * 7919 + y * 104_729) % 101) as f32 / 101.0);
        for size in [[64, 48], [48, 64], [64, 32], [7, 1]] {
            let photograph = Picture::from_fn(size[0], size[1], noise).unwrap();
            assert_eq!(CubeLayout::of(&photograph), None, "{size:?}");
        }
    }

    #[test]
    fn a_white_cube_is_a_white_map() {
        let white = Picture::from_fn(24, 4, |_, _| Vec3::ONE).unwrap();
        let map = CubeLayout::Row.latitude_longitude(&white);
        assert!(map.pixels().iter().all(|p| (*p - Vec3::ONE).abs().max_element() < 1e-6));
        assert!(equirect_from_direction(Vec3::NEG_Z) == vec2(0.5, 0.5), "the middle column");
    }
}

//! Triangles in place of shapes, for what knows triangles only.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use sunfleck_math::{Aabb, Shape, UnitShape, Vec2, Vec3, cos, sin, vec2, vec3};

use crate::{Mesh, MeshData};

/// Segments of a circle, if there are few shapes: enough that a sphere looks round.
const MOST_SEGMENTS: u16 = 96;
/// Segments of a circle, however many shapes there are.
const LEAST_SEGMENTS: u16 = 12;
/// Triangles that the shapes of a mesh may have before their circles get fewer segments.
const MOST_TRIANGLES: usize = 1 << 22;

/// Triangles in place of the shapes of a mesh: see [`Mesh::tessellated`].
#[derive(Clone, Debug, PartialEq)]
pub struct Tessellation {
    /// The triangles, with the normals and texture coordinates of the shapes at their corners.
    pub data: MeshData,
    /// Index of the shape of each triangle; empty for a mesh of triangles.
    pub shapes: Vec<u32>,
    /// Bound of the distance of the triangles from round shapes, as a fraction of their radius, and from patches, as a
    /// fraction of half the diagonal of the box around their control points. It is 0 if there are none.
    pub error: f32,
}

impl Mesh {
    /// Returns the mesh with its shapes divided into triangles: the circles of few shapes into 96 segments, those of
    /// many into fewer; patches, along both parameters, into a quarter of that. A mesh of triangles stays as it is.
    pub fn tessellated(&self) -> Tessellation {
        self.tessellated_within(MOST_SEGMENTS, MOST_TRIANGLES)
    }

    /// Returns the mesh with its shapes divided into triangles as [`tessellated`](Self::tessellated) does, but coarser.
    ///
    /// * `most_segments` — segments of a circle, if there are few shapes; at least 12 are made.
    /// * `most_triangles` — triangles that all shapes may have before their circles get fewer segments.
    pub fn tessellated_within(&self, most_segments: u16, most_triangles: usize) -> Tessellation {
        let data = self.data();
        if data.shapes.is_empty() {
            return Tessellation { data: data.clone(), shapes: Vec::new(), error: 0.0 };
        }
        let segments = segments(&data.shapes, most_segments, most_triangles);
        let mut shapes = Vec::new();
        let mut triangles = MeshData { name: data.name.clone(), ..MeshData::default() };
        for (shape, index) in data.shapes.iter().zip(0..) {
            add(shape, segments, self.slot(index), &mut triangles);
            shapes.resize(triangles.triangles.len(), index);
            if let Some(&color) = data.colors.get(index as usize) {
                triangles.colors.resize(triangles.positions.len(), color);
            }
        }
        if data.slots.is_empty() {
            triangles.slots.clear();
        }
        let is_round = |shape: &Shape| {
            !matches!(shape.unit, UnitShape::Rectangle | UnitShape::Cube | UnitShape::Patch(_))
        };
        // On a sphere, half the diagonal of a square whose sides are segments; chords of a circle are half as far away.
        let error = 1.0 - cos(std::f32::consts::SQRT_2 * PI / f32::from(segments));
        let error = if data.shapes.iter().any(is_round) { error } else { 0.0 };
        let of_patches = data.shapes.iter().map(|shape| patch_error(shape, segments / 4));
        let error = of_patches.fold(error, f32::max);
        Tessellation { data: triangles, shapes, error }
    }
}

/// Returns the number of segments of a circle with which the shapes have at most `most_triangles`, an even number.
fn segments(shapes: &[Shape], most_segments: u16, most_triangles: usize) -> u16 {
    let triangles = |segments: u16| {
        let of_shape = |shape: &Shape| match shape.unit {
            UnitShape::Patch(_) => 2 * usize::from(segments / 4) * usize::from(segments / 4),
            UnitShape::Rectangle => 2,
            UnitShape::Cube => 12,
            UnitShape::Sphere => usize::from(segments) * usize::from(segments),
            UnitShape::Disk { .. } | UnitShape::Cylinder | UnitShape::Cone { .. } => {
                2 * usize::from(segments)
            }
        };
        shapes.iter().map(of_shape).sum::<usize>()
    };
    let candidates = (LEAST_SEGMENTS..=most_segments & !1).rev().step_by(2);
    candidates.into_iter().find(|&segments| triangles(segments) <= most_triangles).unwrap_or(LEAST_SEGMENTS)
}

/// Returns a bound of the distance of a patch from the triangles of a grid, as a fraction of half the diagonal of the
/// box around its control points; 0 for other shapes.
///
/// Triangles over a cell of width `h` are within `h² (M_uu + 2 M_uv + M_vv) / 8` of the surface, where the M are bounds of
/// its second derivatives [Filip86, piecewise linear approximation]: differences of the control points, times 6 or,
/// mixed, times 9.
fn patch_error(shape: &Shape, steps: u16) -> f32 {
    let UnitShape::Patch(patch) = &shape.unit else { return 0.0 };
    let points = patch.points().map(|point| shape.object_from_unit.transform_point3(point));
    let at = |i: usize, j: usize| points[4 * j + i];
    let (mut along_u, mut along_v, mut mixed) = (0f32, 0f32, 0f32);
    for j in 0..4 {
        for i in 0..2 {
            along_u = along_u.max((at(i, j) - at(i + 1, j) * 2.0 + at(i + 2, j)).length());
            along_v = along_v.max((at(j, i) - at(j, i + 1) * 2.0 + at(j, i + 2)).length());
        }
    }
    for (i, j) in (0..3).flat_map(|j| (0..3).map(move |i| (i, j))) {
        mixed = mixed.max((at(i, j) - at(i + 1, j) - at(i, j + 1) + at(i + 1, j + 1)).length());
    }
    let width = 1.0 / f32::from(steps);
    let distance = width * width * (6.0 * along_u + 18.0 * mixed + 6.0 * along_v) / 8.0;
    distance / (0.5 * Aabb::from_points(points).diagonal()).max(f32::MIN_POSITIVE)
}

/// Adds the triangles of a shape.
fn add(shape: &Shape, segments: u16, slot: u16, to: &mut MeshData) {
    match shape.unit {
        UnitShape::Patch(ref patch) => {
            let vertex = |u, v| {
                let point = patch.at(vec2(u, v));
                (point.position, point.normal, point.uv)
            };
            add_grid(shape, slot, [segments / 4; 2], vertex, to);
        }
        UnitShape::Rectangle => add_grid(shape, slot, [1, 1], rectangle, to),
        UnitShape::Cube => {
            for side in 0..6u8 {
                add_grid(shape, slot, [1, 1], |a, b| cube_side(side, a, b), to);
            }
        }
        UnitShape::Sphere => add_grid(shape, slot, [segments, segments / 2], sphere, to),
        UnitShape::Disk { hole } => {
            let vertex = |a, b| (radial(a) * (1.0 - b * (1.0 - hole)), Vec3::Z, vec2(a, b));
            add_grid(shape, slot, [segments, 1], vertex, to);
        }
        UnitShape::Cylinder => {
            add_grid(shape, slot, [segments, 1], |a, b| around(a, 1.0, b, radial(a)), to);
        }
        UnitShape::Cone { top } => {
            let normal = |a: f32| radial(a) + Vec3::Z * (1.0 - top);
            add_grid(shape, slot, [segments, 1], |a, b| around(a, 1.0 + (top - 1.0) * b, b, normal(a)), to);
        }
    }
}

/// Point, normal and texture coordinates in unit space.
type Vertex = (Vec3, Vec3, Vec2);

fn radial(a: f32) -> Vec3 {
    vec3(cos(TAU * a), sin(TAU * a), 0.0)
}

/// Vertex at the azimuth `a`, in turns, and a distance from the z axis.
fn around(a: f32, radius: f32, z: f32, normal: Vec3) -> Vertex {
    ((radial(a) * radius).with_z(z), normal, vec2(a, 1.0 - z))
}

fn sphere(a: f32, b: f32) -> Vertex {
    let latitude = PI * b - FRAC_PI_2;
    let n = (radial(a) * cos(latitude).max(0.0)).with_z(sin(latitude));
    (n, n, vec2(a, 1.0 - b))
}

fn rectangle(a: f32, b: f32) -> Vertex {
    (vec3(2.0 * a - 1.0, 2.0 * b - 1.0, 0.0), Vec3::Z, vec2(a, 1.0 - b))
}

fn cube_side(side: u8, a: f32, b: f32) -> Vertex {
    let axis = usize::from(side / 2);
    let mut normal = Vec3::ZERO;
    normal[axis] = if side.is_multiple_of(2) { 1.0 } else { -1.0 };
    let up = vec3(normal.y.abs(), normal.z.abs(), normal.x.abs());
    let right = up.cross(normal);
    (normal + right * (2.0 * a - 1.0) + up * (2.0 * b - 1.0), normal, vec2(a, 1.0 - b))
}

/// Adds a grid of quadrilaterals whose first parameter grows to the right and the second one upwards, seen from the
/// front. Quadrilaterals that a pole or an apex shrinks to triangles are one triangle.
fn add_grid(
    shape: &Shape,
    slot: u16,
    [columns, rows]: [u16; 2],
    vertex: impl Fn(f32, f32) -> Vertex,
    to: &mut MeshData,
) {
    let first = u32::try_from(to.positions.len()).unwrap_or(u32::MAX);
    let m = &shape.object_from_unit;
    let mirrored = m.matrix3.determinant() < 0.0;
    let normal_to_object = m.matrix3.inverse().transpose();
    let side = if shape.flipped { -1.0 } else { 1.0 };
    for row in 0..=rows {
        for column in 0..=columns {
            let (p, n, uv) = vertex(f32::from(column) / f32::from(columns), f32::from(row) / f32::from(rows));
            to.positions.push(m.transform_point3(p));
            to.normals.push((normal_to_object * n).normalize_or(Vec3::Z) * side);
            to.uv0.push(uv);
        }
    }
    let width = u32::from(columns) + 1;
    for row in 0..u32::from(rows) {
        for column in 0..u32::from(columns) {
            let [a, d] = [row, row + 1].map(|row| first + row * width + column);
            let [b, c] = [a + 1, d + 1];
            for mut triangle in [[a, b, c], [a, c, d]] {
                let [p, q, r] = triangle.map(|v| to.positions[v as usize]);
                if p != q && q != r && r != p {
                    if mirrored != shape.flipped {
                        triangle.swap(1, 2);
                    }
                    to.triangles.push(triangle);
                    to.slots.push(slot);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Affine3, Vec4};
    use sunfleck_testkit::shapes::{patches, unit_shapes};

    use super::*;

    fn shapes() -> Vec<Shape> {
        let scale = Affine3::from_scale(vec3(2.0, -0.5, 1.0));
        let both =
            |shape: Shape| [shape.clone(), Shape { flipped: !shape.flipped, ..shape.transformed(&scale) }];
        unit_shapes().map(Shape::new).into_iter().chain(patches()).flat_map(both).collect()
    }

    #[test]
    fn coarse_triangles_know_their_shape() {
        let shapes = vec![Shape::sphere(Vec3::ZERO, 1.0), Shape::new(UnitShape::Rectangle)];
        let mesh = Mesh::new(MeshData { shapes, ..MeshData::default() }).unwrap();
        let coarse = mesh.tessellated_within(16, MOST_TRIANGLES);
        // 16 · 8 quadrilaterals, those at the poles are triangles
        let of_sphere = 2 * 16 * 8 - 2 * 16;
        assert_eq!(coarse.data.triangles.len(), of_sphere + 2);
        assert!(coarse.shapes.iter().enumerate().all(|(i, &shape)| shape == u32::from(i >= of_sphere)));
        assert_eq!(
            mesh.tessellated_within(16, 10).data.triangles.len(),
            2 * 12 * 6 - 2 * 12 + 2,
            "at least 12"
        );
    }

    #[test]
    fn vertices_have_the_colour_of_their_shape() {
        let shapes = [Vec3::ZERO, Vec3::X * 9.0].map(|center| Shape::sphere(center, 1.0)).to_vec();
        let colors = vec![Vec4::new(1.0, 0.0, 0.0, 1.0), Vec4::new(0.0, 0.0, 1.0, 0.5)];
        let mesh = Mesh::new(MeshData { shapes, colors: colors.clone(), ..MeshData::default() }).unwrap();
        let data = mesh.tessellated().data;
        assert_eq!(data.colors.len(), data.positions.len());
        for (position, color) in data.positions.iter().zip(&data.colors) {
            assert_eq!(*color, colors[usize::from(position.x > 4.0)], "at {position}");
        }
    }

    #[test]
    fn triangles_are_on_the_shape_and_face_its_front() {
        for shape in shapes() {
            let mesh = Mesh::new(MeshData { shapes: vec![shape.clone()], ..MeshData::default() }).unwrap();
            let Tessellation { data, error, .. } = mesh.tessellated();
            let unit_from_object = shape.object_from_unit.inverse();
            // What the error is a fraction of
            let size = match &shape.unit {
                UnitShape::Patch(patch) => {
                    let points = patch.points().map(|point| shape.object_from_unit.transform_point3(point));
                    0.5 * Aabb::from_points(points).diagonal()
                }
                _ => 2.0,
            };
            let mut area = 0.0;
            for triangle in &data.triangles {
                let [p, q, r] = triangle.map(|v| data.positions[v as usize]);
                let middle = (p + q + r) / 3.0;
                let location = match shape.unit {
                    // The parameters, from the texture coordinates that patches have by default
                    UnitShape::Patch(_) => {
                        let uv = triangle.iter().map(|&v| data.uv0[v as usize]).sum::<Vec2>() / 3.0;
                        vec2(uv.x, 1.0 - uv.y)
                    }
                    _ => shape.unit.location_of(unit_from_object.transform_point3(middle).as_dvec3()),
                };
                let point = shape.point_at(location);
                let apart = point.corners[0].distance(middle);
                assert!(apart <= size * error + 1e-5, "{shape:?}: {middle} is {apart} away");
                let front = (q - p).cross(r - p);
                let cosine = front.normalize_or(Vec3::Z).dot(shape.normal_at(location));
                assert!(cosine > 0.99, "{shape:?} at {middle}: {cosine}");
                for &v in triangle {
                    assert!(
                        data.normals[v as usize].dot(front.normalize_or(Vec3::Z)) > 0.9,
                        "{shape:?} at {middle}"
                    );
                }
                area += 0.5 * front.length();
            }
            if shape.object_from_unit == Affine3::IDENTITY {
                let expected = shape.unit.area();
                assert!((area / expected - 1.0).abs() < 2e-3, "{shape:?}: area {area}, not {expected}");
            }
        }
    }

    /// The bound is reached by the middles of the largest triangles of a sphere, and many spheres stay within the budget.
    #[test]
    fn many_shapes_have_fewer_triangles_each() {
        for (count, segments) in [(1, 96), (1000, 64), (100_000, 12)] {
            let shapes = vec![Shape::new(UnitShape::Sphere); count];
            let mesh = Mesh::new(MeshData { shapes, ..MeshData::default() }).unwrap();
            let found = super::segments(mesh.shapes(), MOST_SEGMENTS, MOST_TRIANGLES);
            assert_eq!(found, segments, "{count} spheres");
            if count == 100_000 {
                continue;
            }
            let Tessellation { data, error, .. } = mesh.tessellated();
            assert!(data.triangles.len() <= MOST_TRIANGLES, "{}", data.triangles.len());
            let middles = data
                .triangles
                .iter()
                .map(|t| t.map(|v| data.positions[v as usize]).iter().sum::<Vec3>() / 3.0);
            let farthest = middles.map(|middle| 1.0 - middle.length()).fold(0.0, f32::max);
            assert!(farthest < error && farthest > 0.5 * error, "{farthest} and {error}");
        }
    }

    #[test]
    fn texture_coordinates_are_those_of_the_shape() {
        for shape in unit_shapes().map(Shape::new) {
            let mesh = Mesh::new(MeshData { shapes: vec![shape.clone()], ..MeshData::default() }).unwrap();
            let data = mesh.tessellated().data;
            let mut compared = 0;
            for (p, uv) in data.positions.iter().zip(&data.uv0) {
                let location = shape.unit.location_of(p.as_dvec3());
                let found = shape.point_at(location).uv[0];
                // At the seam and at poles they are those of one side
                if uv.x > 0.01 && uv.x < 0.99 && p.truncate().length() > 0.01 && shape.unit != UnitShape::Cube
                {
                    assert!((found - *uv).length() < 1e-4, "{shape:?} at {p}: {found}, not {uv}");
                    compared += 1;
                }
            }
            assert!(
                compared > 90 || matches!(shape.unit, UnitShape::Rectangle | UnitShape::Cube),
                "{shape:?}"
            );
        }
    }
}

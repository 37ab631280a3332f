//! Faces: the triangles of all instances in world space, where possible as quadrilaterals of two triangles.

use std::collections::BTreeMap;

use sunfleck_kernel::{Hit, InstPath};
use sunfleck_math::{Affine3, Vec2, Vec3, vec2};
use sunfleck_scene::Mesh;
use sunfleck_transport::World;

use super::RadiosityError;
use super::contacts::{self, Plane};

/// Two triangles form a quadrilateral only if its corners leave the plane by less than this fraction of its size.
const FLATNESS: f32 = 1e-5;
/// Least sine of the angles of a quadrilateral: others are so narrow that triangles are better.
const LEAST_SINE: f32 = 0.1;

/// Triangle or convex planar quadrilateral of an instance, in world space.
#[derive(Clone, Debug)]
pub(super) struct Face {
    /// Index of the instance.
    pub(super) instance: u32,
    /// Its triangles: one or two.
    triangles: Vec<FaceTriangle>,
    /// Corners, three or four, counter-clockwise seen from the front in object space.
    pub(super) corners: Vec<Vec3>,
    /// Unit normal of the front.
    pub(super) normal: Vec3,
    /// Bound of the rounding error of points on the face, per axis.
    pub(super) position_error: Vec3,
}

/// Triangle of a face, or one that it is a part of.
#[derive(Clone, Copy, Debug)]
struct FaceTriangle {
    /// Index in the mesh.
    prim_id: u32,
    /// Corners, in world space.
    corners: [Vec3; 3],
}

/// Faces of each triangle of each instance: more than one if it is cut.
pub(super) type FacesOfTriangles = Vec<Vec<Vec<u32>>>;

impl Face {
    /// Returns the faces of all instances, and those of each triangle of each instance.
    pub(super) fn all(world: &World) -> Result<(Vec<Self>, FacesOfTriangles), RadiosityError> {
        let meshes: Vec<_> = world.meshes().map(|(_, mesh)| mesh).collect();
        let mut whole = Vec::new();
        let mut faces_of_triangles = Vec::new();
        for (placed, instance) in world.tlas().instances().iter().zip(0..) {
            let Some(mesh) = meshes.get(placed.blas as usize) else {
                faces_of_triangles.push(Vec::new());
                continue;
            };
            if !mesh.shapes().is_empty() {
                return Err(RadiosityError::Shapes { instance });
            }
            faces_of_triangles.push(vec![Vec::new(); mesh.triangles().len()]);
            let groups = grouped(mesh);
            whole.extend(
                groups.iter().map(|group| Self::new(world, instance, &placed.world_from_object, group)),
            );
        }
        let planes: Vec<Plane<'_>> =
            whole.iter().map(|face| Plane { corners: &face.corners, normal: face.normal }).collect();
        let parts = contacts::parts(&planes);
        let mut faces = Vec::new();
        for (face, parts) in whole.iter().zip(parts) {
            for corners in parts {
                let index = u32::try_from(faces.len()).unwrap_or(NO_FACE);
                for triangle in &face.triangles {
                    let of_instance: &mut Vec<Vec<u32>> = &mut faces_of_triangles[face.instance as usize];
                    of_instance[triangle.prim_id as usize].push(index);
                }
                faces.push(Self { corners, ..face.clone() });
            }
        }
        if faces.is_empty() { Err(RadiosityError::Empty) } else { Ok((faces, faces_of_triangles)) }
    }

    fn new(world: &World, instance: u32, world_from_object: &Affine3, group: &Group) -> Self {
        let to_world = |p: Vec3| world_from_object.transform_point3(p);
        let corners: Vec<Vec3> = group.corners.iter().map(|p| to_world(*p)).collect();
        let ng = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        // Where the transform mirrors, the front is on the other side than the order of the corners says
        let mirrored = world_from_object.matrix3.determinant() < 0.0;
        let normal = if mirrored { -ng } else { ng }.normalize_or(Vec3::Y);
        let prim_id = group.triangles[0].0;
        let error_at = |[u, v]: [f32; 2]| {
            let inst_path = InstPath::EMPTY;
            let hit = Hit { t: 0.0, u, v, ng, prim_id, geom_id: 0, inst_id: instance, inst_path };
            world.surface_interaction(&hit, normal, 0.0).position_error
        };
        let error =
            [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(error_at).into_iter().fold(Vec3::ZERO, Vec3::max);
        let triangle =
            |&(prim_id, corners): &(u32, [Vec3; 3])| FaceTriangle { prim_id, corners: corners.map(to_world) };
        Self {
            instance,
            triangles: group.triangles.iter().map(triangle).collect(),
            corners,
            normal,
            // Doubled, since points are interpolated between corners instead of those of the triangle
            position_error: error * 2.0,
        }
    }

    /// Returns the index into a world's material table.
    pub(super) fn material(&self, world: &World) -> u32 {
        world.material_at(self.instance, self.triangles[0].prim_id)
    }

    pub(super) fn has_triangle(&self, prim_id: u32) -> bool {
        self.triangles.iter().any(|triangle| triangle.prim_id == prim_id)
    }

    pub(super) fn is_quad(&self) -> bool {
        self.corners.len() == 4
    }

    /// Returns the position of a point: bilinear in a quadrilateral, barycentric in a triangle.
    pub(super) fn position(&self, at: Vec2) -> Vec3 {
        let Vec2 { x, y } = at;
        match self.corners[..] {
            [a, b, c, d] => (a * (1.0 - x) + b * x) * (1.0 - y) + (d * (1.0 - x) + c * x) * y,
            _ => self.corners[0] * (1.0 - x - y) + self.corners[1] * x + self.corners[2] * y,
        }
    }

    /// Returns the position of a point of one of the triangles of the face.
    pub(super) fn position_on(&self, prim_id: u32, [u, v]: [f32; 2]) -> Vec3 {
        let triangle = self.triangles.iter().find(|triangle| triangle.prim_id == prim_id);
        triangle.map_or(self.corners[0], |FaceTriangle { corners: [a, b, c], .. }| {
            *a * (1.0 - u - v) + *b * u + *c * v
        })
    }

    /// Returns how far a point of the plane is inside the face: the least distance from its edges, negative outside.
    pub(super) fn depth(&self, p: Vec3) -> f32 {
        let [a, b, c] = [0, 1, 2].map(|k| self.corners[k]);
        let n = (b - a).cross(c - a).normalize_or(self.normal);
        let edges = self.corners.iter().zip(self.corners.iter().cycle().skip(1));
        let height = |(&a, &b): (&Vec3, &Vec3)| n.cross(b - a).normalize_or(Vec3::ZERO).dot(p - a);
        edges.map(height).fold(f32::INFINITY, f32::min)
    }

    /// Returns the coordinates of a point of the plane, the inverse of [`Face::position`].
    pub(super) fn coordinates(&self, p: Vec3) -> Vec2 {
        if self.is_quad() {
            return self.bilinear_coordinates(p);
        }
        let [a, b, c] = [0, 1, 2].map(|k| self.corners[k]);
        let [x, y] = barycentric([a, b, c], p);
        vec2(x, y)
    }

    /// Solves `p = a + x e + y f + x y g` in the plane: `y` is a root of a quadratic equation, the one at which the
    /// Jacobian has the sign of the orientation.
    fn bilinear_coordinates(&self, p: Vec3) -> Vec2 {
        let axis = self.normal.abs().max_position();
        let flat = |v: Vec3| vec2(v[(axis + 1) % 3], v[(axis + 2) % 3]);
        let [a, b, c, d] = [0, 1, 2, 3].map(|corner| flat(self.corners[corner] - self.corners[0]));
        let (e, f, g, h) = (b - a, d - a, a - b + c - d, flat(p - self.corners[0]));
        let (square, linear, constant) = (-f.perp_dot(g), h.perp_dot(g) - f.perp_dot(e), h.perp_dot(e));
        let root = (linear * linear - 4.0 * square * constant).max(0.0).sqrt();
        let root = if e.perp_dot(f) < 0.0 { -root } else { root };
        let y = if linear * root >= 0.0 {
            -2.0 * constant / (linear + root)
        } else {
            (root - linear) / (2.0 * square)
        };
        let across = e + g * y;
        let x = (h - f * y).dot(across) / across.length_squared();
        let inside = |x: f32| if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.5 };
        vec2(inside(x), inside(y))
    }

    /// Returns the triangle at a point of the plane, and its barycentric coordinates there.
    pub(super) fn triangle_at(&self, p: Vec3) -> (u32, [f32; 2]) {
        let least = |[u, v]: [f32; 2]| u.min(v).min(1.0 - u - v);
        let first = barycentric(self.triangles[0].corners, p);
        match self.triangles.get(1).map(|second| (second, barycentric(second.corners, p))) {
            Some((second, uv)) if least(uv) > least(first) => (second.prim_id, uv),
            _ => (self.triangles[0].prim_id, first),
        }
    }
}

/// Returns the barycentric coordinates of the second and third corner at a point of the plane.
fn barycentric([a, b, c]: [Vec3; 3], p: Vec3) -> [f32; 2] {
    let n = (b - a).cross(c - a);
    let scale = n.length_squared().recip();
    [(p - a).cross(c - a).dot(n) * scale, (b - a).cross(p - a).dot(n) * scale]
}

/// Face index of triangles without an area.
pub(super) const NO_FACE: u32 = u32::MAX;

/// One or two triangles that form a face, in object space.
struct Group {
    /// Index and corners of each triangle.
    triangles: Vec<(u32, [Vec3; 3])>,
    corners: Vec<Vec3>,
}

/// Directed edge between two positions, by their bits.
type Edge = [[u32; 3]; 2];

fn edge(from: Vec3, to: Vec3) -> Edge {
    // + 0 turns the negative zero into the positive one
    [from, to].map(|p| (p + Vec3::ZERO).to_array().map(f32::to_bits))
}

/// Pairs the triangles of a mesh along their longest edges.
fn grouped(mesh: &Mesh) -> Vec<Group> {
    let count = u32::try_from(mesh.triangles().len()).unwrap_or(u32::MAX);
    let has_area = |t: u32| {
        let [a, b, c] = mesh.corners(t);
        (b - a).cross(c - a) != Vec3::ZERO
    };
    let mut by_edge = BTreeMap::new();
    for t in (0..count).filter(|&t| has_area(t)) {
        let p = mesh.corners(t);
        for k in 0..3u8 {
            by_edge.entry(edge(p[usize::from(k)], p[usize::from((k + 1) % 3)])).or_insert((t, k));
        }
    }
    let mut used = vec![false; count as usize];
    let mut groups = Vec::new();
    for t in (0..count).filter(|&t| has_area(t)) {
        if used[t as usize] {
            continue;
        }
        let p = mesh.corners(t);
        let length = |k: u8| p[usize::from(k)].distance_squared(p[usize::from((k + 1) % 3)]);
        let mut edges = [0u8, 1, 2];
        edges.sort_by(|&a, &b| length(b).total_cmp(&length(a)));
        let pair = edges.into_iter().find_map(|k| {
            let &(other, k_other) = by_edge.get(&edge(p[usize::from((k + 1) % 3)], p[usize::from(k)]))?;
            let free = other != t && !used[other as usize] && mesh.slot(other) == mesh.slot(t);
            if free { quadrilateral(mesh, (t, k), (other, k_other)) } else { None }
        });
        let group = pair.unwrap_or_else(|| Group { triangles: vec![(t, p)], corners: p.to_vec() });
        for triangle in &group.triangles {
            used[triangle.0 as usize] = true;
        }
        groups.push(group);
    }
    groups
}

/// Returns the quadrilateral of two triangles that share an edge, if it is planar and convex.
///
/// * `(t, k)`, `(other, k_other)` — the triangles, and the number of the shared edge in each.
fn quadrilateral(mesh: &Mesh, (t, k): (u32, u8), (other, k_other): (u32, u8)) -> Option<Group> {
    // Corners: 0 and 2 are the ends of the shared edge, 1 is the other one of t, 3 that of the second triangle
    let (p, q) = (mesh.corners(t), mesh.corners(other));
    let next = |k: u8, steps: u8| usize::from((k + steps) % 3);
    let corners = vec![p[next(k, 1)], p[next(k, 2)], p[next(k, 0)], q[next(k_other, 2)]];
    let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize()?;
    let size = corners[0].distance(corners[2]);
    let is_flat = n.dot(corners[3] - corners[0]).abs() <= FLATNESS * size;
    let is_convex = (0..4).all(|corner| {
        let [before, here, after] = [corner + 3, corner, corner + 1].map(|i| corners[i % 4]);
        let (a, b) = (here - before, after - here);
        a.cross(b).dot(n) >= LEAST_SINE * a.length() * b.length()
    });
    (is_flat && is_convex).then(|| Group { triangles: vec![(t, p), (other, q)], corners })
}

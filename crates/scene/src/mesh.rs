use serde::{Deserialize, Serialize};
use sunfleck_math::{Aabb, Shape, Vec2, Vec3, Vec4};

/// Arrays of a mesh, not validated; [`Mesh::new`] validates them.
///
/// A mesh is made of triangles or of shapes. Vertex arrays are either empty (the mesh does not have the attribute) or as
/// long as `positions`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MeshData {
    /// Name, for display only.
    pub name: String,
    /// Vertex positions in object space, metres.
    pub positions: Vec<Vec3>,
    /// Shading normals in object space, of any positive length.
    pub normals: Vec<Vec3>,
    /// Tangents in object space; `w` = ±1 is the handedness, as in glTF.
    pub tangents: Vec<Vec4>,
    /// First texture coordinates; (0, 0) is the upper left corner of the image, as in glTF.
    pub uv0: Vec<Vec2>,
    /// Second texture coordinates.
    pub uv1: Vec<Vec2>,
    /// Linear colours with alpha, which multiply the material's base colour: of vertices, or of shapes.
    pub colors: Vec<Vec4>,
    /// Vertex indices; triangles are counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Spheres, disks, cylinders and other shapes in object space; empty for a mesh of triangles.
    pub shapes: Vec<Shape>,
    /// Material slot of each triangle or shape; if empty, all use slot 0.
    pub slots: Vec<u16>,
}

impl MeshData {
    /// Returns the memory of the arrays in bytes.
    pub fn byte_count(&self) -> usize {
        fn bytes<T>(values: &[T]) -> usize {
            size_of_val(values)
        }
        let Self { name: _, positions, normals, tangents, uv0, uv1, colors, triangles, shapes, slots } = self;
        let of_vertices = bytes(positions) + bytes(normals) + bytes(tangents) + bytes(colors);
        of_vertices + bytes(uv0) + bytes(uv1) + bytes(triangles) + bytes(shapes) + bytes(slots)
    }
}

/// Error of [`Mesh::new`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A triangle uses a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {vertices} vertices")]
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// Vertex index that is out of range.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A per-vertex or per-triangle array has the wrong length.
    #[error("there are {found} {array}, expected {expected}")]
    Length {
        /// Name of the array.
        array: &'static str,
        /// Length of the array.
        found: usize,
        /// Required length; 0 is allowed, too.
        expected: usize,
    },
    /// A vertex attribute is NaN or infinite.
    #[error("vertex {vertex} has a {attribute} that is not a finite number")]
    NotFinite {
        /// Name of the attribute.
        attribute: &'static str,
        /// Index of the vertex.
        vertex: usize,
    },
    /// A shape has no area, or a value that is not a finite number or out of its range.
    #[error("shape {shape} has no area, or a value that is not allowed")]
    Shape {
        /// Index of the shape.
        shape: usize,
    },
    /// There are vertices or triangles beside shapes.
    #[error("a mesh of shapes cannot have vertices or triangles, too")]
    Mixed,
    /// There are more elements than 32-bit indices can address.
    #[error("the mesh has more than 2^32 - 1 vertices, triangles or shapes")]
    TooLarge,
}

/// Validated mesh of triangles or of shapes: every index is in range, every number is finite, every shape has an area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "MeshData", into = "MeshData")]
pub struct Mesh {
    data: MeshData,
    bounds: Aabb,
    slot_count: u16,
}

impl Mesh {
    /// Validates `data`. Errors: [`MeshError`], of the first problem found.
    pub fn new(data: MeshData) -> Result<Self, MeshError> {
        let vertices = data.positions.len();
        let primitives = data.triangles.len() + data.shapes.len();
        if u32::try_from(vertices).is_err() || u32::try_from(primitives).is_err() {
            return Err(MeshError::TooLarge);
        }
        if !data.shapes.is_empty() && (vertices != 0 || !data.triangles.is_empty()) {
            return Err(MeshError::Mixed);
        }
        let lengths = [
            ("normals", data.normals.len(), vertices),
            ("tangents", data.tangents.len(), vertices),
            ("texture coordinates", data.uv0.len(), vertices),
            ("second texture coordinates", data.uv1.len(), vertices),
            ("colours", data.colors.len(), if data.shapes.is_empty() { vertices } else { primitives }),
            ("material slots", data.slots.len(), primitives),
        ];
        if let Some(&(array, found, expected)) =
            lengths.iter().find(|(_, found, n)| *found != 0 && found != n)
        {
            return Err(MeshError::Length { array, found, expected });
        }
        let not_finite = |attribute, vertex: Option<usize>| match vertex {
            Some(vertex) => Err(MeshError::NotFinite { attribute, vertex }),
            None => Ok(()),
        };
        not_finite("position", data.positions.iter().position(|v| !v.is_finite()))?;
        not_finite("normal", data.normals.iter().position(|v| !v.is_finite()))?;
        not_finite("tangent", data.tangents.iter().position(|v| !v.is_finite()))?;
        not_finite("texture coordinate", data.uv0.iter().position(|v| !v.is_finite()))?;
        not_finite("second texture coordinate", data.uv1.iter().position(|v| !v.is_finite()))?;
        not_finite("colour", data.colors.iter().position(|v| !v.is_finite()))?;
        for (triangle, corners) in data.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
                return Err(MeshError::Index { triangle, vertex, vertices });
            }
        }
        if let Some(shape) = data.shapes.iter().position(|shape| !shape.is_valid()) {
            return Err(MeshError::Shape { shape });
        }
        let bounds = Aabb::from_points(data.triangles.iter().flatten().map(|&v| data.positions[v as usize]));
        let bounds = data.shapes.iter().fold(bounds, |bounds, shape| bounds.union(shape.bounds()));
        let slot_count = data.slots.iter().copied().max().map_or(1, |slot| slot.saturating_add(1));
        Ok(Self { data, bounds, slot_count })
    }

    /// Returns all arrays.
    pub fn data(&self) -> &MeshData {
        &self.data
    }

    /// Returns the arrays by value, to change and validate them again.
    pub fn into_data(self) -> MeshData {
        self.data
    }

    /// Returns the name, which is for display only.
    pub fn name(&self) -> &str {
        &self.data.name
    }

    /// Returns the vertex positions in object space.
    pub fn positions(&self) -> &[Vec3] {
        &self.data.positions
    }

    /// Returns the vertex indices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.data.triangles
    }

    /// Returns the shapes in object space; empty for a mesh of triangles.
    pub fn shapes(&self) -> &[Shape] {
        &self.data.shapes
    }

    /// Returns the number of triangles or shapes.
    pub fn primitive_count(&self) -> usize {
        self.data.triangles.len() + self.data.shapes.len()
    }

    /// Returns the vertex positions of a triangle in object space. Panics if `triangle` is out of range.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.data.triangles[triangle as usize].map(|v| self.data.positions[v as usize])
    }

    /// Returns the material slot of a triangle or shape, which is less than [`Mesh::slot_count`].
    #[inline]
    pub fn slot(&self, primitive: u32) -> u16 {
        self.data.slots.get(primitive as usize).copied().unwrap_or(0)
    }

    /// Returns the number of materials that an instance must have; at least 1.
    pub fn slot_count(&self) -> u16 {
        self.slot_count
    }

    /// Returns the bounds of all triangles or shapes in object space.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }
}

impl TryFrom<MeshData> for Mesh {
    type Error = MeshError;
    fn try_from(data: MeshData) -> Result<Self, MeshError> {
        Self::new(data)
    }
}

impl From<Mesh> for MeshData {
    fn from(mesh: Mesh) -> Self {
        mesh.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::vec3;

    fn triangle() -> MeshData {
        MeshData {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..MeshData::default()
        }
    }

    #[test]
    fn bounds_and_slots() {
        let mesh = Mesh::new(MeshData { slots: vec![4], ..triangle() }).unwrap();
        assert_eq!(mesh.bounds().max, vec3(1.0, 1.0, 0.0));
        assert_eq!(mesh.slot_count(), 5);
        assert_eq!(mesh.slot(0), 4);
    }

    #[test]
    fn every_array_is_counted() {
        assert_eq!(triangle().byte_count(), 3 * 12 + 12);
        let data = MeshData {
            normals: vec![Vec3::Z; 3],
            tangents: vec![Vec4::X; 3],
            uv0: vec![Vec2::ZERO; 3],
            uv1: vec![Vec2::ZERO; 3],
            colors: vec![Vec4::ONE; 3],
            slots: vec![0],
            ..triangle()
        };
        assert_eq!(data.byte_count(), 3 * (12 + 12 + 16 + 8 + 8 + 16) + 12 + 2);
    }

    #[test]
    fn errors_name_the_element() {
        let bad_index = MeshData { triangles: vec![[0, 1, 3]], ..triangle() };
        assert_eq!(Mesh::new(bad_index), Err(MeshError::Index { triangle: 0, vertex: 3, vertices: 3 }));
        let nan = MeshData { positions: vec![Vec3::ZERO, Vec3::NAN, Vec3::Y], ..triangle() };
        assert_eq!(Mesh::new(nan), Err(MeshError::NotFinite { attribute: "position", vertex: 1 }));
        let short = MeshData { normals: vec![Vec3::Z; 2], ..triangle() };
        assert_eq!(Mesh::new(short), Err(MeshError::Length { array: "normals", found: 2, expected: 3 }));
    }

    #[test]
    fn a_mesh_of_shapes_has_no_vertices_and_only_valid_shapes() {
        let ball = Shape::sphere(vec3(0.0, 1.0, 0.0), 2.0);
        let mesh = Mesh::new(MeshData { shapes: vec![ball.clone()], ..MeshData::default() }).unwrap();
        assert!(mesh.bounds().max.abs_diff_eq(vec3(2.0, 3.0, 2.0), 1e-5));
        assert_eq!((mesh.primitive_count(), mesh.slot_count()), (1, 1));
        let mixed = MeshData { shapes: vec![ball.clone()], ..triangle() };
        assert_eq!(Mesh::new(mixed), Err(MeshError::Mixed));
        let colored = |count| MeshData {
            colors: vec![Vec4::ONE; count],
            shapes: vec![ball.clone()],
            ..MeshData::default()
        };
        assert!(Mesh::new(colored(1)).is_ok());
        let error = MeshError::Length { array: "colours", found: 2, expected: 1 };
        assert_eq!(Mesh::new(colored(2)), Err(error));
        let shapes = vec![ball, Shape::sphere(Vec3::ZERO, 0.0)];
        let flat = MeshData { shapes, ..MeshData::default() };
        assert_eq!(Mesh::new(flat), Err(MeshError::Shape { shape: 1 }));
    }

    #[test]
    fn an_invalid_mesh_cannot_be_deserialised() {
        let good = serde_json::to_string(&Mesh::new(triangle()).unwrap()).unwrap();
        assert!(serde_json::from_str::<Mesh>(&good).is_ok());
        assert!(serde_json::from_str::<Mesh>(&good.replace("[0,1,2]", "[0,1,9]")).is_err());
    }
}

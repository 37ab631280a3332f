use serde::{Deserialize, Serialize};
use sunfleck_math::{Aabb, Vec2, Vec3, Vec4};

/// The arrays of a triangle mesh, unchecked; [`Mesh::new`] checks them.
///
/// Vertex arrays are either empty (the mesh lacks that attribute) or as long as `positions`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MeshData {
    /// For people.
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
    /// Linear colour and alpha, multiplied with the material's base colour.
    pub colors: Vec<Vec4>,
    /// Vertex indices; counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Material slot of each triangle; empty: all use slot 0.
    pub slots: Vec<u16>,
}

/// Why [`Mesh::new`] refused its data.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {vertices} vertices")]
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// The bad vertex index.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A per-vertex or per-triangle array has the wrong length.
    #[error("there are {found} {array}, expected {expected}")]
    Length {
        /// Which array.
        array: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have (or 0).
        expected: usize,
    },
    /// A vertex attribute is NaN or infinite.
    #[error("vertex {vertex} has a {attribute} that is not a finite number")]
    NotFinite {
        /// Which attribute.
        attribute: &'static str,
        /// Index of the vertex.
        vertex: usize,
    },
    /// More elements than 32-bit indices can name.
    #[error("the mesh has more than 2^32 - 1 vertices or triangles")]
    TooLarge,
}

/// A checked triangle mesh: every index is in range, every number finite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "MeshData", into = "MeshData")]
pub struct Mesh {
    data: MeshData,
    bounds: Aabb,
    slot_count: u16,
}

impl Mesh {
    /// Checks `data`. Errors: [`MeshError`]; the first fault found.
    pub fn new(data: MeshData) -> Result<Self, MeshError> {
        let vertices = data.positions.len();
        if u32::try_from(vertices).is_err() || u32::try_from(data.triangles.len()).is_err() {
            return Err(MeshError::TooLarge);
        }
        let lengths = [
            ("normals", data.normals.len(), vertices),
            ("tangents", data.tangents.len(), vertices),
            ("texture coordinates", data.uv0.len(), vertices),
            ("second texture coordinates", data.uv1.len(), vertices),
            ("vertex colours", data.colors.len(), vertices),
            ("material slots", data.slots.len(), data.triangles.len()),
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
        let bounds = Aabb::from_points(data.triangles.iter().flatten().map(|&v| data.positions[v as usize]));
        let slot_count = data.slots.iter().copied().max().map_or(1, |slot| slot.saturating_add(1));
        Ok(Self { data, bounds, slot_count })
    }

    /// All arrays.
    pub fn data(&self) -> &MeshData {
        &self.data
    }

    /// Takes the arrays out, for changing and checking again.
    pub fn into_data(self) -> MeshData {
        self.data
    }

    /// For people.
    pub fn name(&self) -> &str {
        &self.data.name
    }

    /// Vertex positions, object space.
    pub fn positions(&self) -> &[Vec3] {
        &self.data.positions
    }

    /// Vertex indices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.data.triangles
    }

    /// Corner positions of a triangle, object space. Panics if `triangle` is out of range, as indexing does.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.data.triangles[triangle as usize].map(|v| self.data.positions[v as usize])
    }

    /// Material slot of a triangle, less than [`Mesh::slot_count`].
    #[inline]
    pub fn slot(&self, triangle: u32) -> u16 {
        self.data.slots.get(triangle as usize).copied().unwrap_or(0)
    }

    /// How many materials an instance must bring; at least 1.
    pub fn slot_count(&self) -> u16 {
        self.slot_count
    }

    /// Box of all triangles, object space.
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
    fn faults_are_named() {
        let bad_index = MeshData { triangles: vec![[0, 1, 3]], ..triangle() };
        assert_eq!(Mesh::new(bad_index), Err(MeshError::Index { triangle: 0, vertex: 3, vertices: 3 }));
        let nan = MeshData { positions: vec![Vec3::ZERO, Vec3::NAN, Vec3::Y], ..triangle() };
        assert_eq!(Mesh::new(nan), Err(MeshError::NotFinite { attribute: "position", vertex: 1 }));
        let short = MeshData { normals: vec![Vec3::Z; 2], ..triangle() };
        assert_eq!(Mesh::new(short), Err(MeshError::Length { array: "normals", found: 2, expected: 3 }));
    }

    #[test]
    fn a_bad_mesh_cannot_be_deserialised() {
        let good = serde_json::to_string(&Mesh::new(triangle()).unwrap()).unwrap();
        assert!(serde_json::from_str::<Mesh>(&good).is_ok());
        assert!(serde_json::from_str::<Mesh>(&good.replace("[0,1,2]", "[0,1,9]")).is_err());
    }
}

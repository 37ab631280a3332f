//! Deformation of vertices: morph targets first, then linear blend skinning, as glTF specifies.

use sunfleck_math::{Affine3, Mat3, Vec3, Vec4};

use crate::{Deformer, Influences, Mesh, MeshData, MeshError, MorphTarget, Skin};

impl Deformer {
    /// Deforms the base by morph targets and joints. The triangles stay the same; positions, normals and tangents
    /// change.
    ///
    /// * `weights` — weights of the morph targets.
    /// * `object_from_bind` — transform of each joint from the bind pose to the object space of the mesh; ignored
    ///   without a skin.
    ///
    /// Errors: [`MeshError::NotFinite`], if a result overflows.
    pub fn deformed(&self, weights: &[f32], object_from_bind: &[Affine3]) -> Result<Mesh, MeshError> {
        let mut data = self.base.data().clone();
        for (target, &weight) in self.targets.iter().zip(weights) {
            if weight != 0.0 {
                morph(&mut data, target, weight);
            }
        }
        if let Some(skin) = &self.skin {
            skin_vertices(&mut data, skin, object_from_bind);
        }
        Mesh::new(data)
    }
}

/// Adds the displacements of a morph target, multiplied by its weight.
fn morph(data: &mut MeshData, target: &MorphTarget, weight: f32) {
    let add = |values: &mut [Vec3], displacements: &[Vec3]| {
        for (value, &displacement) in values.iter_mut().zip(displacements) {
            *value += displacement * weight;
        }
    };
    add(&mut data.positions, &target.positions);
    add(&mut data.normals, &target.normals);
    for (tangent, &displacement) in data.tangents.iter_mut().zip(&target.tangents) {
        *tangent += (displacement * weight).extend(0.0);
    }
}

/// Transforms positions, normals and tangents by linear blend skinning. Vertices without weights are unchanged.
fn skin_vertices(data: &mut MeshData, skin: &Skin, object_from_bind: &[Affine3]) {
    for vertex in 0..data.positions.len() {
        let Some(blended) = blended_transform(&skin.influences, vertex, object_from_bind) else { continue };
        let position = &mut data.positions[vertex];
        *position = blended.transform_point3(*position);
        if let Some(normal) = data.normals.get_mut(vertex) {
            *normal = normalized_or(cofactor(&blended.matrix3) * *normal, *normal);
        }
        if let Some(tangent) = data.tangents.get_mut(vertex) {
            let direction = tangent.truncate();
            *tangent = Vec4::from((normalized_or(blended.matrix3 * direction, direction), tangent.w));
        }
    }
}

/// Returns the weighted mean of the transforms of a vertex's joints; `None` if all weights are 0.
fn blended_transform(
    influences: &[Influences],
    vertex: usize,
    object_from_bind: &[Affine3],
) -> Option<Affine3> {
    let mut sum = [0.0; 12];
    let mut total = 0.0;
    for set in influences {
        let (Some(joints), Some(weights)) = (set.joints.get(vertex), set.weights.get(vertex)) else {
            continue;
        };
        for (&joint, &weight) in joints.iter().zip(weights) {
            let Some(matrix) = object_from_bind.get(usize::from(joint)).filter(|_| weight != 0.0) else {
                continue;
            };
            total += weight;
            for (sum, element) in sum.iter_mut().zip(matrix.to_cols_array()) {
                *sum += weight * element;
            }
        }
    }
    // Weights are rounded in files, so their sum is only approximately 1
    (total > 0.0).then(|| Affine3::from_cols_array(&sum.map(|element| element / total)))
}

/// Returns the cofactor matrix, which transforms normals: the inverse transpose up to a factor, but also defined for
/// singular matrices.
fn cofactor(m: &Mat3) -> Mat3 {
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y))
}

/// Returns `new` normalised, or `old` if the length of `new` is 0 or not finite.
fn normalized_or(new: Vec3, old: Vec3) -> Vec3 {
    new.try_normalize().unwrap_or(old)
}

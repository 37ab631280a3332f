//! The vertices of a deformed mesh: morph targets first, then joints, as glTF says.

use sunfleck_math::{Affine3, Mat3, Vec3, Vec4};

use crate::{Deformer, Influences, Mesh, MeshData, MeshError, MorphTarget, Skin};

impl Deformer {
    /// The base with other weights and joints: the same triangles, other positions, normals and tangents.
    ///
    /// * `object_from_bind` — for each joint, from where the base was bound to where it is now, in the space of the mesh;
    ///   without a skin it is not looked at.
    ///
    /// Errors: [`MeshError::NotFinite`], where numbers grow beyond all bounds.
    pub fn deformed(&self, weights: &[f32], object_from_bind: &[Affine3]) -> Result<Mesh, MeshError> {
        let mut data = self.base.data().clone();
        for (target, &weight) in self.targets.iter().zip(weights) {
            if weight != 0.0 {
                morph(&mut data, target, weight);
            }
        }
        if let Some(skin) = &self.skin {
            bend(&mut data, skin, object_from_bind);
        }
        Mesh::new(data)
    }
}

fn morph(data: &mut MeshData, target: &MorphTarget, weight: f32) {
    let add = |values: &mut [Vec3], differences: &[Vec3]| {
        for (value, &difference) in values.iter_mut().zip(differences) {
            *value += difference * weight;
        }
    };
    add(&mut data.positions, &target.positions);
    add(&mut data.normals, &target.normals);
    for (tangent, &difference) in data.tangents.iter_mut().zip(&target.tangents) {
        *tangent += (difference * weight).extend(0.0);
    }
}

fn bend(data: &mut MeshData, skin: &Skin, object_from_bind: &[Affine3]) {
    for vertex in 0..data.positions.len() {
        let Some(blended) = blended(&skin.influences, vertex, object_from_bind) else { continue };
        let position = &mut data.positions[vertex];
        *position = blended.transform_point3(*position);
        if let Some(normal) = data.normals.get_mut(vertex) {
            *normal = turned(cofactor(&blended.matrix3) * *normal, *normal);
        }
        if let Some(tangent) = data.tangents.get_mut(vertex) {
            let along = tangent.truncate();
            *tangent = Vec4::from((turned(blended.matrix3 * along, along), tangent.w));
        }
    }
}

/// The transform of a vertex; nothing if no joint has a weight.
fn blended(influences: &[Influences], vertex: usize, object_from_bind: &[Affine3]) -> Option<Affine3> {
    let mut sum = [0.0; 12];
    let mut total = 0.0;
    for four in influences {
        let (Some(joints), Some(weights)) = (four.joints.get(vertex), four.weights.get(vertex)) else {
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
    // Weights are rounded in files, so their sum is only about 1
    (total > 0.0).then(|| Affine3::from_cols_array(&sum.map(|element| element / total)))
}

/// What takes normals along with `m`: its inverse transpose, but for a factor; good for singular matrices too.
fn cofactor(m: &Mat3) -> Mat3 {
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y))
}

/// Of length 1; the old direction where the new one is none.
fn turned(new: Vec3, old: Vec3) -> Vec3 {
    new.try_normalize().unwrap_or(old)
}

//! Repair of vertex attributes that are not finite, and of normals and tangents without a direction.

use sunfleck_math::{Vec2, Vec3, Vec4};

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::normals::{area_normal, is_direction};
use crate::tangents::any_tangent;

use super::primitive::Vertices;

/// Repairs vertices, and removes triangles with a vertex whose position is not finite. Returns whether it changed
/// anything.
///
/// * `triangles` — vertex indices, all in range.
/// * `path` — JSON path of the attributes.
pub(super) fn repair(
    vertices: &mut Vertices,
    triangles: &mut Vec<[u32; 3]>,
    faults: &mut Faults,
    path: &str,
) -> bool {
    let mut any = false;
    let mut add = |fault, count, attribute: &str, problem: &str| {
        any |= count > 0;
        let location = || FileLocation::Json(format!("{path}{attribute}"));
        faults.add(fault, count, || ParseError::malformed(location(), problem));
    };
    let bad_position: Vec<bool> = vertices.positions.iter().map(|p| !p.is_finite()).collect();
    let all = triangles.len();
    triangles.retain(|triangle| triangle.iter().all(|&v| !bad_position[v as usize]));
    let problem = "a vertex has a coordinate that is not a finite number";
    add(Fault::TriangleVertex, all - triangles.len(), ".POSITION", problem);
    let changed = replace(&mut vertices.positions, |p| !p.is_finite(), |_| Vec3::ZERO);

    let count = vertices.normals.iter().filter(|n| !is_direction(**n)).count();
    add(Fault::Normal, count, ".NORMAL", "a normal has no direction");
    if count > 0 {
        let mut computed = vec![Vec3::ZERO; vertices.positions.len()];
        for triangle in &*triangles {
            let normal = area_normal(triangle.map(|v| vertices.positions[v as usize]));
            triangle.iter().for_each(|&v| computed[v as usize] += normal);
        }
        replace(&mut vertices.normals, |n| !is_direction(*n), |v| computed[v].normalize_or(Vec3::Y));
    }
    // A tangent belongs to its normal
    let (normals, tangents) = (&vertices.normals, &mut vertices.tangents);
    let is_bad = |t: &Vec4| !is_direction(t.truncate()) || !t.w.is_finite();
    let count = replace(tangents, is_bad, |v| any_tangent(normals.get(v).copied().unwrap_or(Vec3::Y)));
    add(Fault::Tangent, count, ".TANGENT", "a tangent has no direction, or no sign of the bitangent");
    for uvs in &mut vertices.uvs {
        let count = replace(uvs, |uv| !uv.is_finite(), |_| Vec2::ZERO);
        add(Fault::TextureCoordinate, count, "", "a texture coordinate is not a finite number");
    }
    let count = replace(&mut vertices.colors, |color| !color.is_finite(), |_| Vec4::ONE);
    add(Fault::VertexColor, count, ".COLOR_0", "a colour is not finite");
    for target in &mut vertices.targets {
        let arrays = [&mut target.positions, &mut target.normals, &mut target.tangents];
        let count: usize =
            arrays.into_iter().map(|array| replace(array, |d| !d.is_finite(), |_| Vec3::ZERO)).sum();
        add(Fault::Displacement, count, "", "a displacement is not finite");
    }
    any || changed > 0
}

/// Replaces bad values, given their vertex. Returns their number.
fn replace<T>(values: &mut [T], is_bad: impl Fn(&T) -> bool, good: impl Fn(usize) -> T) -> usize {
    let mut count = 0;
    for (vertex, value) in values.iter_mut().enumerate().filter(|(_, value)| is_bad(value)) {
        *value = good(vertex);
        count += 1;
    }
    count
}

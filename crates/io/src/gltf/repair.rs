//! Repair of vertex attributes that are not finite, and of normals and tangents without a direction.

use sunfleck_math::{Vec2, Vec3, Vec4};

use crate::normals::area_normal;
use crate::tangents::any_tangent;

use super::faults::Faults;
use super::primitive::Vertices;

/// Repairs vertices, and removes triangles with a vertex whose position is not finite.
///
/// * `triangles` — vertex indices, all in range.
/// * `path` — JSON path of the attributes.
pub(super) fn repair(
    vertices: &mut Vertices,
    triangles: &mut Vec<[u32; 3]>,
    faults: &mut Faults,
    path: &str,
) {
    let bad_position: Vec<bool> = vertices.positions.iter().map(|p| !p.is_finite()).collect();
    let all = triangles.len();
    triangles.retain(|triangle| triangle.iter().all(|&v| !bad_position[v as usize]));
    let skipped = all - triangles.len();
    faults.repair("triangles skipped, since a vertex is not finite", skipped, &format!("{path}.POSITION"));
    replace(&mut vertices.positions, |p| !p.is_finite(), |_| Vec3::ZERO);

    let bad_normal: Vec<bool> = vertices.normals.iter().map(|n| n.try_normalize().is_none()).collect();
    let count = bad_normal.iter().filter(|bad| **bad).count();
    faults.repair("invalid normals, which are computed instead", count, &format!("{path}.NORMAL"));
    if count > 0 {
        let mut computed = vec![Vec3::ZERO; vertices.positions.len()];
        for triangle in &*triangles {
            let normal = area_normal(triangle.map(|v| vertices.positions[v as usize]));
            triangle.iter().for_each(|&v| computed[v as usize] += normal);
        }
        replace(
            &mut vertices.normals,
            |n| n.try_normalize().is_none(),
            |v| computed[v].normalize_or(Vec3::Y),
        );
    }
    // A tangent belongs to its normal
    let (normals, tangents) = (&vertices.normals, &mut vertices.tangents);
    let is_bad = |t: &Vec4| t.truncate().try_normalize().is_none() || !t.w.is_finite();
    let count = replace(tangents, is_bad, |v| any_tangent(normals.get(v).copied().unwrap_or(Vec3::Y)));
    faults.repair("invalid tangents, which are computed instead", count, &format!("{path}.TANGENT"));
    for uvs in &mut vertices.uvs {
        let count = replace(uvs, |uv| !uv.is_finite(), |_| Vec2::ZERO);
        faults.repair("invalid texture coordinates, which become (0, 0)", count, path);
    }
    let count = replace(&mut vertices.colors, |color| !color.is_finite(), |_| Vec4::ONE);
    faults.repair("invalid vertex colours, which become white", count, &format!("{path}.COLOR_0"));
    for target in &mut vertices.targets {
        let arrays = [&mut target.positions, &mut target.normals, &mut target.tangents];
        let count: usize =
            arrays.into_iter().map(|array| replace(array, |d| !d.is_finite(), |_| Vec3::ZERO)).sum();
        faults.repair("invalid displacements of morph targets, which become 0", count, path);
    }
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

//! The Utah teapot, tessellated from its Bézier patches [Newell75].

mod patch;
mod patches;

use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_math::{BezierPatch, Shape, UnitShape, Vec3, vec3};
use sunfleck_scene::MeshData;

use patch::{Reflection, TessellatedPatch};
use patches::{HANDLE, LID, PATCHES, RIM, SPOUT};

/// Returns the Utah teapot with its bottom, in Newell's units (3.15 high, 6.43 from handle to spout). It stands on the
/// origin with its spout towards +x; y is up.
///
/// * `divisions` — number of segments of a quarter of the body's circumference, the longest edge of a patch; at least
///   1.
///
/// The mesh consists of three closed parts that share no vertices: the body with rim, lid and bottom; the handle; the
/// spout. Every edge belongs to two triangles. Unlike in [Newell75, the teapot], a flat ring closes the groove
/// between rim and lid, and fans close the ends of handle and spout. All of these ends but the mouth of the spout are
/// inside the body.
pub fn teapot(divisions: u32) -> MeshData {
    let mut builder = TeapotBuilder::default();
    let patches: Vec<TessellatedPatch> =
        PATCHES.iter().map(|patch| TessellatedPatch::new(patch, divisions.max(1))).collect();
    for (i, patch) in patches.iter().enumerate() {
        builder.part = part(i);
        for reflection in patch.reflections() {
            builder.add_patch(patch, reflection);
        }
    }
    builder.part = part(RIM);
    for reflection in patches[RIM].reflections() {
        builder.add_groove(&patches[RIM], &patches[LID], reflection);
    }
    for [first, last] in [HANDLE, SPOUT] {
        builder.part = part(first);
        builder.add_cap(&patches[first], 0, false);
        builder.add_cap(&patches[last], patches[last].rows(), true);
    }
    builder.finish()
}

/// Returns the 32 patches of the Utah teapot with its bottom, in the place of [`teapot`]. As in [Newell75, the teapot],
/// there is a gap between rim and lid, and the ends of handle and spout are open.
pub fn teapot_patches() -> MeshData {
    let reflected = |patch: &TessellatedPatch| {
        let points = *patch.points();
        let shape = move |reflection: Reflection| {
            // Adding zero turns -0 into +0.
            let points = points.map(|point| y_up(reflection.apply(point)) + 0.0);
            let unit = UnitShape::Patch(Arc::new(BezierPatch::new(points)));
            Shape { flipped: reflection.flips_orientation(), ..Shape::new(unit) }
        };
        patch.reflections().map(shape).collect::<Vec<_>>()
    };
    let shapes = PATCHES.iter().flat_map(|patch| reflected(&TessellatedPatch::new(patch, 1))).collect();
    MeshData { name: "teapot".into(), shapes, ..MeshData::default() }
}

/// Returns the index of the closed part that a patch belongs to: 0 body, 1 handle, 2 spout.
fn part(patch: usize) -> usize {
    [HANDLE, SPOUT].iter().position(|part| part.contains(&patch)).map_or(0, |i| i + 1)
}

/// Builder of the mesh. It merges the vertices of a part that have equal positions; their normal is the mean of the
/// normals of the patches that meet there.
#[derive(Default)]
struct TeapotBuilder {
    mesh: MeshData,
    /// Index of the vertex of a part with a position, given as bits.
    index_of: BTreeMap<(usize, [u32; 3]), u32>,
    /// Part to which vertices are added.
    part: usize,
}

impl TeapotBuilder {
    fn add_patch(&mut self, patch: &TessellatedPatch, reflection: Reflection) {
        let [rows, columns] = [patch.rows(), patch.columns()];
        let mut grid = Vec::with_capacity(((rows + 1) * (columns + 1)) as usize);
        for row in 0..=rows {
            for column in 0..=columns {
                let vertex = self.vertex(reflection.apply(patch.position(row, column)));
                self.mesh.normals[vertex as usize] += y_up(reflection.apply(patch.normal(row, column)));
                grid.push(vertex);
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let a = (row * (columns + 1) + column) as usize;
                let b = a + columns as usize + 1;
                // Seen from the front, the turn from t to s is counter-clockwise, so the column comes first.
                self.quad([grid[a], grid[a + 1], grid[b + 1], grid[b]], reflection.flips_orientation());
            }
        }
    }

    /// Adds the flat ring between the inner upper edge of the rim and the edge of the lid.
    fn add_groove(&mut self, rim: &TessellatedPatch, lid: &TessellatedPatch, reflection: Reflection) {
        for column in 0..rim.columns() {
            let outer = [column, column + 1].map(|c| self.vertex(reflection.apply(rim.position(0, c))));
            let inner =
                [column, column + 1].map(|c| self.vertex(reflection.apply(lid.position(lid.rows(), c))));
            self.quad([inner[0], inner[1], outer[1], outer[0]], reflection.flips_orientation());
            for corner in inner.into_iter().chain(outer) {
                self.mesh.normals[corner as usize] += Vec3::Y;
            }
        }
    }

    /// Adds a fan over the open end of the handle or the spout at the given row.
    fn add_cap(&mut self, patch: &TessellatedPatch, row: u32, at_the_end: bool) {
        let columns = patch.columns();
        let half = (0..columns).map(|c| patch.position(row, c));
        let other_half = (0..columns).map(|c| Reflection::IN_Y.apply(patch.position(row, columns - c)));
        let rim: Vec<Vec3> = half.chain(other_half).collect();
        let hub = self.vertex(rim.iter().sum::<Vec3>() / rim.len() as f32);
        let rim: Vec<u32> = rim.into_iter().map(|p| self.vertex(p)).collect();
        let [a, b] = [rim[0], rim[rim.len() / 3]].map(|v| self.mesh.positions[v as usize]);
        let center = self.mesh.positions[hub as usize];
        let normal = (a - center).cross(b - center).normalize_or(Vec3::Y);
        let normal = if at_the_end { normal } else { -normal };
        for &v in rim.iter().chain([&hub]) {
            self.mesh.normals[v as usize] += normal;
        }
        for (i, &a) in rim.iter().enumerate() {
            let b = rim[(i + 1) % rim.len()];
            self.triangle(if at_the_end { [hub, a, b] } else { [hub, b, a] });
        }
    }

    fn quad(&mut self, corners: [u32; 4], reversed: bool) {
        let [a, b, c, d] = corners;
        for t in [[a, b, c], [a, c, d]] {
            self.triangle(if reversed { [t[0], t[2], t[1]] } else { t });
        }
    }

    /// Adds a triangle, unless it is degenerate because an edge of its patch is a single point.
    fn triangle(&mut self, [a, b, c]: [u32; 3]) {
        if a != b && b != c && c != a {
            self.mesh.triangles.push([a, b, c]);
        }
    }

    /// Returns the index of the vertex at a position in Newell's coordinates, which is added if necessary.
    #[allow(clippy::cast_possible_truncation, reason = "65² × 32 vertices at most")]
    fn vertex(&mut self, position: Vec3) -> u32 {
        // Adding zero turns -0 into +0.
        let position = y_up(position) + 0.0;
        let mesh = &mut self.mesh;
        *self.index_of.entry((self.part, position.to_array().map(f32::to_bits))).or_insert_with(|| {
            mesh.positions.push(position);
            mesh.normals.push(Vec3::ZERO);
            mesh.positions.len() as u32 - 1
        })
    }

    fn finish(self) -> MeshData {
        let normals = self.mesh.normals.iter().map(|n| n.normalize_or(Vec3::Y)).collect();
        MeshData { name: "teapot".into(), normals, ..self.mesh }
    }
}

/// Converts from Newell's coordinates, with z up.
fn y_up(p: Vec3) -> Vec3 {
    vec3(p.x, p.z, -p.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::tests::{is_closed, volume};
    use sunfleck_math::Aabb;

    #[test]
    fn closed_at_every_resolution() {
        for divisions in [1, 2, 3, 5, 7, 8, 13, 32] {
            let mesh = teapot(divisions);
            assert!(is_closed(&mesh), "{divisions} divisions leave a hole: {:?}", mesh.triangles.len());
            let mut by_index = mesh.clone();
            by_index.positions = (0..mesh.positions.len()).map(|i| Vec3::splat(i as f32)).collect();
            assert!(is_closed(&by_index), "{divisions} divisions leave a seam");
        }
    }

    #[test]
    fn three_parts() {
        let mesh = teapot(6);
        let mut part: Vec<usize> = (0..mesh.positions.len()).collect();
        let root = |part: &[usize], mut v: usize| {
            while part[v] != v {
                v = part[v];
            }
            v
        };
        for t in &mesh.triangles {
            for v in [t[1], t[2]] {
                let (a, b) = (root(&part, t[0] as usize), root(&part, v as usize));
                part[a] = b;
            }
        }
        let roots = (0..part.len()).filter(|&v| root(&part, v) == v).count();
        assert_eq!(roots, 3, "body, handle, spout");
    }

    /// Published extent: x from -3 (handle) to about 3.43 (spout), radius 2, height 3.15.
    #[test]
    fn published_size() {
        let mesh = teapot(24);
        let bounds = Aabb::from_points(mesh.positions.iter().copied());
        let expected = Aabb { min: vec3(-3.0, 0.0, -2.0), max: vec3(3.434, 3.15, 2.0) };
        assert!(bounds.min.abs_diff_eq(expected.min, 0.01), "{bounds:?}");
        assert!(bounds.max.abs_diff_eq(expected.max, 0.01), "{bounds:?}");
    }

    #[test]
    fn faces_outwards() {
        let mesh = teapot(12);
        // The volume is that of a body of revolution with radius 1.5 to 2 and height 2.4, and of handle, spout and lid.
        let found = volume(&mesh);
        assert!((20.0..35.0).contains(&found), "{found}");
        let agree = mesh.triangles.iter().filter(|t| {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            let normal: Vec3 = t.iter().map(|&v| mesh.normals[v as usize]).sum();
            normal.dot((b - a).cross(c - a)) > 0.0
        });
        assert_eq!(agree.count(), mesh.triangles.len(), "a normal points inwards");
    }
}

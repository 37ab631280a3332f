//! The Utah teapot from its Bézier patches.

mod patch;
mod patches;

use std::collections::BTreeMap;

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::MeshData;

use patch::{Surface, Turn};
use patches::{HANDLE, LID, PATCHES, RIM, SPOUT};

/// The Utah teapot with bottom, in Newell's units (it is 3.15 high and 6.43 from handle to spout), standing on the
/// origin with its spout towards +x; y is up.
///
/// * `divisions` — of the longest side of a patch, at least 1: a quarter of the way around the body.
///
/// The mesh consists of three closed parts that share no vertex: body with rim, lid and bottom; handle; spout. Every edge
/// belongs to two triangles. In contrast to [Newell75, the teapot], the groove between rim and lid is closed by a flat ring, and the
/// ends of handle and spout (all but the spout's mouth are inside the body) by fans.
pub fn teapot(divisions: u32) -> MeshData {
    let mut builder = Builder::default();
    let surfaces: Vec<Surface> = PATCHES.iter().map(|patch| Surface::new(patch, divisions.max(1))).collect();
    for (i, surface) in surfaces.iter().enumerate() {
        builder.part = part(i);
        for turn in surface.turns() {
            builder.patch(surface, turn);
        }
    }
    builder.part = part(RIM);
    for turn in surfaces[RIM].turns() {
        builder.groove(&surfaces[RIM], &surfaces[LID], turn);
    }
    for [first, last] in [HANDLE, SPOUT] {
        builder.part = part(first);
        builder.cap(&surfaces[first], 0, false);
        builder.cap(&surfaces[last], surfaces[last].rows(), true);
    }
    builder.finish()
}

/// The number of the closed part that a patch belongs to.
fn part(patch: usize) -> usize {
    [HANDLE, SPOUT].iter().position(|part| part.contains(&patch)).map_or(0, |i| i + 1)
}

/// Vertices of a part at the same place are one vertex; its normal is the mean of those of the patches that meet there.
#[derive(Default)]
struct Builder {
    mesh: MeshData,
    index_of: BTreeMap<(usize, [u32; 3]), u32>,
    part: usize,
}

impl Builder {
    fn patch(&mut self, surface: &Surface, turn: Turn) {
        let [rows, columns] = [surface.rows(), surface.columns()];
        let mut grid = Vec::with_capacity(((rows + 1) * (columns + 1)) as usize);
        for row in 0..=rows {
            for column in 0..=columns {
                let vertex = self.vertex(turn.apply(surface.position(row, column)));
                self.mesh.normals[vertex as usize] += y_up(turn.apply(surface.normal(row, column)));
                grid.push(vertex);
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let a = (row * (columns + 1) + column) as usize;
                let b = a + columns as usize + 1;
                // t turns into s: column first
                self.quad([grid[a], grid[a + 1], grid[b + 1], grid[b]], turn.mirrors());
            }
        }
    }

    /// The flat ring between the upper edge of the rim's inside and the edge of the lid.
    fn groove(&mut self, rim: &Surface, lid: &Surface, turn: Turn) {
        for column in 0..rim.columns() {
            let outer = [column, column + 1].map(|c| self.vertex(turn.apply(rim.position(0, c))));
            let inner = [column, column + 1].map(|c| self.vertex(turn.apply(lid.position(lid.rows(), c))));
            self.quad([inner[0], inner[1], outer[1], outer[0]], turn.mirrors());
            for corner in inner.into_iter().chain(outer) {
                self.mesh.normals[corner as usize] += Vec3::Y;
            }
        }
    }

    /// A fan over the open end of a handle or spout in the given row.
    fn cap(&mut self, surface: &Surface, row: u32, at_the_end: bool) {
        let columns = surface.columns();
        let half = (0..columns).map(|c| surface.position(row, c));
        let other_half = (0..columns).map(|c| Turn::ACROSS.apply(surface.position(row, columns - c)));
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

    /// Left out where a side of a patch is a single point.
    fn triangle(&mut self, [a, b, c]: [u32; 3]) {
        if a != b && b != c && c != a {
            self.mesh.triangles.push([a, b, c]);
        }
    }

    /// The vertex at a place in Newell's coordinates.
    #[allow(clippy::cast_possible_truncation, reason = "65² × 32 vertices at most")]
    fn vertex(&mut self, place: Vec3) -> u32 {
        // Adding zero makes -0 the same place as +0.
        let place = y_up(place) + 0.0;
        let mesh = &mut self.mesh;
        *self.index_of.entry((self.part, place.to_array().map(f32::to_bits))).or_insert_with(|| {
            mesh.positions.push(place);
            mesh.normals.push(Vec3::ZERO);
            mesh.positions.len() as u32 - 1
        })
    }

    fn finish(self) -> MeshData {
        let normals = self.mesh.normals.iter().map(|n| n.normalize_or(Vec3::Y)).collect();
        MeshData { name: "teapot".into(), normals, ..self.mesh }
    }
}

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

    /// Published extents: x from -3 (handle) to about 3.43 (spout), radius 2, height 3.15.
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
        // A body of revolution with radius 1.5 to 2 and height 2.4, and some more
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

use sunfleck_math::{Vec3, vec2};

use super::Shape;

impl Shape {
    /// Adds the parametric surface `at(u, v)` over the unit square as `columns` × `rows` quadrilaterals. Not closed.
    ///
    /// Seen from the front, the turn from u to v is counter-clockwise; texture coordinates are (u, 1 - v).
    pub(crate) fn sheet(&mut self, columns: u32, rows: u32, at: impl Fn(f32, f32) -> Vec3) -> &mut Self {
        self.grid(columns, rows, at, |_, _, _| ())
    }

    /// Adds a parametric surface as [`sheet`](Self::sheet) does, with vertex colours `color(u, v)`.
    pub(crate) fn colored_sheet(
        &mut self,
        columns: u32,
        rows: u32,
        at: impl Fn(f32, f32) -> Vec3,
        color: impl Fn(f32, f32) -> Vec3,
    ) -> &mut Self {
        self.grid(columns, rows, at, |shape, u, v| {
            shape.color(color(u, v));
        })
    }

    /// Adds a parametric surface; `prepare` is called before each vertex is added.
    fn grid(
        &mut self,
        columns: u32,
        rows: u32,
        at: impl Fn(f32, f32) -> Vec3,
        prepare: impl Fn(&mut Self, f32, f32),
    ) -> &mut Self {
        let (du, dv) = (1.0 / columns as f32, 1.0 / rows as f32);
        let first = self.next_index();
        for row in 0..=rows {
            for column in 0..=columns {
                let (u, v) = (column as f32 * du, row as f32 * dv);
                // Finite differences over the extent of a cell. Where they vanish, the normal is that of a point closer
                // to the centre of the square.
                let slope = |u: f32, v: f32| {
                    let (left, right) = ((u - 0.5 * du).max(0.0), (u + 0.5 * du).min(1.0));
                    let (below, above) = ((v - 0.5 * dv).max(0.0), (v + 0.5 * dv).min(1.0));
                    (at(right, v) - at(left, v)).cross(at(u, above) - at(u, below))
                };
                let normal = slope(u, v)
                    .try_normalize()
                    .or_else(|| slope(u + (0.5 - u) * 0.05, v + (0.5 - v) * 0.05).try_normalize());
                prepare(self, u, v);
                self.vertex(at(u, v), normal.unwrap_or(Vec3::Y), vec2(u, 1.0 - v));
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let a = first + row * (columns + 1) + column;
                let b = a + columns + 1;
                for triangle in [[a, a + 1, b + 1], [a, b + 1, b]] {
                    let [p, q, r] = triangle.map(|v| self.data.positions[v as usize]);
                    // Where an edge of the surface is a single point, one of the two triangles is degenerate.
                    if (q - p).cross(r - p) != Vec3::ZERO {
                        self.triangle(triangle);
                    }
                }
            }
        }
        self
    }
}

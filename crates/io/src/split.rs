//! Splitting of vertices at which the corners of adjacent triangles have different attribute values.

/// Splits vertices. It can be reused for other triangles over the same vertices; the cost of a call depends on the
/// number of its triangles only.
#[derive(Debug)]
pub(crate) struct Splitter {
    /// For each old vertex, the last new vertex created from it, or [`NO_INDEX`].
    last: Vec<u32>,
}

/// Triangles over new vertices, and for each new vertex its old vertex and the attribute value.
#[derive(Debug, PartialEq)]
pub(crate) struct Split<T> {
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) vertices: Vec<(u32, T)>,
}

const NO_INDEX: u32 = u32::MAX;

impl Splitter {
    /// Creates a splitter for triangles over `vertices` vertices.
    pub(crate) fn new(vertices: usize) -> Self {
        Self { last: vec![NO_INDEX; vertices] }
    }

    /// Creates one new vertex for each distinct pair of old vertex and value, in the order of their first use. Panics
    /// if an old vertex does not exist.
    pub(crate) fn split<T: Copy + PartialEq>(
        &mut self,
        corners: impl IntoIterator<Item = [(u32, T); 3]>,
    ) -> Split<T> {
        let mut vertices = Vec::new();
        let mut before = Vec::new();
        let triangles = corners.into_iter().map(|corners| {
            corners.map(|(old, value)| {
                let last = &mut self.last[old as usize];
                find(&vertices, &before, *last, value).unwrap_or_else(|| {
                    // More vertices than indices become an invalid index, which `Mesh::new` refuses.
                    let new = u32::try_from(vertices.len()).unwrap_or(NO_INDEX);
                    vertices.push((old, value));
                    before.push(std::mem::replace(last, new));
                    new
                })
            })
        });
        let triangles = triangles.collect();
        for &(old, _) in &vertices {
            self.last[old as usize] = NO_INDEX;
        }
        Split { triangles, vertices }
    }
}

/// Searches the new vertices of one old vertex, from the last one backwards.
fn find<T: PartialEq>(vertices: &[(u32, T)], before: &[u32], last: u32, value: T) -> Option<u32> {
    // The search is limited: for the rare vertex with very many values, duplicates cost less than the search.
    const MAX_SEARCH_LENGTH: usize = 64;
    let mut vertex = last;
    for _ in 0..MAX_SEARCH_LENGTH {
        if vertices.get(vertex as usize)?.1 == value {
            return Some(vertex);
        }
        vertex = before[vertex as usize];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_vertex() {
        let mut splitter = Splitter::new(4);
        let corners =
            [[(0, 'a'), (1, 'a'), (2, 'a')], [(2, 'a'), (1, 'b'), (3, 'a')], [(1, 'a'), (1, 'b'), (1, 'c')]];
        let expected = Split {
            triangles: vec![[0, 1, 2], [2, 3, 4], [1, 3, 5]],
            vertices: vec![(0, 'a'), (1, 'a'), (2, 'a'), (1, 'b'), (3, 'a'), (1, 'c')],
        };
        assert_eq!(splitter.split(corners), expected);
        assert_eq!(splitter.split(corners), expected, "a second use is independent of the first");
    }
}

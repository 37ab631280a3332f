//! Primitives: triangles with vertex attributes [glTF2, §3.7.2].

use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::{Influences, MorphTarget};

use crate::FileLocation;
use crate::error::ParseError;
use crate::normals::area_normal;
use crate::split::{Split, Splitter};
use crate::tangents::{TangentInput, tangents_of_corners};

use super::accessor::Accessors;
use super::deformation::{pick, picked_target, read_influences, read_targets};
use super::model::Primitive;

pub(super) const TRIANGLES: u32 = 4;
const TRIANGLE_STRIP: u32 = 5;
const TRIANGLE_FAN: u32 = 6;

/// Vertex attributes; each array is empty or as long as the positions.
#[derive(Clone, Debug, Default)]
pub(super) struct Vertices {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) tangents: Vec<Vec4>,
    /// First and second texture coordinates.
    pub(super) uvs: [Vec<Vec2>; 2],
    pub(super) colors: Vec<Vec4>,
    /// Morph targets; each of their arrays is empty or as long as the positions.
    pub(super) targets: Vec<MorphTarget>,
    /// Joints and weights of each vertex, in sets of four.
    pub(super) influences: Vec<Influences>,
}

/// Reads the vertex attributes of a primitive. `path` is its JSON path.
///
/// * `uv_sets` — numbers of the sets of texture coordinates.
pub(super) fn read_vertices(
    accessors: &Accessors<'_>,
    primitive: &Primitive,
    uv_sets: [u32; 2],
    path: &str,
) -> Result<Vertices, ParseError> {
    let (attributes, primitive_path) = (&primitive.attributes, path);
    let path = &format!("{path}.attributes");
    let get = |name: &str| attributes.get(name).map(|&accessor| (accessor, format!("{path}.{name}")));
    let vec3s = |name| match get(name) {
        Some((accessor, from)) => accessors.reals(accessor, &["VEC3"], 0.0, &from),
        None => Ok(Vec::new()),
    };
    let uv_names = uv_sets.map(uv_name);
    let uvs = |name: &str| match get(name) {
        Some((accessor, from)) => accessors.reals(accessor, &["VEC2"], 0.0, &from).map(map(Vec2::from_array)),
        None => Ok(Vec::new()),
    };
    let mut vertices = Vertices {
        positions: vec3s("POSITION").map(map(Vec3::from_array))?,
        normals: vec3s("NORMAL").map(map(Vec3::from_array))?,
        tangents: match get("TANGENT") {
            Some((accessor, from)) => {
                accessors.reals(accessor, &["VEC4"], 1.0, &from).map(map(Vec4::from_array))?
            }
            None => Vec::new(),
        },
        uvs: [uvs(&uv_names[0])?, uvs(&uv_names[1])?],
        colors: match get("COLOR_0") {
            Some((accessor, from)) => {
                accessors.reals(accessor, &["VEC3", "VEC4"], 1.0, &from).map(map(Vec4::from_array))?
            }
            None => Vec::new(),
        },
        targets: Vec::new(),
        influences: read_influences(accessors, attributes, path)?,
    };
    let lengths: [(&str, usize); 5] = [
        ("NORMAL", vertices.normals.len()),
        ("TANGENT", vertices.tangents.len()),
        (&uv_names[0], vertices.uvs[0].len()),
        (&uv_names[1], vertices.uvs[1].len()),
        ("COLOR_0", vertices.colors.len()),
    ];
    let positions = vertices.positions.len();
    for (name, length) in lengths {
        if attributes.contains_key(name) && length != positions {
            let message = format!("{name} has {length} elements, but POSITION has {positions}");
            return Err(ParseError::malformed(FileLocation::Json(format!("{path}.{name}")), message));
        }
    }
    for (set, Influences { joints, weights }) in vertices.influences.iter().enumerate() {
        if joints.len() != positions || weights.len() != positions {
            let message = format!("JOINTS_{set} and WEIGHTS_{set} must have as many elements as POSITION");
            return Err(ParseError::malformed(FileLocation::Json(path.clone()), message));
        }
    }
    vertices.targets = read_targets(accessors, &primitive.targets, positions, primitive_path)?;
    Ok(vertices)
}

/// Returns the name of the attribute of a set of texture coordinates.
pub(super) fn uv_name(set: u32) -> String {
    format!("TEXCOORD_{set}")
}

fn map<T, U>(of: impl Fn(T) -> U) -> impl FnOnce(Vec<T>) -> Vec<U> {
    move |values| values.into_iter().map(of).collect()
}

/// Reads the triangles of a primitive that has `vertices` vertices. Their indices may be out of range. `path` is the
/// JSON path of the primitive.
pub(super) fn read_triangles(
    accessors: &Accessors<'_>,
    primitive: &Primitive,
    vertices: usize,
    path: &str,
) -> Result<Vec<[u32; 3]>, ParseError> {
    let indices = match primitive.indices {
        Some(accessor) => accessors.indices(accessor, &format!("{path}.indices"))?,
        None => (0u32..).take(vertices).collect(),
    };
    Ok(match primitive.mode {
        TRIANGLES => indices.as_chunks().0.to_vec(),
        // Every second triangle of a strip has the opposite winding, so its last two vertices are swapped.
        TRIANGLE_STRIP => {
            let odd = [false, true].into_iter().cycle();
            let rewound =
                |(t, odd): (&[u32], bool)| if odd { [t[0], t[2], t[1]] } else { [t[0], t[1], t[2]] };
            indices.windows(3).zip(odd).map(rewound).collect()
        }
        TRIANGLE_FAN => indices.windows(2).skip(1).map(|pair| [pair[0], pair[1], indices[0]]).collect(),
        _ => Vec::new(),
    })
}

/// Returns the kind of a primitive that has no triangles, in the plural; `None` for triangles.
pub(super) fn not_triangles(mode: u32) -> Option<&'static str> {
    match mode {
        0 => Some("points"),
        1..=3 => Some("lines"),
        TRIANGLES | TRIANGLE_STRIP | TRIANGLE_FAN => None,
        _ => Some("primitives of an unknown mode"),
    }
}

impl Vertices {
    /// Returns the vertices with flat normals, not shared between faces of different orientation. Tangents and the
    /// normals of morph targets are removed, since they do not match the new normals [glTF2, §3.7.2.1].
    pub(super) fn with_flat_normals(&self, triangles: &mut Vec<[u32; 3]>) -> Self {
        let corners = triangles.iter().map(|t| {
            let normal = area_normal(t.map(|v| self.positions[v as usize])).normalize_or(Vec3::Y);
            t.map(|v| (v, normal))
        });
        let split = Splitter::new(self.positions.len()).split(corners);
        let mut vertices = self.gathered(&split);
        vertices.normals = split.vertices.iter().map(|&(_, normal)| normal).collect();
        vertices.tangents = Vec::new();
        for target in &mut vertices.targets {
            (target.normals, target.tangents) = (Vec::new(), Vec::new());
        }
        *triangles = split.triangles;
        vertices
    }

    /// Returns the vertices with `MikkTSpace` tangents for a set of texture coordinates, split where tangents differ.
    /// Normals and the texture coordinates must exist.
    pub(super) fn with_tangents(&self, uv_set: usize, triangles: &mut Vec<[u32; 3]>) -> Self {
        let (positions, normals, uvs) = (&self.positions, &self.normals, &self.uvs[uv_set]);
        let tangents = tangents_of_corners(&TangentInput { positions, normals, uvs, triangles });
        let corners =
            triangles.iter().zip(&tangents).map(|(t, tangents)| [0, 1, 2].map(|c| (t[c], tangents[c])));
        let split = Splitter::new(self.positions.len()).split(corners);
        let mut vertices = self.gathered(&split);
        vertices.tangents = split.vertices.iter().map(|&(_, tangent)| tangent).collect();
        *triangles = split.triangles;
        vertices
    }

    /// Returns only the vertices that triangles use.
    pub(super) fn with_used_only(&self, triangles: &mut Vec<[u32; 3]>) -> Self {
        let corners = triangles.iter().map(|t| t.map(|v| (v, ())));
        let split = Splitter::new(self.positions.len()).split(corners);
        let vertices = self.gathered(&split);
        *triangles = split.triangles;
        vertices
    }

    fn gathered<T>(&self, split: &Split<T>) -> Self {
        Self {
            positions: pick(&self.positions, split),
            normals: pick(&self.normals, split),
            tangents: pick(&self.tangents, split),
            uvs: self.uvs.each_ref().map(|uvs| pick(uvs, split)),
            colors: pick(&self.colors, split),
            targets: self.targets.iter().map(|target| picked_target(target, split)).collect(),
            influences: self
                .influences
                .iter()
                .map(|set| Influences {
                    joints: pick(&set.joints, split),
                    weights: pick(&set.weights, split),
                })
                .collect(),
        }
    }
}

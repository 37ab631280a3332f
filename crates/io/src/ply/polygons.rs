//! Faces of a PLY file. They may come before the vertices, and are triangulated when all positions are known.

use sunfleck_math::{DVec3, Vec2, Vec4};

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::mesh_file::RawMesh;
use crate::polygon::{max_corners, triangulate};

/// Fault of a face with a vertex that is itself a fault.
const WITHOUT_POSITION: &str = "a face uses a vertex without valid coordinates";

/// Polygons with their attributes; each array of attributes is empty or complete.
#[derive(Debug)]
pub(super) struct Polygons {
    /// Number of vertices of the file.
    vertices: usize,
    corners: Vec<u32>,
    /// End of each polygon in `corners`.
    ends: Vec<usize>,
    /// Texture coordinates of each corner.
    uvs: Vec<Vec2>,
    /// sRGB colour of each polygon.
    colors: Vec<Vec4>,
    /// Material slot of each polygon.
    slots: Vec<u16>,
}

/// Attributes of a polygon, where its element has them.
#[derive(Debug, Default)]
pub(super) struct FaceAttributes<'a> {
    /// u and v of each corner in turn, with v upwards.
    pub(super) uvs: Option<&'a [f32]>,
    pub(super) color: Option<Vec4>,
    pub(super) slot: Option<u16>,
}

impl Polygons {
    /// Creates an empty list of polygons over `vertices` vertices.
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            vertices,
            corners: Vec::new(),
            ends: Vec::new(),
            uvs: Vec::new(),
            colors: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Adds a polygon, or counts a fault.
    ///
    /// * `positions` — those of the vertices, or none if they follow in the file.
    pub(super) fn add(
        &mut self,
        ring: &[i64],
        positions: &[DVec3],
        attributes: &FaceAttributes<'_>,
        location: &FileLocation,
        faults: &mut Faults,
    ) {
        let refuse = |message: String| ParseError::malformed(location.clone(), message);
        if ring.len() < 3 {
            faults.add(Fault::Face, 1, || refuse("a face needs at least three corners".to_string()));
            return;
        }
        if ring.len() > max_corners(self.vertices).max(3) {
            let message =
                || format!("a face has {} corners, but there are {} vertices", ring.len(), self.vertices);
            faults.add(Fault::Face, 1, || refuse(message()));
            return;
        }
        let known = |vertex: i64| u32::try_from(vertex).ok().filter(|&v| (v as usize) < self.vertices);
        if let Some(vertex) = ring.iter().find(|&&vertex| known(vertex).is_none()) {
            let count = self.vertices;
            let message = || format!("a face uses vertex {vertex}, which does not exist; there are {count}");
            faults.add(Fault::Face, 1, || refuse(message()));
            return;
        }
        let position = |vertex: i64| positions.get(usize::try_from(vertex).ok()?);
        if ring.iter().any(|&vertex| position(vertex).is_some_and(|p| p.is_nan())) {
            faults.add(Fault::Face, 1, || refuse(WITHOUT_POSITION.to_string()));
            return;
        }
        self.corners.extend(ring.iter().filter_map(|&vertex| known(vertex)));
        self.ends.push(self.corners.len());
        if let Some(uvs) = attributes.uvs {
            let pairs = uvs.as_chunks::<2>().0;
            if pairs.len() != ring.len() && !pairs.is_empty() {
                let message = format!("{} texture coordinates for {} corners", uvs.len(), ring.len());
                faults.add(Fault::TextureCoordinate, 1, || refuse(message));
            }
            let uv = |pair: &[f32; 2]| {
                let uv = Vec2::new(pair[0], 1.0 - pair[1]);
                if uv.is_finite() { uv } else { Vec2::ZERO }
            };
            self.uvs.extend(pairs.iter().take(ring.len()).map(uv));
            self.uvs.resize(self.corners.len(), Vec2::ZERO);
        }
        self.colors.extend(attributes.color);
        self.slots.extend(attributes.slot);
    }

    /// Adds triangle strips, which are separated by −1.
    pub(super) fn add_strips(
        &mut self,
        strips: &[i64],
        positions: &[DVec3],
        location: &FileLocation,
        faults: &mut Faults,
    ) {
        for strip in strips.split(|&vertex| vertex == -1) {
            for (i, t) in strip.windows(3).enumerate() {
                let (b, c) = if i % 2 == 0 { (t[1], t[2]) } else { (t[2], t[1]) };
                self.add(&[t[0], b, c], positions, &FaceAttributes::default(), location, faults);
            }
        }
    }

    /// Adds the triangles to a mesh. Polygons with a vertex without valid coordinates that came before the vertices are
    /// counted as faults; their locations are not known any more.
    pub(super) fn triangulate(&self, mesh: &mut RawMesh, faults: &mut Faults) {
        let all = |attributes: usize, of: usize| attributes == of && of > 0;
        let [has_colors, has_slots] =
            [self.colors.len(), self.slots.len()].map(|count| all(count, self.ends.len()));
        let has_uvs = all(self.uvs.len(), self.corners.len());
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        for (polygon, (begin, &end)) in begins.zip(&self.ends).enumerate() {
            let ring = &self.corners[begin..end];
            let positions: Vec<DVec3> = ring.iter().map(|&v| mesh.positions[v as usize]).collect();
            if positions.iter().any(|p| p.is_nan()) {
                let error = || ParseError::malformed(FileLocation::File, WITHOUT_POSITION);
                faults.add(Fault::Face, 1, error);
                continue;
            }
            for triangle in triangulate(&positions) {
                mesh.triangles.push(triangle.map(|i| ring[i]));
                if has_uvs {
                    mesh.corner_uvs.push(triangle.map(|i| self.uvs[begin + i]));
                }
                if has_colors {
                    mesh.face_colors.push(self.colors[polygon]);
                }
                if has_slots {
                    mesh.slots.push(self.slots[polygon]);
                }
            }
        }
    }
}

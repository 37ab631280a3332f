//! Primitives of a file that share a transform, as meshes.

use sunfleck_math::{Vec2, Vec3};
use sunfleck_scene::{MeshData, MorphTarget};

/// Colour and shading of the primitives that follow, by the model of Phong and Whitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fill {
    pub(super) diffuse: Vec3,
    pub(super) specular: Vec3,
    /// Fraction of light that passes.
    pub(super) transmittance: f32,
    pub(super) ior: f32,
}

/// Fill and texture of primitives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    /// `None` for the fill of the file that includes this one.
    pub(super) fill: Option<Fill>,
    /// Name of the image file.
    pub(super) texture: Option<String>,
}

/// Triangles whose vertices move along straight lines between given times.
#[derive(Debug)]
pub(super) struct Morph {
    /// Ascending.
    pub(super) times_secs: Vec<f64>,
    /// Triangles at the first time.
    pub(super) base: MeshData,
    /// Displacements at each later time.
    pub(super) targets: Vec<MorphTarget>,
}

/// Primitives between two statements that change the transform. The slots of all meshes are the looks.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) looks: Vec<Look>,
    /// Triangles without normals.
    pub(super) flat: MeshData,
    /// Triangles with normals.
    pub(super) smooth: MeshData,
    pub(super) shapes: MeshData,
    pub(super) morphs: Vec<Morph>,
    /// Whether there were more looks than slots.
    pub(super) has_more_looks: bool,
}

/// Looks of a group; slots of meshes are numbered from 0 to 65534.
const MOST_LOOKS: usize = 65_535;

impl Group {
    pub(super) fn is_empty(&self) -> bool {
        self.looks.is_empty()
    }

    /// Returns the slot of a look. Looks beyond the most that a mesh can have become the last one.
    pub(super) fn slot(&mut self, look: Look) -> u16 {
        let known = self.looks.iter().rposition(|known| *known == look);
        let slot = known.unwrap_or_else(|| {
            if self.looks.len() < MOST_LOOKS {
                self.looks.push(look);
            } else {
                self.has_more_looks = true;
            }
            self.looks.len() - 1
        });
        u16::try_from(slot).unwrap_or(u16::MAX - 1)
    }

    /// Adds triangles with one index per corner.
    pub(super) fn add_triangles(&mut self, added: &MeshData, slot: u16) {
        append(if added.normals.is_empty() { &mut self.flat } else { &mut self.smooth }, added, slot);
    }

    /// Adds a triangle that moves: positions and normals of its corners at each time.
    pub(super) fn add_moving(&mut self, times_secs: &[f64], corners: &[[(Vec3, Vec3); 3]], slot: u16) {
        let Some((first, later)) = corners.split_first() else { return };
        let known = self.morphs.iter().rposition(|morph| morph.times_secs == times_secs);
        let index = known.unwrap_or(self.morphs.len());
        if known.is_none() {
            let targets = vec![MorphTarget::default(); later.len()];
            self.morphs.push(Morph { times_secs: times_secs.to_vec(), base: MeshData::default(), targets });
        }
        let Some(morph) = self.morphs.get_mut(index) else { return };
        let triangle = MeshData {
            positions: first.map(|(position, _)| position).to_vec(),
            normals: first.map(|(_, normal)| normal).to_vec(),
            triangles: vec![[0, 1, 2]],
            ..MeshData::default()
        };
        append(&mut morph.base, &triangle, slot);
        for (target, corners) in morph.targets.iter_mut().zip(later) {
            for ((position, normal), (base, base_normal)) in corners.iter().zip(first) {
                target.positions.push(*position - *base);
                target.normals.push(*normal - *base_normal);
            }
        }
    }
}

/// Appends triangles. Triangles without texture coordinates get (0, 0) if others have them.
fn append(to: &mut MeshData, added: &MeshData, slot: u16) {
    let first = u32::try_from(to.positions.len()).unwrap_or(u32::MAX);
    if !(to.uv0.is_empty() && added.uv0.is_empty()) {
        to.uv0.resize(to.positions.len(), Vec2::ZERO);
        to.uv0.extend(&added.uv0);
        to.uv0.resize(to.positions.len() + added.positions.len(), Vec2::ZERO);
    }
    to.positions.extend(&added.positions);
    to.normals.extend(&added.normals);
    to.triangles.extend(added.triangles.iter().map(|t| t.map(|v| v.saturating_add(first))));
    to.slots.resize(to.triangles.len(), slot);
}

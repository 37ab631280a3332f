use sunfleck_math::Affine3;
use sunfleck_scene::MeshData;

use crate::shape::Shape;

/// The two meshes of a zone under construction: flat shapes need no normals.
#[derive(Debug)]
pub(super) struct ZoneMeshes {
    /// Mesh of flat shapes, with positions only.
    pub(super) flat: Shape,
    /// Mesh of round shapes, with normals.
    pub(super) round: Shape,
    zone_from_bay: Affine3,
}

impl ZoneMeshes {
    pub(super) fn new(name: &str) -> Self {
        Self {
            flat: Shape::without_normals(format!("steel, {name}")),
            round: Shape::without_uvs(format!("pipes, {name}")),
            zone_from_bay: Affine3::IDENTITY,
        }
    }

    /// Sets the transform of the bay whose shapes are added next, in both meshes.
    pub(super) fn set_bay_transform(&mut self, zone_from_bay: Affine3) {
        self.zone_from_bay = zone_from_bay;
        self.reset_local_transform();
    }

    /// Sets a transform within the bay, until [`ZoneMeshes::reset_local_transform`].
    pub(super) fn set_local_transform(&mut self, bay_from_object: Affine3) {
        let zone_from_object = self.zone_from_bay * bay_from_object;
        self.flat.transform(zone_from_object);
        self.round.transform(zone_from_object);
    }

    /// Returns to the frame of the bay.
    pub(super) fn reset_local_transform(&mut self) {
        self.flat.transform(self.zone_from_bay);
        self.round.transform(self.zone_from_bay);
    }

    pub(super) fn finish(self) -> [MeshData; 2] {
        [self.flat.finish(), self.round.finish()]
    }
}

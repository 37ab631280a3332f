use sunfleck_math::Affine3;
use sunfleck_scene::MeshData;

use crate::shape::Shape;

/// Two meshes in the making: what is flat needs no normals.
#[derive(Debug)]
pub(super) struct Zone {
    /// Positions alone.
    pub(super) flat: Shape,
    /// With normals.
    pub(super) round: Shape,
    place: Affine3,
}

impl Zone {
    pub(super) fn new(name: &str) -> Self {
        Self {
            flat: Shape::bare(format!("steel, {name}")),
            round: Shape::smooth(format!("pipes, {name}")),
            place: Affine3::IDENTITY,
        }
    }

    /// `zone_from_bay` for what is added next, in both meshes.
    pub(super) fn enter(&mut self, zone_from_bay: Affine3) {
        self.place = zone_from_bay;
        self.leave();
    }

    /// A frame within the one of [`Zone::enter`], until [`Zone::leave`].
    pub(super) fn within(&mut self, bay_from_thing: Affine3) {
        let place = self.place * bay_from_thing;
        self.flat.place(place);
        self.round.place(place);
    }

    pub(super) fn leave(&mut self) {
        self.flat.place(self.place);
        self.round.place(self.place);
    }

    pub(super) fn finish(self) -> [MeshData; 2] {
        [self.flat.finish(), self.round.finish()]
    }
}

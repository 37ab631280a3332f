use sunfleck_math::{Vec3, vec3};

use crate::shape::{Shape, Side};

/// A hole in a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// Along the wall.
    pub(super) along: [f32; 2],
    /// Bottom and top.
    pub(super) height: [f32; 2],
}

/// An upright wall on the floor along x or z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    pub(super) along_x: bool,
    /// Of its two faces, on the other axis.
    pub(super) faces: [f32; 2],
    pub(super) ends: [f32; 2],
    pub(super) height: f32,
}

impl Wall {
    /// A box of the wall, from `along[0]` to `along[1]`.
    fn block(&self, shape: &mut Shape, along: [f32; 2], height: [f32; 2], hidden: &[Side]) {
        let corner = |i: usize| match self.along_x {
            true => vec3(along[i], height[i], self.faces[i]),
            false => vec3(self.faces[i], height[i], along[i]),
        };
        shape.block_without(corner(0), corner(1), hidden);
    }

    /// Adds the wall with holes, which are in order and do not overlap.
    pub(super) fn build(&self, shape: &mut Shape, openings: &[Opening]) {
        let ends = if self.along_x { [Side::Left, Side::Right] } else { [Side::Front, Side::Back] };
        let mut from = self.ends[0];
        for opening in openings {
            let [start, end] = opening.along;
            self.block(shape, [from, start], [0.0, self.height], &[Side::Bottom]);
            let [bottom, top] = opening.height;
            if bottom > 0.0 {
                self.block(shape, [start, end], [0.0, bottom], &[ends[0], ends[1], Side::Bottom]);
            }
            if top < self.height {
                self.block(shape, [start, end], [top, self.height], &ends);
            }
            from = end;
        }
        self.block(shape, [from, self.ends[1]], [0.0, self.height], &[Side::Bottom]);
    }

    /// The place of a point `along` the wall, `height` up, and `out` from its first face (negative: into the wall).
    pub(super) fn place(&self, along: f32, height: f32, out: f32) -> Vec3 {
        let across = self.faces[0] - out;
        if self.along_x { vec3(along, height, across) } else { vec3(across, height, along) }
    }
}

use sunfleck_math::{Vec3, vec3};

use crate::shape::{BoxFace, Shape};

/// Opening in a wall, for a door, a window or a passage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// Range along the wall.
    pub(super) along: [f32; 2],
    /// Bottom and top of the opening.
    pub(super) height: [f32; 2],
}

/// Vertical wall along x or z that stands on the floor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    pub(super) along_x: bool,
    /// Positions of the two faces, on the horizontal axis across the wall.
    pub(super) faces: [f32; 2],
    /// Range along the wall.
    pub(super) ends: [f32; 2],
    pub(super) height: f32,
}

impl Wall {
    /// Adds the box of the wall with the given ranges along the wall and in height.
    fn block(&self, shape: &mut Shape, along: [f32; 2], height: [f32; 2], hidden: &[BoxFace]) {
        let corner = |i: usize| match self.along_x {
            true => vec3(along[i], height[i], self.faces[i]),
            false => vec3(self.faces[i], height[i], along[i]),
        };
        shape.block_without(corner(0), corner(1), hidden);
    }

    /// Adds the wall with openings, which are sorted and do not overlap.
    pub(super) fn build(&self, shape: &mut Shape, openings: &[Opening]) {
        let ends =
            if self.along_x { [BoxFace::Left, BoxFace::Right] } else { [BoxFace::Front, BoxFace::Back] };
        let mut from = self.ends[0];
        for opening in openings {
            let [start, end] = opening.along;
            self.block(shape, [from, start], [0.0, self.height], &[BoxFace::Bottom]);
            let [bottom, top] = opening.height;
            if bottom > 0.0 {
                self.block(shape, [start, end], [0.0, bottom], &[ends[0], ends[1], BoxFace::Bottom]);
            }
            if top < self.height {
                self.block(shape, [start, end], [top, self.height], &ends);
            }
            from = end;
        }
        self.block(shape, [from, self.ends[1]], [0.0, self.height], &[BoxFace::Bottom]);
    }

    /// Returns the point at `along` and `height`, at distance `out` from the first face (negative: inside the wall).
    pub(super) fn point(&self, along: f32, height: f32, out: f32) -> Vec3 {
        let across = self.faces[0] - out;
        if self.along_x { vec3(along, height, across) } else { vec3(across, height, along) }
    }
}

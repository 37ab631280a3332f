//! Kinds of shapes.

/// Sphere.
pub const SPHERE: u32 = 0;
/// Disk, which may have a hole; the parameter is the radius of the hole.
pub const DISK: u32 = 1;
/// Rectangle.
pub const RECTANGLE: u32 = 2;
/// Side of a cylinder.
pub const CYLINDER: u32 = 3;
/// Side of a cone; the parameter is the radius at its end.
pub const CONE: u32 = 4;
/// Cube.
pub const CUBE: u32 = 5;

/// Number of words of a shape: its axes and its centre, the kind, the parameter, and -1 if its normals are reversed,
/// else 1.
pub const WORDS: u32 = 16;

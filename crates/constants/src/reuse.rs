//! Reuse of previous frames.

/// Largest number of previous frames that an image is a mean of, beside the current one.
pub const MOST_FRAMES: f32 = 48.0;
/// The same for surfaces that have moved, whose light changes as they do.
pub const MOST_FRAMES_MOVED: f32 = 8.0;
/// Share of a frame in the mean albedo where that is interpolated: large, since each interpolation blurs.
pub const ALBEDO_SHARE: f32 = 0.5;
/// Bit of the identifier of a surface that tells that all pixels around show it, too. Identifiers are even otherwise.
pub const CALM: u32 = 1;
/// Cosine of the angle between normals up to which two points may be of one surface.
pub const LEAST_COS: f32 = 0.9;
/// Distance from the tangent plane of a surface, in pixels of the current image at that surface, up to which a point
/// may be of that surface.
pub const PLANE_PIXELS: f32 = 2.0;
/// The same distance as a share of the distance from the camera.
pub const PLANE_SHARE: f32 = 1e-3;
/// Roughness `α` of microfacets up to which highlights are images of what they reflect, and move as these do.
pub const IMAGE_ALPHA: f32 = 0.16;
/// Angle by which the direction to the viewer may change over the frames that highlights are a mean of, as a multiple
/// of the roughness `α`.
pub const HIGHLIGHT_TURN: f32 = 0.5;

/// Node of a ray that leaves the scene.
pub const NO_NODE: u32 = 0xffff_ffff;
/// Least cosine of the angle between a direction before and after refraction for which the rotation between them is
/// computed: its axis is their cross product, which vanishes for opposite directions.
pub const LEAST_ROTATION_COS: f32 = -0.999;

/// Edge, in pixels, of the squares whose light is compared by a single path, the probe.
pub const PROBE_EDGE: u32 = 4;
/// Number of different sets of random numbers of probes, which follow each other from frame to frame.
pub const PROBE_SETS: u32 = 16;
/// Largest number of different motions of objects that a camera follows to compare their light.
pub const MOST_TRACKED_MOTIONS: u32 = 2;
/// Cosine of the angle between normals above which a probe is taken to meet a surface.
pub const PROBE_LEAST_COS: f32 = 0.8;
/// Largest difference of the hit distances of probes that are averaged, as a share of the distance.
pub const MOST_DEPTH_STEP: f32 = 0.2;
/// Radius, in squares, of the small windows over which changes are averaged.
pub const SMALL_WINDOW: i32 = 1;
/// Radius, in squares, of the large windows over which changes are averaged.
pub const LARGE_WINDOW: i32 = 2;
/// Number of previous frames that still count after a relative change x of their light, over 1 / x - 2.
pub const FRAMES_AFTER_CHANGE: f32 = 0.4;
/// Change of light, in standard errors, from which histories are scaled by it; by all of it from twice as many.
pub const LEAST_CERTAIN_ERRORS: f32 = 2.0;
/// Largest ratio by which histories are scaled.
pub const MOST_RATIO: f32 = 4.0;
/// Least weight of a square in an interpolated change, so that a single square counts wherever it is.
pub const LEAST_SQUARE_WEIGHT: f32 = 1e-3;
/// Least sum of the bilinear weights of pixels that show a surface; below it, the nearest such pixel counts.
pub const LEAST_TAP_WEIGHT: f32 = 0.01;

/// Motion of an instance on the GPU: it did not exist in the previous world, or had a mesh of other triangles.
pub const NEW_INSTANCE: u32 = 0;
/// Neither transform nor mesh have changed.
pub const STILL_INSTANCE: u32 = 1;
/// The transform has changed.
pub const TRANSFORMED_INSTANCE: u32 = 2;
/// Vertices have moved.
pub const DEFORMED_INSTANCE: u32 = 3;

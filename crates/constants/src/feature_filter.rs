//! The edge-avoiding filter that is guided by features.

/// Depth of the background: far behind everything, but finite, so that its difference to itself is 0.
pub const BACKGROUND_DEPTH: f32 = 1e18;
/// Albedo up to which a surface is black. Its radiance may be emitted, so that dividing it by the albedo would make it
/// far brighter than its neighbours.
pub const BLACK_ALBEDO: f32 = 0.02;
/// Added to a component of the normal of black surfaces, so that they are not mixed with others.
pub const BLACK_NORMAL: f32 = 4.0;
/// Irradiance beyond which squares would overflow.
pub const MOST_IRRADIANCE: f32 = 1e15;
/// Least difference of depths between neighbouring pixels that a surface may have, whatever its slope seems to be,
/// relative to its depth.
pub const LEAST_SLOPE: f32 = 5e-3;
/// Largest such difference, which keeps thin objects from being as steep as the step to what is behind them.
pub const MOST_SLOPE: f32 = 0.25;

/// Number of standard deviations by which a luminance may exceed the mean of its neighbours, and by which it may itself
/// be in error.
pub const OUTLIER_DEVIATIONS: f32 = 3.0;
/// Luminance outside of the image: so far from any other that it has no weight.
pub const OUTSIDE_LUMINANCE: f32 = 1e30;

/// Factor of the squared distance of normals, which corresponds to the exponent 6 of their cosine. The 128 of
/// [Schied17, §4.4] leaves curved surfaces noisy, and pixels with several surfaces without neighbours: at 3 instead of
/// 64, the error of a room with 4 samples per pixel is 2.4 dB lower.
pub const NORMAL_WEIGHT: f32 = 3.0;
/// Standard deviations by which luminances differ whose weight is 1/e [Schied17, §4.4].
pub const DEVIATIONS: f32 = 4.0;
/// Relative difference of luminances that is not noticed, which keeps the filter defined where there is no noise.
pub const INVISIBLE_CONTRAST: f32 = 1e-4;

/// Distance of the farthest neighbours that an outlier is compared with, in pixels.
pub const OUTLIER_RADIUS: i32 = 2;
/// Distance of the farthest neighbours from which a variance is estimated, in pixels [Schied17, §4.2].
pub const VARIANCE_RADIUS: i32 = 3;
/// Distance of the farthest tap of a pass, in steps.
pub const TAP_RADIUS: i32 = 2;
/// Number of times that the kernel is applied; the last one has taps at a distance of 16 pixels.
pub const PASSES: u32 = 5;

//! Passes of the denoisers.

use sunfleck_constants::denoise::{CONVOLUTION_THREADS, FILTER_EDGE, METERING_BLOCK_PIXELS};
use sunfleck_constants::group::GROUP;

use super::{Features, Pass, passes};

const _: () = assert!(FILTER_EDGE * FILTER_EDGE == GROUP, "a thread of a group filters a pixel");

passes! {
    /// Computes noisy images from the sums of a strip of a film.
    GUIDE: Pass::new("denoise::guide").or_with(Features::CHANNELS).reads(&["strip film channels"]).writes(&["noisy"]);
    /// Averages luminance and depth of blocks of pixels.
    METER: Pass::new("denoise::learned::meter").reads(&["size noisy"]).writes(&["blocks"]).group(METERING_BLOCK_PIXELS);
    /// Computes the exposure and the mean depth of an image.
    SCALES: Pass::new("denoise::learned::scales").reads(&["size blocks"]).writes(&["scales"]).group(METERING_BLOCK_PIXELS);
    /// Computes the irradiance and the channels of the network's input.
    INPUT: Pass::new("denoise::learned::input").reads(&["size noisy scales"]).writes(&["image features"]);
    /// Convolves features with 3×3 taps.
    CONVOLUTION: Pass::new("denoise::learned::convolution").or_with(Features::HALVED)
        .reads(&["convolution features weights bias"]).writes(&["convolved halves"]).group(CONVOLUTION_THREADS);
    /// Convolves features of two resolutions with 3×3 taps.
    JOINED_CONVOLUTION: Pass::new("denoise::learned::convolution").with(Features::JOINED)
        .reads(&["convolution features low weights bias"]).writes(&["convolved"]).group(CONVOLUTION_THREADS);
    /// Computes the weights of pixels as neighbours, and the image of half the resolution.
    WEIGHTED_PYRAMID: Pass::new("denoise::learned::pyramid").with(Features::FINEST)
        .reads(&["size features confidences"]).writes(&["image coarser"]);
    /// Computes the image of half the resolution.
    PYRAMID: Pass::new("denoise::learned::pyramid").reads(&["size image"]).writes(&["coarser"]);
    /// Filters the image of the lowest resolution.
    COARSEST_FILTER: Pass::new("denoise::learned::filter").with(Features::COARSEST)
        .reads(&["size features head image"]).writes(&["filtered"]);
    /// Filters the image of a resolution in between, and blends it with the coarser result.
    FILTER: Pass::new("denoise::learned::filter").reads(&["size features head image coarse"]).writes(&["filtered"]);
    /// Filters the image of the full resolution, blends it with the coarser result, and writes radiance.
    FINEST_FILTER: Pass::new("denoise::learned::filter").with(Features::FINEST)
        .reads(&["size features head image coarse noisy scales"]).writes(&["radiance"]);
    /// Computes what the feature-guided filter reads.
    FEATURE_INPUT: Pass::new("denoise::features::input").reads(&["filtering noisy"]).writes(&["light guide nearness"]);
    /// Limits outliers.
    FIREFLIES: Pass::new("denoise::features::fireflies").reads(&["filtering light"]).writes(&["limited"]);
    /// Estimates variances that the renderer does not know.
    VARIANCE: Pass::new("denoise::features::variance").reads(&["filtering limited guide nearness"]).writes(&["light"]);
    /// Filters an image once.
    ATROUS: Pass::new("denoise::features::atrous").reads(&["filtering light guide nearness"]).writes(&["filtered"]);
    /// Filters an image for the last time, and writes radiance.
    LAST_ATROUS: Pass::new("denoise::features::atrous").with(Features::LAST)
        .reads(&["filtering light guide nearness noisy"]).writes(&["radiance"]);
}

//! Passes that accumulate samples in the film and evaluate it.

use super::{Features, Pass, passes};

passes! {
    /// Adds samples of radiance to pixels, and AOVs of the first surfaces if the film has such channels.
    ADD: Pass::new("film::add").or_with(Features::CHANNELS).reads(&["samples plan seen"]).writes(&["wave film channels"]);
    /// Computes a histogram of the luminance of pixels, for automatic exposure.
    HISTOGRAM: Pass::new("film::histogram").reads(&["film"]).writes(&["bins"]);
    /// Computes the mean of the samples of each pixel.
    MEANS: Pass::new("film::means").reads(&["film"]).writes(&["means"]);
}

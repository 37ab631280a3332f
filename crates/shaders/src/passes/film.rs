//! Sums of samples.

use super::{Features, Pass, passes};

passes! {
    /// Adds samples of radiance to pixels, and records what the first surfaces were if the film has channels.
    ADD: Pass::new("film::add").or_with(Features::CHANNELS).reads(&["samples plan seen"]).writes(&["wave film channels"]);
    /// How bright means of what was added are, for automatic exposure.
    HISTOGRAM: Pass::new("film::histogram").reads(&["film"]).writes(&["bins"]);
    /// Means of what was added.
    MEANS: Pass::new("film::means").reads(&["film"]).writes(&["means"]);
}

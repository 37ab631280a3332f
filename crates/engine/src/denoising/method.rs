use std::fmt;
use std::str::FromStr;

/// Way to remove noise from an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DenoiseMethod {
    /// The best one that is always there: [`Learned`](Self::Learned).
    Auto,
    /// An edge-avoiding filter that is guided by features.
    Features,
    /// A neural network that predicts filters.
    Learned,
    /// Intel Open Image Denoise, a library that has to be installed.
    Oidn,
}

/// A name that is not in [`DenoiseMethod::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no denoiser is called '{0}' (there are auto, features, learned, oidn)")]
pub struct UnknownDenoiseMethod(String);

impl DenoiseMethod {
    /// Every method.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Features, Self::Learned, Self::Oidn];

    /// Returns the name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Features => "features",
            Self::Learned => "learned",
            Self::Oidn => "oidn",
        }
    }

    /// Returns the bytes of memory per pixel that [`Denoiser::denoise`](crate::Denoiser::denoise) needs at most, beside
    /// the film.
    pub const fn bytes_per_pixel(self) -> u64 {
        // Features of the film while they are copied, albedo, normal, depth and variance; two halves, each denoised;
        // the mean and its result; relative errors, weights and sums of them over windows
        const GUIDE: u64 = 28 + 32;
        const IMAGES: u64 = 6 * 12;
        const SUMS: u64 = 56;
        let method = match self {
            // Five planes that guide it, and five of light, which exist twice
            Self::Features => 15 * 4,
            // See `Network::denoise`
            Self::Auto | Self::Learned => 280,
            // The library does not tell; prefiltered features included
            Self::Oidn => 500,
        };
        GUIDE + IMAGES + SUMS + method
    }
}

impl fmt::Display for DenoiseMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DenoiseMethod {
    type Err = UnknownDenoiseMethod;

    fn from_str(name: &str) -> Result<Self, UnknownDenoiseMethod> {
        Self::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| UnknownDenoiseMethod(name.to_owned()))
    }
}

//! A denoiser that is learned: a small neural network predicts the weights of filters for each pixel.
//!
//! The network is a U-Net [Ronneberger15, §2] on a quarter of the pixels, each of which holds the features of 2×2. For
//! five resolutions it predicts a kernel of 5×5 weights per pixel [Bako17, §4], and the results are blended from
//! coarse to fine [Vogels18, multi-scale architecture]. In contrast to those papers, each pixel also has a weight
//! wherever it is a neighbour, so that an outlier is excluded once instead of in 25 kernels. Results are averages of
//! the input, never invented.
//!
//! What is filtered is the logarithm of the irradiance (radiance over albedo), at an exposure that makes images of all
//! brightnesses alike. Averages of logarithms are darker than those of radiance: the network learns to compensate that
//! with its weights.

mod built_in;
mod convolution;
mod filter;
mod input;
mod pyramid;
#[cfg(test)]
mod reference;
mod tensor;
#[cfg(test)]
mod tests;
mod weights;

use fearless_simd::Level;
use sunfleck_math::Vec3;

use crate::NoisyImage;
use convolution::Convolution;
use input::Input;
use tensor::Tensor;
use weights::layers;
pub use weights::{Layer, WeightsError};

/// Resolutions of the U-Net and of the filter, without the full one.
pub const LEVELS: usize = 4;
/// Sizes are padded to a multiple of this, so that four halvings leave whole pixels.
pub const ALIGNMENT: usize = 32;
/// Channels of the input of the network: 11 features of 2×2 pixels.
pub const INPUTS: usize = 44;
/// Taps of a predicted kernel.
pub const TAPS: usize = 25;
/// Output channels of the heads, from the full resolution to the coarsest: taps, the blend weight, which the coarsest
/// lacks, and at full resolution, for 2×2 pixels, the weight as a neighbour.
const HEADS: [usize; LEVELS + 1] = [4 * (TAPS + 2), TAPS + 1, TAPS + 1, TAPS + 1, TAPS];
/// Most channels of a layer.
const MOST_CHANNELS: usize = 512;

/// A trained network, ready to run. It can be shared between threads.
pub struct Network {
    /// Convolutions of a stage of the U-Net.
    convolutions: usize,
    layers: Vec<Layer>,
    /// Convolutions from 1/2 to 1/16 of the resolution.
    encoder: Vec<Vec<Convolution>>,
    /// Convolutions of 1/2, 1/4 and 1/8 of the resolution.
    decoder: Vec<Vec<Convolution>>,
    heads: Vec<Convolution>,
}

impl Network {
    /// Reads weights in the format of `weights/*.weights`; the layers tell which of the two sizes it is.
    ///
    /// Errors: not that format, incomplete, values that are not finite, or not the layers of this network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let layers = layers(bytes)?;
        let convolutions = match layers.len() {
            19 => 2,
            12 => 1,
            found => return Err(WeightsError::Layers { found: u32::try_from(found).unwrap_or(u32::MAX) }),
        };
        let mut widths = [0; LEVELS];
        for (level, width) in widths.iter_mut().enumerate() {
            let layer = level * convolutions;
            *width = layers[layer].outputs;
            if *width == 0 || *width > MOST_CHANNELS || !width.is_multiple_of(tensor::LANES) {
                return Err(WeightsError::Width { layer, found: *width });
            }
        }
        check(&layers, &shapes(widths, convolutions))?;

        let mut remaining = layers.iter();
        let mut stage = |doubled: usize| -> Vec<Convolution> {
            let stage = remaining.by_ref().take(convolutions).enumerate();
            let pack = |(i, layer)| match (i, doubled) {
                (0, 1..) => Convolution::new_joined(layer, doubled),
                _ => Convolution::new(layer, true),
            };
            stage.map(pack).collect()
        };
        let encoder = (0..LEVELS).map(|_| stage(0)).collect();
        let mut decoder: Vec<_> = widths[1..].iter().rev().map(|&doubled| stage(doubled)).collect();
        decoder.reverse();
        let heads = remaining.map(|layer| Convolution::new(layer, false)).collect();
        Ok(Self { convolutions, layers, encoder, decoder, heads })
    }

    /// Returns the weights: those of the encoder from 1/2 to 1/16 of the resolution, of the decoder from 1/8 to 1/2, and
    /// of the heads from the full resolution to 1/16.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Returns the number of convolutions of each stage of the encoder and of the decoder: 1 or 2.
    pub fn stage_length(&self) -> usize {
        self.convolutions
    }

    /// Denoises an image. Returns one value per pixel.
    ///
    /// An unknown albedo counts as white, an unknown normal as 0, an unknown depth as background. Negative radiance
    /// counts as 0. It needs about 120 bytes of memory per pixel in the interactive size, and 280 in the other one.
    /// The result has the same bits on every CPU, whatever the number of threads. Never panics.
    pub fn denoise(&self, image: &NoisyImage) -> Vec<Vec3> {
        self.denoise_at(Level::new(), image)
    }

    /// [`Self::denoise`] with the instructions of a SIMD level.
    fn denoise_at(&self, level: Level, image: &NoisyImage) -> Vec<Vec3> {
        let input = Input::new(image);
        let irradiance = input.irradiance(level);
        let features = self.features(level, input.channels(level, &irradiance));
        filter::filter(level, &input, irradiance, &features, &self.heads)
    }

    /// Runs the U-Net. Returns its features at 1/2, 1/4, 1/8 and 1/16 of the resolution.
    fn features(&self, level: Level, channels: Tensor) -> Vec<Tensor> {
        // Down
        let mut features: Vec<Tensor> = Vec::with_capacity(LEVELS);
        let mut channels = Some(channels);
        for stage in &self.encoder {
            let input = match channels.take() {
                Some(channels) => channels,
                None => match features.last() {
                    Some(finer) => finer.halved(),
                    None => break,
                },
            };
            features.push(run(level, stage, stage[0].run(level, &input)));
        }
        // Up
        for (i, stage) in self.decoder.iter().enumerate().rev() {
            features[i] = run(level, stage, stage[0].run_joined(level, &features[i + 1], &features[i]));
        }
        features
    }
}

/// Runs all convolutions of a stage but the first, whose result is given.
fn run(level: Level, stage: &[Convolution], first: Tensor) -> Tensor {
    stage[1..].iter().fold(first, |tensor, convolution| convolution.run(level, &tensor))
}

/// Returns outputs, inputs and taps along one axis of each layer.
///
/// * `widths` — channels at 1/2 to 1/16 of the resolution; `convolutions` — number of convolutions of a stage.
fn shapes(widths: [usize; LEVELS], convolutions: usize) -> Vec<[usize; 3]> {
    let mut shapes = Vec::new();
    let mut stage = |width: usize, inputs: usize| {
        shapes.push([width, inputs, 3]);
        shapes.extend((1..convolutions).map(|_| [width, width, 3]));
    };
    for (level, &width) in widths.iter().enumerate() {
        stage(width, if level == 0 { INPUTS } else { widths[level - 1] });
    }
    for level in (0..LEVELS - 1).rev() {
        stage(widths[level], widths[level + 1] + widths[level]);
    }
    let heads = HEADS.iter().enumerate();
    shapes.extend(heads.map(|(level, &outputs)| [outputs, widths[level.saturating_sub(1)], 1]));
    shapes
}

fn check(layers: &[Layer], shapes: &[[usize; 3]]) -> Result<(), WeightsError> {
    for (layer, (found, &expected)) in layers.iter().zip(shapes).enumerate() {
        let found = [found.outputs, found.inputs, found.size];
        if found != expected {
            return Err(WeightsError::Shape { layer, found, expected });
        }
    }
    Ok(())
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network").field("convolutions", &self.convolutions).finish_non_exhaustive()
    }
}

use sunfleck_constants::denoise::{HEAD_VECTORS, TILE_CHANNELS};
use sunfleck_denoise::learned::{LEVELS, Layer, Network, TAPS};

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Outputs of a head that a filter reads: the taps and the blend weight.
const OUTPUTS: usize = TAPS + 1;
/// Outputs for which a head has memory.
const HEAD_OUTPUTS: usize = 4 * HEAD_VECTORS as usize;
/// Output channels that a workgroup computes.
const BLOCK: usize = TILE_CHANNELS as usize;

/// Weights of a network on the GPU.
#[derive(Debug)]
pub(super) struct NetworkWeights {
    /// Number of convolutions of each stage.
    pub(super) stage_length: usize,
    /// Channels at 1/2 to 1/16 of the resolution.
    pub(super) widths: [usize; LEVELS],
    /// Convolutions in the order of the network.
    pub(super) convolutions: Vec<ConvolutionWeights>,
    /// Heads from the full to 1/16 of the resolution.
    pub(super) heads: Vec<Array<[f32; 4]>>,
    /// The part of the first head that gives the weights of pixels as neighbours.
    pub(super) confidences: Array<[f32; 4]>,
}

/// Weights of a convolution.
#[derive(Debug)]
pub(super) struct ConvolutionWeights {
    pub(super) weights: Array<[f32; 4]>,
    pub(super) bias: Array<[f32; 4]>,
    pub(super) outputs: usize,
}

impl NetworkWeights {
    /// Uploads the weights of a network.
    pub(super) fn new(gpu: &Gpu, network: &Network) -> Result<Self, GpuError> {
        let layers = network.layers();
        let (convolutions, heads) = layers.split_at(layers.len().saturating_sub(LEVELS + 1));
        let stage_length = network.stage_length();
        let widths = std::array::from_fn(|level| layers[level * stage_length].outputs);
        let upload = |(level, layer): (usize, &Layer)| {
            Array::new(gpu, "weights of heads", &if level == 0 { finest_head(layer) } else { head(layer) })
        };
        Ok(Self {
            stage_length,
            widths,
            convolutions: convolutions
                .iter()
                .map(|l| ConvolutionWeights::new(gpu, l))
                .collect::<Result<_, _>>()?,
            heads: heads.iter().enumerate().map(upload).collect::<Result<_, _>>()?,
            confidences: Array::new(gpu, "weights of heads", &confidences(&heads[0]))?,
        })
    }
}

impl ConvolutionWeights {
    fn new(gpu: &Gpu, layer: &Layer) -> Result<Self, GpuError> {
        let blocks = layer.outputs.div_ceil(BLOCK);
        let mut weights = Vec::new();
        for block in 0..blocks {
            for input in 0..layer.inputs {
                for tap in 0..layer.size * layer.size {
                    let weight = |o: usize| layer.weight(o, input, tap / layer.size, tap % layer.size);
                    weights.extend((0..BLOCK).map(|lane| {
                        let output = block * BLOCK + lane;
                        if output < layer.outputs { weight(output) } else { 0.0 }
                    }));
                }
            }
        }
        let mut bias = layer.bias.clone();
        bias.resize(blocks * BLOCK, 0.0);
        Ok(Self {
            weights: Array::new(gpu, "weights", &vectors(&weights))?,
            bias: Array::new(gpu, "biases", &vectors(&bias))?,
            outputs: layer.outputs,
        })
    }
}

/// Returns the weights of a head by input channel, and then the biases.
fn head(layer: &Layer) -> Vec<[f32; 4]> {
    packed(layer, |output| (output < OUTPUTS && output < layer.outputs).then_some(output), HEAD_OUTPUTS)
}

/// Returns those of the head of the full resolution, one after the other for each of 2×2 pixels.
fn finest_head(layer: &Layer) -> Vec<[f32; 4]> {
    let part = |part| packed(layer, |output| (output < OUTPUTS).then_some(4 * output + part), HEAD_OUTPUTS);
    (0..4).flat_map(part).collect()
}

/// Returns the weights of the last four outputs of the head of the full resolution.
fn confidences(layer: &Layer) -> Vec<[f32; 4]> {
    packed(layer, |output| Some(4 * OUTPUTS + output), 4)
}

/// Returns the weights of some outputs by input channel, and then the biases.
///
/// * `place` — index in the layer of each of `count` outputs; those that have none are 0.
fn packed(layer: &Layer, place: impl Fn(usize) -> Option<usize>, count: usize) -> Vec<[f32; 4]> {
    let row = |input: usize| {
        (0..count)
            .map(|output| place(output).map_or(0.0, |o| layer.weight(o, input, 0, 0)))
            .collect::<Vec<_>>()
    };
    let bias = (0..count).map(|output| place(output).map_or(0.0, |o| layer.bias[o]));
    let values: Vec<f32> = (0..layer.inputs).flat_map(row).chain(bias).collect();
    vectors(&values)
}

/// Returns the values in vectors of four.
fn vectors(values: &[f32]) -> Vec<[f32; 4]> {
    values.as_chunks().0.to_vec()
}

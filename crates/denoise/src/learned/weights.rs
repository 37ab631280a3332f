//! The file format of weights.
//!
//! Little-endian: the magic bytes `SFDN`, the version 1 and the number of layers as u32; per layer the numbers of
//! output and input channels and of taps along one axis as u32, then as f16 the biases, and the weights in the order
//! `[output][input][y][x]`.

use half::f16;

const MAGIC: [u8; 4] = *b"SFDN";
const VERSION: u32 = 1;
/// More channels than any layer has.
const MOST_CHANNELS: u32 = 4096;

/// Reason why weights were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// The bytes are no weights of this format.
    #[error("these are not weights of a denoiser: they do not begin with SFDN")]
    Magic,
    /// The format has another version.
    #[error("the weights have version {found} of their format, not {VERSION}")]
    Version {
        /// Version of the bytes.
        found: u32,
    },
    /// The bytes end too early.
    #[error("the weights are incomplete: they end after {length} bytes")]
    Truncated {
        /// Number of bytes.
        length: usize,
    },
    /// There are bytes after the last layer.
    #[error("the weights have {extra} bytes after the last layer")]
    Extra {
        /// Number of bytes too many.
        extra: usize,
    },
    /// A weight or bias is NaN or infinite.
    #[error("layer {layer} of the weights has values that are not finite")]
    NotFinite {
        /// Index of the layer.
        layer: usize,
    },
    /// The layers are not those of the network.
    #[error("the weights have {found} layers; the network has 19, or 12 in the interactive size")]
    Layers {
        /// Number of layers.
        found: u32,
    },
    /// A layer has another shape than its place in the network requires.
    #[error(
        "layer {layer} of the weights has {} outputs, {} inputs and {}×{} taps, not {}, {} and {}×{}",
        found[0], found[1], found[2], found[2], expected[0], expected[1], expected[2], expected[2]
    )]
    Shape {
        /// Index of the layer.
        layer: usize,
        /// Outputs, inputs and taps along one axis.
        found: [usize; 3],
        /// The same as required.
        expected: [usize; 3],
    },
    /// The number of channels of a layer is not supported.
    #[error("layer {layer} of the weights has {found} outputs, which is not a multiple of 16 up to 512")]
    Width {
        /// Index of the layer.
        layer: usize,
        /// Number of outputs.
        found: usize,
    },
}

/// Weights of a convolution.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Number of output channels.
    pub outputs: usize,
    /// Number of input channels.
    pub inputs: usize,
    /// Taps along one axis.
    pub size: usize,
    /// One bias per output.
    pub bias: Vec<f32>,
    /// In the order `[output][input][y][x]`.
    pub weights: Vec<f32>,
}

impl Layer {
    /// Returns the weight of an output, an input and a tap.
    #[inline(always)]
    pub fn weight(&self, output: usize, input: usize, y: usize, x: usize) -> f32 {
        self.weights[((output * self.inputs + input) * self.size + y) * self.size + x]
    }
}

/// Reads all layers of a file. Errors: see [`WeightsError`]; the shapes are not compared with those of the network.
pub(super) fn layers(bytes: &[u8]) -> Result<Vec<Layer>, WeightsError> {
    let mut reader = Reader { rest: bytes, length: bytes.len() };
    if reader.array().map_err(|_| WeightsError::Magic)? != MAGIC {
        return Err(WeightsError::Magic);
    }
    let found = reader.u32()?;
    if found != VERSION {
        return Err(WeightsError::Version { found });
    }
    let found = reader.u32()?;
    if found > 64 {
        return Err(WeightsError::Layers { found });
    }
    let layers = (0..found as usize).map(|layer| reader.layer(layer)).collect::<Result<Vec<_>, _>>()?;
    match reader.rest.len() {
        0 => Ok(layers),
        extra => Err(WeightsError::Extra { extra }),
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    length: usize,
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8], WeightsError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or(WeightsError::Truncated { length: self.length })?;
        self.rest = rest;
        Ok(taken)
    }

    fn array(&mut self) -> Result<[u8; 4], WeightsError> {
        let mut array = [0; 4];
        array.copy_from_slice(self.take(4)?);
        Ok(array)
    }

    fn u32(&mut self) -> Result<u32, WeightsError> {
        self.array().map(u32::from_le_bytes)
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, WeightsError> {
        let bytes = self.take(2 * count)?;
        Ok(bytes.chunks_exact(2).map(|b| f16::from_le_bytes([b[0], b[1]]).to_f32()).collect())
    }

    fn layer(&mut self, layer: usize) -> Result<Layer, WeightsError> {
        let shape = [self.u32()?, self.u32()?, self.u32()?];
        let [outputs, inputs, size] = shape.map(|n| n.min(MOST_CHANNELS) as usize);
        let bias = self.floats(outputs)?;
        let weights = self.floats((outputs * inputs).saturating_mul(size * size).min(self.length))?;
        if !bias.iter().chain(&weights).all(|w| w.is_finite()) {
            return Err(WeightsError::NotFinite { layer });
        }
        Ok(Layer { outputs, inputs, size, bias, weights })
    }
}

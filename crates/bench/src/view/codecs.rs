//! Image codecs on images as the viewer sends them: a preview of a moving camera, and an image that converges at rest.

use std::time::Instant;

use fearless_simd::Level;
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use serde::Serialize;
use sunfleck_image::{DisplayOptions, Picture, ToneCurve, decode, encode_png, quantize};
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::igi::Igi;
use sunfleck_scene::Scene;

use super::client::failed;
use super::{ViewerBenchSettings, percentile};
use crate::BenchError;
use crate::stage::StagedScene;

/// Number of timings of each codec.
const ROUNDS: usize = 7;
/// Edges of tiles, pixels, for sending only the tiles that have changed.
const TILES: [usize; 3] = [16, 32, 64];
/// Numbers of samples per pixel after which the change by one more sample is measured.
const SAMPLES: [u32; 4] = [1, 4, 16, 64];

/// Results of a codec on a whole image.
#[derive(Clone, Debug, Serialize)]
pub struct CodecRow {
    /// Image: `moving` or `at rest`.
    pub picture: &'static str,
    /// Name of the codec.
    pub codec: String,
    /// Size of the encoded image, bytes.
    pub bytes: usize,
    /// Median encoding time, milliseconds.
    pub encode_ms: f64,
    /// Median decoding time, milliseconds.
    pub decode_ms: f64,
    /// Peak signal-to-noise ratio of the decoded image, dB; infinite for lossless codecs.
    pub psnr_db: f64,
}

/// Change of an image at rest by one more sample per pixel, by tiles.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DeltaRow {
    /// Samples per pixel before the additional one.
    pub samples: u32,
    /// Edge of the tiles, pixels.
    pub tile: usize,
    /// Fraction of the tiles in which any byte changes.
    pub changed: f64,
    /// Size of these tiles, encoded as a JPEG each, over that of the whole image as one JPEG.
    pub bytes: f64,
}

pub(super) fn measure(
    name: &str,
    scene: &Scene,
    settings: &ViewerBenchSettings,
) -> Result<(Vec<CodecRow>, Vec<DeltaRow>), BenchError> {
    let size = [settings.width, settings.height];
    let stage = StagedScene::new(name, scene, Level::new(), size)?;
    let preview = Igi::preview();
    let render = |igi: Igi, samples: u32| bytes(&stage.render(&Algorithm::Igi(igi), samples).0);
    let (moving, rest) = (render(preview, 1), render(Igi::DEFAULT, 16));
    let mut codecs = Vec::new();
    for (picture, rgb) in [("moving", &moving), ("at rest", &rest)] {
        codecs.extend(whole(picture, rgb, size)?);
    }
    let mut deltas = Vec::new();
    for samples in SAMPLES {
        let (before, after) = (render(Igi::DEFAULT, samples), render(Igi::DEFAULT, samples + 1));
        for tile in TILES {
            deltas.push(delta(samples, &before, &after, size, tile)?);
        }
    }
    Ok((codecs, deltas))
}

/// Returns the sRGB bytes of the tone-mapped image.
fn bytes(picture: &Picture) -> Vec<u8> {
    let byte = |&radiance| quantize(ToneCurve::default().apply(radiance, 0.0), None);
    picture.pixels().iter().flat_map(byte).collect()
}

fn whole(picture: &'static str, rgb: &[u8], size: [u32; 2]) -> Result<Vec<CodecRow>, BenchError> {
    let mut rows = Vec::new();
    let mut add = |codec: String, extension: &str, encode: &dyn Fn() -> Result<Vec<u8>, BenchError>| {
        let (mut encodes, mut decodes) = (Vec::new(), Vec::new());
        let mut file = Vec::new();
        let mut psnr_db = 0.0;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            file = encode()?;
            encodes.push(start.elapsed().as_secs_f64() * 1e3);
            let start = Instant::now();
            let decoded = decode(&file, extension).map_err(|error| failed(&error))?;
            decodes.push(start.elapsed().as_secs_f64() * 1e3);
            psnr_db = psnr(rgb, &decoded);
        }
        let (encode_ms, decode_ms) = (percentile(&mut encodes, 0.5), percentile(&mut decodes, 0.5));
        rows.push(CodecRow { picture, codec, bytes: file.len(), encode_ms, decode_ms, psnr_db });
        Ok::<(), BenchError>(())
    };
    for (sampling, name) in [(SamplingFactor::F_2_2, "4:2:0"), (SamplingFactor::F_1_1, "4:4:4")] {
        for quality in [70, 80, 92] {
            add(format!("JPEG {quality}, {name}"), "jpg", &|| jpeg(rgb, size, quality, sampling))?;
        }
    }
    // `encode_png` takes linear colours: decoded from sRGB, the bytes in the file are those of `rgb`
    let linear = |at: usize| sunfleck_image::srgb::linear_from_srgb(f32::from(rgb[at]) / 255.0);
    let shown = Picture::from_fn(size[0], size[1], |x, y| {
        let at = 3 * (y as usize * size[0] as usize + x as usize);
        [linear(at), linear(at + 1), linear(at + 2)].into()
    });
    let shown = shown.map_err(|error| failed(&error))?;
    let options =
        DisplayOptions { tone_curve: ToneCurve::Linear, dither: false, ..DisplayOptions::default() };
    add("PNG".into(), "png", &|| encode_png(&shown, &options).map_err(|error| failed(&error)))?;
    Ok(rows)
}

fn jpeg(
    rgb: &[u8],
    [width, height]: [u32; 2],
    quality: u8,
    sampling: SamplingFactor,
) -> Result<Vec<u8>, BenchError> {
    let edge = |edge: u32| u16::try_from(edge).map_err(|error| failed(&error));
    let mut bytes = Vec::with_capacity(rgb.len() / 8);
    let mut encoder = Encoder::new(&mut bytes, quality);
    encoder.set_sampling_factor(sampling);
    encoder.encode(rgb, edge(width)?, edge(height)?, ColorType::Rgb).map_err(|error| failed(&error))?;
    Ok(bytes)
}

fn psnr(rgb: &[u8], decoded: &sunfleck_image::Decoded) -> f64 {
    let sunfleck_image::Decoded::Rgba8 { texels, .. } = decoded else { return f64::NAN };
    let square = |(a, b): (&[u8], &[u8; 4])| -> f64 {
        (0..3).map(|i| (f64::from(a[i]) - f64::from(b[i])).powi(2)).sum()
    };
    let sum: f64 = rgb.chunks_exact(3).zip(texels).map(square).sum();
    let ratio = 255.0f64.powi(2) * rgb.len() as f64 / sum;
    #[expect(clippy::cast_possible_truncation, reason = "f32 is precise enough for decibels")]
    let bels = sunfleck_math::log2(ratio as f32) / sunfleck_math::log2(10.0);
    10.0 * f64::from(bels)
}

fn delta(
    samples: u32,
    before: &[u8],
    after: &[u8],
    size: [u32; 2],
    tile: usize,
) -> Result<DeltaRow, BenchError> {
    let [width, height] = size.map(|edge| edge as usize);
    let (mut tiles, mut changed, mut bytes) = (0usize, 0usize, 0usize);
    for y in (0..height).step_by(tile) {
        for x in (0..width).step_by(tile) {
            let (w, h) = (tile.min(width - x), tile.min(height - y));
            let rows = |rgb: &[u8]| -> Vec<u8> {
                (y..y + h).flat_map(|y| rgb[3 * (y * width + x)..][..3 * w].to_vec()).collect()
            };
            let (old, new) = (rows(before), rows(after));
            tiles += 1;
            if old != new {
                changed += 1;
                let edge = |edge: usize| u32::try_from(edge).unwrap_or(u32::MAX);
                bytes += jpeg(&new, [edge(w), edge(h)], 92, SamplingFactor::F_1_1)?.len();
            }
        }
    }
    let whole = jpeg(after, size, 92, SamplingFactor::F_1_1)?.len();
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    Ok(DeltaRow { samples, tile, changed: share(changed, tiles), bytes: share(bytes, whole) })
}

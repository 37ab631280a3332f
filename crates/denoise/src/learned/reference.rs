//! The network and its filter as plain loops, straight from their definition: slow.
#![allow(clippy::disallowed_methods, reason = "a reference in f64, which is compared with a tolerance")]

use sunfleck_math::Vec3;

use super::weights::{Layer, layers};
use crate::NoisyImage;

/// Returns the pixel at `i` of a row of `count` pixels between two mirrors.
fn mirrored(mut i: usize, count: usize) -> usize {
    let last = count - 1;
    let mut forwards = true;
    let mut at = 0;
    while i > 0 && last > 0 {
        forwards = if at == last { false } else { forwards || at == 0 };
        at = if forwards { at + 1 } else { at - 1 };
        i -= 1;
    }
    at
}

/// An image of channels: `[channel][y][x]`.
#[derive(Clone)]
struct Image {
    channels: usize,
    height: usize,
    width: usize,
    data: Vec<f64>,
}

impl Image {
    fn new(channels: usize, height: usize, width: usize, value: impl Fn(usize, usize, usize) -> f64) -> Self {
        let mut data = Vec::new();
        for c in 0..channels {
            for y in 0..height {
                data.extend((0..width).map(|x| value(c, y, x)));
            }
        }
        Self { channels, height, width, data }
    }

    fn at(&self, c: usize, y: usize, x: usize) -> f64 {
        self.data[(c * self.height + y) * self.width + x]
    }

    /// Returns the value of the nearest pixel of the image.
    fn nearest(&self, c: usize, y: i64, x: i64) -> f64 {
        let clamp = |i: i64, size: usize| usize::try_from(i).unwrap_or(0).min(size - 1);
        self.at(c, clamp(y, self.height), clamp(x, self.width))
    }

    fn convolved(&self, layer: &Layer, relu: bool) -> Self {
        assert_eq!(layer.inputs, self.channels, "channels");
        let reach = layer.size / 2;
        Self::new(layer.outputs, self.height, self.width, |o, y, x| {
            let mut sum = f64::from(layer.bias[o]);
            for (i, ky, kx) in (0..layer.inputs)
                .flat_map(|i| (0..layer.size).flat_map(move |ky| (0..layer.size).map(move |kx| (i, ky, kx))))
            {
                let (sy, sx) = (y + ky, x + kx);
                if sy >= reach && sx >= reach && sy - reach < self.height && sx - reach < self.width {
                    sum += f64::from(layer.weight(o, i, ky, kx)) * self.at(i, sy - reach, sx - reach);
                }
            }
            if relu { sum.max(0.0) } else { sum }
        })
    }

    fn halved(&self) -> Self {
        Self::new(self.channels, self.height / 2, self.width / 2, |c, y, x| {
            (0..4).map(|i| self.at(c, 2 * y + i / 2, 2 * x + i % 2)).sum::<f64>() / 4.0
        })
    }

    /// Joins this image at twice its resolution with another one.
    fn doubled_and_joined(&self, other: &Self) -> Self {
        Self::new(self.channels + other.channels, other.height, other.width, |c, y, x| {
            match c.checked_sub(self.channels) {
                None => self.at(c, y / 2, x / 2),
                Some(c) => other.at(c, y, x),
            }
        })
    }

    fn shuffled(&self) -> Self {
        Self::new(self.channels / 4, self.height * 2, self.width * 2, |c, y, x| {
            self.at(4 * c + 2 * (y % 2) + x % 2, y / 2, x / 2)
        })
    }

    fn unshuffled(&self) -> Self {
        Self::new(self.channels * 4, self.height / 2, self.width / 2, |c, y, x| {
            self.at(c / 4, 2 * y + c % 4 / 2, 2 * x + c % 2)
        })
    }

    /// Bilinear interpolation at twice the resolution between the centres of pixels.
    fn bilinear(&self) -> Self {
        Self::new(self.channels, self.height * 2, self.width * 2, |c, y, x| {
            let position = |i: usize| (i as f64 + 0.5) / 2.0 - 0.5;
            let (py, px) = (position(y), position(x));
            let (fy, fx) = (py - py.floor(), px - px.floor());
            #[expect(clippy::cast_possible_truncation, reason = "small integers")]
            let (iy, ix) = (py.floor() as i64, px.floor() as i64);
            let row = |iy: i64| self.nearest(c, iy, ix) * (1.0 - fx) + self.nearest(c, iy, ix + 1) * fx;
            row(iy) * (1.0 - fy) + row(iy + 1) * fy
        })
    }
}

fn luminance(c: [f64; 3]) -> f64 {
    0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]
}

/// Denoises an image that has all features.
pub(super) fn denoise(bytes: &[u8], image: &NoisyImage) -> Vec<Vec3> {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let rgb = |v: Vec3| v.to_array().map(f64::from);
    let surface = |depth: f32| depth > 0.0 && depth.is_finite();

    // Scales
    let mut logarithms = Vec::new();
    for (by, bx) in (0..height.div_ceil(16)).flat_map(|by| (0..width.div_ceil(16)).map(move |bx| (by, bx))) {
        let (rows, columns) = (16 * by..height.min(16 * by + 16), 16 * bx..width.min(16 * bx + 16));
        let count = rows.len() * columns.len();
        let pixels = rows.flat_map(|y| columns.clone().map(move |x| y * width + x));
        let mean = pixels.map(|i| luminance(rgb(image.radiance()[i]))).sum::<f64>() / count as f64;
        if mean > 1e-8 {
            logarithms.push(mean.ln());
        }
    }
    let s = match logarithms.len() {
        0 => 1.0,
        n => 0.18 / (logarithms.iter().sum::<f64>() / n as f64).exp(),
    };
    let depths: Vec<f64> = image.depth().iter().filter(|d| surface(**d)).map(|&d| f64::from(d)).collect();
    let mean_depth = if depths.is_empty() { 1.0 } else { depths.iter().sum::<f64>() / depths.len() as f64 };

    // Features
    let input = Image::new(11, height.next_multiple_of(32), width.next_multiple_of(32), |c, y, x| {
        let i = mirrored(y, height) * width + mirrored(x, width);
        let (r, a, n) = (rgb(image.radiance()[i]), rgb(image.albedo()[i]), rgb(image.normal()[i]));
        let t = [0, 1, 2].map(|k| (1.0 + s * r[k].max(0.0) / (a[k] + 0.02)).ln());
        let d = image.depth()[i];
        match c {
            0..3 => t[c],
            3..6 => a[c - 3],
            6..9 => n[c - 6],
            9 if surface(d) => 1.0 / (1.0 + f64::from(d) / mean_depth),
            9 => 0.0,
            _ => {
                let deviation = f64::from(image.variance()[i]).sqrt();
                (1.0 + s * deviation / (luminance(a) + 0.02)).ln() / (1.0 + luminance(t))
            }
        }
    });

    // U-Net
    let layers = layers(bytes).unwrap();
    let convolutions = if layers.len() == 19 { 2 } else { 1 };
    let mut layers = layers.iter();
    let mut stage = |image: &Image| {
        layers.by_ref().take(convolutions).fold(image.clone(), |image, layer| image.convolved(layer, true))
    };
    let e0 = stage(&input.unshuffled());
    let e1 = stage(&e0.halved());
    let e2 = stage(&e1.halved());
    let e3 = stage(&e2.halved());
    let d2 = stage(&e3.doubled_and_joined(&e2));
    let d1 = stage(&d2.doubled_and_joined(&e1));
    let d0 = stage(&d1.doubled_and_joined(&e0));
    let heads: Vec<Image> = [&d0, &d0, &d1, &d2, &e3]
        .into_iter()
        .zip(layers)
        .map(|(features, layer)| features.convolved(layer, false))
        .collect();
    let full = heads[0].shuffled();

    // Pyramid: irradiance and logarithm of the weight
    let mut pyramid = vec![Image::new(4, input.height, input.width, |c, y, x| match c {
        0..3 => input.at(c, y, x),
        _ => full.at(26, y, x).clamp(-12.0, 4.0),
    })];
    for l in 0..4 {
        let fine = &pyramid[l];
        let coarse = Image::new(4, fine.height / 2, fine.width / 2, |c, y, x| {
            let pixels = (0..4).map(|i| (2 * y + i / 2, 2 * x + i % 2));
            let sum: f64 = pixels.clone().map(|(y, x)| fine.at(3, y, x).exp()).sum();
            match c {
                0..3 => pixels.map(|(y, x)| fine.at(3, y, x).exp() * fine.at(c, y, x)).sum::<f64>() / sum,
                _ => (sum / 4.0).ln(),
            }
        });
        pyramid.push(coarse);
    }

    // Filter and reconstruction
    let filtered = |l: usize| {
        let (logits, image) = (if l == 0 { &full } else { &heads[l] }, &pyramid[l]);
        Image::new(3, image.height, image.width, |c, y, x| {
            let (mut sum, mut total) = (0.0, 0.0);
            for k in 0..25 {
                let offset = |i: usize, k: usize| i64::try_from(i + k).unwrap() - 2;
                let (qy, qx) = (offset(y, k / 5), offset(x, k % 5));
                let w = (logits.at(k, y, x) + image.nearest(3, qy, qx)).exp();
                sum += w * image.nearest(c, qy, qx);
                total += w;
            }
            sum / total
        })
    };
    let mut result = filtered(4);
    for l in (0..4).rev() {
        let (fine, coarse) = (filtered(l), result.bilinear());
        let logits = if l == 0 { &full } else { &heads[l] };
        result = Image::new(3, fine.height, fine.width, |c, y, x| {
            let blend = 1.0 / (1.0 + (-logits.at(25, y, x)).exp());
            blend * fine.at(c, y, x) + (1.0 - blend) * coarse.at(c, y, x)
        });
    }
    (0..width * height)
        .map(|i| {
            let albedo = rgb(image.albedo()[i]);
            let channel =
                |c: usize| (result.at(c, i / width, i % width).exp() - 1.0) * (albedo[c] + 0.02) / s;
            #[expect(clippy::cast_possible_truncation, reason = "compared with f32")]
            let radiance = [0, 1, 2].map(|c| channel(c) as f32);
            Vec3::from_array(radiance)
        })
        .collect()
}

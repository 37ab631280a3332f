//! The networks give the results of `PyTorch`, which trained them.
//!
//! `training/denoiser/export.py` writes the weights and an image with its results into the folder of this crate, or
//! into another one, which the environment variable `SUNFLECK_DENOISER` names.

use std::path::PathBuf;

use sunfleck_denoise::NoisyImage;
use sunfleck_denoise::learned::Network;
use sunfleck_math::Vec3;

/// Difference of a component from that of `PyTorch`, relative to 0.01 plus the component.
const TOLERANCE: f32 = 1e-3;

fn read(name: &str) -> Vec<u8> {
    let folder = std::env::var_os("SUNFLECK_DENOISER").map(PathBuf::from);
    let path = folder.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR"))).join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Planes of an image, which are taken from the first to the last.
struct Planes {
    values: std::vec::IntoIter<f32>,
    pixels: usize,
}

impl Planes {
    fn scalars(&mut self) -> Vec<f32> {
        self.values.by_ref().take(self.pixels).collect()
    }

    fn vectors(&mut self) -> Vec<Vec3> {
        let (x, y, z) = (self.scalars(), self.scalars(), self.scalars());
        x.into_iter().zip(y).zip(z).map(|((x, y), z)| Vec3::new(x, y, z)).collect()
    }
}

#[test]
fn results_are_those_of_pytorch() {
    let bytes = read("tests/fixtures/denoise-40x24.bin");
    let words: Vec<[u8; 4]> = bytes.chunks_exact(4).map(|b| b.try_into().unwrap()).collect();
    let (width, height) = (u32::from_le_bytes(words[0]), u32::from_le_bytes(words[1]));
    let values: Vec<f32> = words[2..].iter().map(|&b| f32::from_le_bytes(b)).collect();
    let mut planes = Planes { values: values.into_iter(), pixels: (width * height) as usize };
    let (radiance, albedo, normal) = (planes.vectors(), planes.vectors(), planes.vectors());
    let (depth, variance) = (planes.scalars(), planes.scalars());
    let image = NoisyImage::new(width, height, &radiance).unwrap().with_albedo(&albedo).unwrap();
    let image = image.with_normal(&normal).unwrap().with_depth(&depth).unwrap();
    let image = image.with_variance(&variance).unwrap();

    for size in ["final", "interactive"] {
        let network = Network::from_bytes(&read(&format!("weights/{size}.weights"))).unwrap();
        let expected = planes.vectors();
        for (i, (pixel, expected)) in network.denoise(&image).iter().zip(&expected).enumerate() {
            let difference = ((*pixel - *expected).abs() / (expected.abs() + 0.01)).max_element();
            assert!(difference < TOLERANCE, "{size}, pixel {i}: {pixel}, not {expected}");
        }
    }
    assert_eq!(planes.values.len(), 0, "all planes are read");
}

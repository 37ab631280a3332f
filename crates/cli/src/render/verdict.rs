//! Check of the finished image: why it is black or white, and what to do.

use sunfleck_image::{Film, ToneCurve};
use sunfleck_math::Vec3;

/// An image whose pixels are all darker than this is black: half a step of 8 bits, in display-linear light.
const BLACK: f32 = 1.5e-4;
/// Pixels are clipped if all channels are at least this, in display-linear light.
const CLIPPED: f32 = 0.97;
/// An image is white if this fraction of its pixels is clipped.
const WHITE_FRACTION: f32 = 0.98;

/// Returns a warning if an image is black or white.
///
/// * `lights` — number of lights in the scene.
pub(super) fn of_image(film: &Film, stops: f32, curve: ToneCurve, lights: usize) -> Option<String> {
    let radiance = film.radiance();
    let display = |&radiance: &Vec3| curve.apply(radiance, stops);
    let brightest =
        radiance.pixels().iter().map(|radiance| display(radiance).max_element()).fold(0.0, f32::max);
    if brightest < BLACK {
        return Some(match (lights, radiance.pixels().iter().any(|&radiance| radiance != Vec3::ZERO)) {
            (0, _) => "warning: the image is black: the scene has no light; add one with --stage studio or \
                       --environment white"
                .into(),
            (_, false) => {
                "warning: the image is black: no light reaches what the camera sees; try --stage sky, more \
                           samples with --spp, or another --camera"
                    .into()
            }
            (_, true) => format!(
                "warning: the image is black at an exposure of {stops:+.1} stops; try --exposure auto"
            ),
        });
    }
    let is_clipped = |radiance: &&Vec3| display(radiance).min_element() >= CLIPPED;
    let clipped = radiance.pixels().iter().filter(is_clipped).count();
    (clipped as f32 >= WHITE_FRACTION * radiance.pixels().len() as f32).then(|| {
        format!("warning: the image is white at an exposure of {stops:+.1} stops; try --exposure auto")
    })
}

#[cfg(test)]
mod tests {
    use sunfleck_image::{AovSet, FilmTile, PixelSample, TileRect};

    use super::*;

    /// Returns the verdict on an image of one colour at an exposure.
    fn verdict(radiance: f32, stops: f32, lights: usize) -> Option<String> {
        let rect = TileRect { x0: 0, y0: 0, x1: 4, y1: 4 };
        let mut tile = FilmTile::new(rect, AovSet::EMPTY);
        for i in 0..16 {
            tile.add(
                i % 4,
                i / 4,
                &PixelSample { radiance: Vec3::splat(radiance), ..PixelSample::default() },
            );
        }
        let mut film = Film::new(4, 4, AovSet::EMPTY);
        film.put(tile).unwrap();
        of_image(&film, stops, ToneCurve::Aces, lights)
    }

    #[test]
    fn black_and_white_images_are_explained() {
        let says = |verdict: Option<String>, words: &str| verdict.is_some_and(|text| text.contains(words));
        assert_eq!(verdict(0.5, 0.0, 1), None);
        assert!(says(verdict(0.0, 0.0, 0), "no light; add one"));
        assert!(says(verdict(0.0, 0.0, 2), "no light reaches"));
        assert!(says(verdict(1e-3, -12.0, 2), "-12.0 stops"));
        assert!(says(verdict(0.5, 12.0, 2), "white at an exposure of +12.0"));
    }
}

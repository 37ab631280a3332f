//! Films of cameras: size and crop window.

use sunfleck_scene::{CameraFilm, VALID_ASPECT_RATIOS};

use super::omissions::Omissions;
use super::place::SourcePlace;
use crate::error::ParseError;

/// Returns a film with a crop window, which is reduced to what is inside of it. Of an empty one, with a warning, the
/// whole film is left.
///
/// * `window` — x0, y0, x1, y1: pixels, the last ones excluded; `None` for the whole film.
///
/// Errors: the size is out of range.
pub(crate) fn film(
    [width, height]: [i64; 2],
    window: Option<[i64; 4]>,
    omissions: &mut Omissions,
    place: &SourcePlace,
) -> Result<CameraFilm, ParseError> {
    let edge = |pixels: i64| u32::try_from(pixels).unwrap_or(0);
    let whole = CameraFilm { width: edge(width), height: edge(height), crop: None };
    if !whole.is_valid() || !VALID_ASPECT_RATIOS.contains(&aspect(&whole)) {
        return Err(place.error(format!("a film of {width} × {height} pixels is not supported")));
    }
    let Some(window) = window else { return Ok(whole) };
    Ok(CameraFilm::cropped(whole.width, whole.height, window).unwrap_or_else(|| {
        omissions.warn(place, "the crop window of the film is empty: the whole film is shown");
        whole
    }))
}

/// Returns the aspect ratio of a film, width over height.
#[allow(clippy::cast_precision_loss, reason = "sizes of images")]
pub(crate) fn aspect(film: &CameraFilm) -> f32 {
    film.width as f32 / film.height as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileLocation;

    #[test]
    fn films_have_a_size_and_a_part_of_it() {
        let place = SourcePlace { included: None, location: FileLocation::File };
        let made = |size, window| film(size, window, &mut Omissions::default(), &place).ok();
        let whole = CameraFilm { width: 40, height: 30, crop: None };
        assert_eq!(made([40, 30], None), Some(whole));
        assert_eq!(
            made([40, 30], Some([-9, 0, 20, 99])),
            Some(CameraFilm { crop: Some([0, 0, 20, 30]), ..whole })
        );
        assert_eq!(made([40, 30], Some([40, 0, 50, 30])), Some(whole), "empty");
        for size in [[0, 30], [-1, 30], [1 << 40, 30], [60_000, 1]] {
            assert_eq!(made(size, None), None, "{size:?}");
        }
    }
}

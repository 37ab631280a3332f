//! What the camera sees behind the scene: the environment, nothing, a colour or an image.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use sunfleck_command::Failure;
use sunfleck_image::srgb::linear_from_srgb;
use sunfleck_image::{Aov, ImageNote, OutputBackground, Picture, TileRect, read_picture_with_notes};
use sunfleck_integrators::Algorithm;
use sunfleck_math::{Vec3, vec3};

use super::aovs;

/// Background of the image; the environment lights the scene, and is seen in reflections, all the same.
#[derive(Args, Debug)]
#[command(next_help_heading = "Background")]
pub(super) struct BackgroundArgs {
    /// Make the background transparent, in PNG, WebP, TIFF and EXR files
    ///
    /// PNG, WebP and TIFF files get straight alpha, EXR files premultiplied alpha. The environment lights the scene, and
    /// mirrors and glass show it. Cut-outs of textures are transparent, too. The ground of a stage is left out. To keep the
    /// brightness that the scene has with its environment, give --exposure.
    #[arg(long, conflicts_with = "background")]
    pub(super) transparent: bool,

    /// Show a colour or an image instead of the environment
    ///
    /// It is behind the scene, and shown as it is, without exposure. A colour is `#rrggbb` or `#rgb` in sRGB, or one of
    /// the 16 basic names of CSS, such as `white` and `navy`. To keep the brightness of the scene, give --exposure.
    /// An image covers the frame: it is scaled and cut at two sides if its aspect ratio differs.
    #[arg(long, value_name = "COLOR|FILE")]
    pub(super) background: Option<BackgroundChoice>,
}

/// The basic colours of CSS (CSS Color Module, level 3, §4.1) as 0xrrggbb in sRGB, with grey in both spellings.
const NAMED_COLORS: [(&str, u32); 17] = [
    ("black", 0x000000),
    ("silver", 0xc0c0c0),
    ("gray", 0x808080),
    ("grey", 0x808080),
    ("white", 0xffffff),
    ("maroon", 0x800000),
    ("red", 0xff0000),
    ("purple", 0x800080),
    ("fuchsia", 0xff00ff),
    ("green", 0x008000),
    ("lime", 0x00ff00),
    ("olive", 0x808000),
    ("yellow", 0xffff00),
    ("navy", 0x000080),
    ("blue", 0x0000ff),
    ("teal", 0x008080),
    ("aqua", 0x00ffff),
];

/// Value of `--background`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BackgroundChoice {
    /// Linear colour.
    Color(Vec3),
    File(PathBuf),
}

/// Background behind the covered parts of an image.
#[derive(Clone, Debug)]
pub(super) enum Background {
    /// The environment, as the camera sees it.
    Environment,
    /// None: the image has alpha.
    Transparent,
    /// Linear colour.
    Color(Vec3),
    /// Image that covers the frame, in linear colours.
    Image(Picture),
}

impl BackgroundArgs {
    /// Returns whether the camera does not see the environment.
    pub(super) fn leaves_out_environment(&self) -> bool {
        self.transparent || self.background.is_some()
    }
}

impl FromStr for BackgroundChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = NAMED_COLORS.iter().find(|(name, _)| text.eq_ignore_ascii_case(name));
        let color = named.map(|&(_, number)| color_of(number)).or_else(|| hexadecimal(text));
        match color {
            Some(color) => Ok(Self::Color(color)),
            None if text.starts_with('#') && !text.contains('.') => {
                Err("a colour has three or six hexadecimal digits, such as #fff or #8090ff")
            }
            None => Ok(Self::File(text.into())),
        }
    }
}

/// Returns the linear colour of `#rrggbb` or `#rgb`.
fn hexadecimal(text: &str) -> Option<Vec3> {
    let digits = text.strip_prefix('#')?;
    let digits = match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit; 2]).collect(),
        6 => digits.to_string(),
        _ => return None,
    };
    // A sign is no digit, but accepted by the parser of numbers
    let number = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(digits)?;
    u32::from_str_radix(&number, 16).ok().map(color_of)
}

/// Returns the linear colour of the sRGB colour 0xrrggbb.
fn color_of(number: u32) -> Vec3 {
    let channel = |shift: u32| linear_from_srgb((number >> shift & 0xff) as f32 / 255.0);
    vec3(channel(16), channel(8), channel(0))
}

impl Background {
    /// Reads the background that is given.
    ///
    /// # Errors
    /// The image cannot be read.
    pub(super) fn new(args: &BackgroundArgs) -> Result<Self, Failure> {
        Ok(match &args.background {
            None if args.transparent => Self::Transparent,
            None => Self::Environment,
            Some(BackgroundChoice::Color(color)) => Self::Color(*color),
            Some(BackgroundChoice::File(file)) => {
                let (picture, notes) = read_picture_with_notes(file).map_err(|error| {
                    Failure::bad_input(format!("--background: {error}"))
                        .with_help("it is a colour such as white or #8090ff, or the path of an image")
                })?;
                for fault in notes.iter().filter(|note| !matches!(note, ImageNote::Choice(_))) {
                    eprintln!("warning: --background {}: {fault}", file.display());
                }
                Self::Image(picture)
            }
        })
    }

    /// Checks that an algorithm can leave the environment out, if it is to.
    ///
    /// # Errors
    /// It cannot.
    pub(super) fn check(&self, algorithm: &Algorithm) -> Result<(), Failure> {
        match self {
            Self::Environment => Ok(()),
            _ => aovs::require(Aov::Alpha, algorithm, "--transparent and --background"),
        }
    }

    /// Returns whether the camera sees the environment.
    pub(super) fn is_environment(&self) -> bool {
        matches!(self, Self::Environment)
    }

    /// Returns an upper bound of the bytes that the background needs for an image of a number of pixels: its file, and
    /// what is made for the files to write.
    pub(super) fn bytes(&self, pixels: u64) -> u64 {
        const PIXEL: u64 = size_of::<Vec3>() as u64;
        match self {
            Self::Environment | Self::Transparent => 0,
            // EXR and HDR files: the image over the colour
            Self::Color(_) => pixels.saturating_mul(PIXEL),
            // And the part of the file that is seen
            Self::Image(image) => {
                let file = image.pixels().len() as u64;
                pixels.saturating_mul(2).saturating_add(file).saturating_mul(PIXEL)
            }
        }
    }

    /// Returns what is behind a part of an image of the given size; `None` if nothing replaces the environment.
    pub(super) fn behind(&self, window: TileRect, size: [u32; 2]) -> Option<Backdrop> {
        match self {
            Self::Environment | Self::Transparent => None,
            Self::Color(color) => Some(Backdrop::Color(*color)),
            Self::Image(image) => Some(Backdrop::Picture(covering(image, window, size)?.into())),
        }
    }
}

/// What is behind the covered parts of an image that is written.
#[derive(Clone, Debug)]
pub(super) enum Backdrop {
    /// Linear colour.
    Color(Vec3),
    /// Linear colours of each pixel.
    Picture(Arc<Picture>),
}

impl Backdrop {
    /// Returns the background for the encoders of files.
    pub(super) fn of_output(&self) -> OutputBackground<'_> {
        match self {
            Self::Color(color) => OutputBackground::Color(*color),
            Self::Picture(picture) => OutputBackground::Picture(picture),
        }
    }
}

/// Returns an image as it is seen behind a part of another one, which has the given size and which it covers.
fn covering(image: &Picture, window: TileRect, [width, height]: [u32; 2]) -> Option<Picture> {
    let (width, height) = (width as f32, height as f32);
    let (own_width, own_height) = (image.width() as f32, image.height() as f32);
    // Pixels of the background per pixel of the image: the smaller side fits, the other one is cut
    let scale = (own_width / width).min(own_height / height);
    let at = |pixel: u32, size: f32, own: f32| (pixel as f32 + 0.5 - size * 0.5) * scale + own * 0.5;
    let color = |x: u32, y: u32| {
        let (x, y) = (at(window.x0 + x, width, own_width), at(window.y0 + y, height, own_height));
        area(image, x, y, scale.max(1.0))
    };
    Picture::from_fn(window.width(), window.height(), color).ok()
}

/// Returns the mean of an image over a square, with linear interpolation between pixels.
///
/// * `x`, `y` — centre of the square in pixels from the upper left corner. * `side` — its side, at least 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "coordinates inside the image")]
fn area(image: &Picture, x: f32, y: f32, side: f32) -> Vec3 {
    let half = side * 0.5;
    let first = |at: f32| (at - half).max(0.0) as u32;
    let last = |at: f32, size: u32| ((at + half).max(0.0) as u32).min(size - 1);
    // Share of a pixel that the square covers
    let share = |at: f32, pixel: u32| (at + half).min(pixel as f32 + 1.0) - (at - half).max(pixel as f32);
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for row in first(y)..=last(y, image.height()) {
        for column in first(x)..=last(x, image.width()) {
            let weight = share(x, column).max(0.0) * share(y, row).max(0.0);
            sum += image.pixel(column, row) * weight;
            total += weight;
        }
    }
    if total > 0.0 { sum / total } else { image.pixel(first(x), first(y)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_files_are_told_apart() {
        let choice = |text: &str| text.parse::<BackgroundChoice>().unwrap();
        assert_eq!(choice("white"), BackgroundChoice::Color(Vec3::ONE));
        assert_eq!(choice("#ff0000"), BackgroundChoice::Color(Vec3::X));
        // The middle of sRGB, 188, is half of the light
        let BackgroundChoice::Color(grey) = choice("#bcbcbc") else { panic!("a colour") };
        assert!((grey - 0.5).abs().max_element() < 0.005, "{grey}");
        assert_eq!(choice("#fff"), choice("white"));
        assert_eq!(choice("#08F"), choice("#0088ff"));
        assert_eq!(choice("Lime"), BackgroundChoice::Color(Vec3::Y));
        assert_eq!((choice("gray"), choice("grey")), (choice("#808080"), choice("#808080")));
        for malformed in ["#12345", "#gggggg", "#", "#ff", "#+12", "#äö"] {
            assert!(malformed.parse::<BackgroundChoice>().is_err(), "{malformed}");
        }
        for file in ["a.png", "#1.png", "./white", "greyish"] {
            assert_eq!(choice(file), BackgroundChoice::File(file.into()));
        }
    }

    #[test]
    fn an_image_covers_the_frame() {
        // Columns of 0, 1, 2, 3; the frame is square, so that the middle is seen
        let image = Picture::from_fn(4, 2, |x, _| Vec3::splat(x as f32)).unwrap();
        let whole = |size: u32| TileRect { x0: 0, y0: 0, x1: size, y1: size };
        let values = |size: u32| -> Vec<f32> {
            let picture = covering(&image, whole(size), [size; 2]).unwrap();
            (0..size).map(|x| picture.pixel(x, 0).x).collect()
        };
        assert_eq!(values(2), [1.0, 2.0]);
        assert_eq!(values(1), [1.5]);
        let part = TileRect { x0: 1, y0: 0, x1: 2, y1: 1 };
        assert_eq!(covering(&image, part, [2; 2]).unwrap().pixels(), [Vec3::splat(2.0)]);
        assert!(Background::Transparent.behind(part, [2; 2]).is_none());
    }

    #[test]
    fn a_colour_stays_a_colour_and_memory_is_known_before_it_is_taken() {
        let endless = TileRect { x0: 0, y0: 0, x1: u32::MAX, y1: u32::MAX };
        let white = Background::Color(Vec3::ONE);
        assert!(matches!(white.behind(endless, [u32::MAX; 2]), Some(Backdrop::Color(Vec3::ONE))));
        assert_eq!(white.bytes(1000), 12_000);
        let image = Background::Image(Picture::from_fn(4, 2, |_, _| Vec3::ONE).unwrap());
        assert_eq!(image.bytes(1000), (2 * 1000 + 8) * 12);
        assert_eq!((image.bytes(u64::MAX), Background::Environment.bytes(9)), (u64::MAX, 0));
    }
}

use std::io::Cursor;

use ::exr::prelude::{
    AnyChannel, AnyChannels, Compression, Encoding, FlatSamples, Image, ImageAttributes, IntegerBounds,
    Layer, LayerAttributes, LineOrder, SmallVec, Text, Vec2, WritableImage, attribute::Chromaticities, f16,
};
use sunfleck_math::Vec3;

use super::OutputImage;
use crate::{Aov, AovSet, Features, Film, ImageError, Picture};

/// Options for EXR files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExrOptions {
    /// Stores radiance and albedo as 16-bit floats (three digits, at most 65504), which halves the size.
    pub half: bool,
    /// AOVs to store, if the film has recorded them.
    pub aovs: AovSet,
}

impl Default for ExrOptions {
    /// Returns full precision and all AOVs.
    fn default() -> Self {
        Self { half: false, aovs: AovSet::ALL }
    }
}

/// Chromaticities of Rec.709 with the white of D65 [BT709, items 1.3 and 1.4].
const REC709: Chromaticities = Chromaticities {
    red: Vec2(0.64, 0.33),
    green: Vec2(0.30, 0.60),
    blue: Vec2(0.15, 0.06),
    white: Vec2(0.3127, 0.329),
};

/// Encodes an EXR file: linear, lossless, one part.
///
/// * `radiance` — that of the film, or a denoised one.
/// * `film` — film of the size of `radiance`, whose AOVs are added as channels.
///
/// | channels | type | AOV |
/// |---|---|---|
/// | `R G B` | half or float | radiance |
/// | `A` | float | coverage, if the image has alpha |
/// | `depth.Z` | float | distance along the camera ray, infinite for a miss |
/// | `P.X P.Y P.Z` | float | position in world space |
/// | `Ng.X …`, `N.X …` | float | geometric and shading normal |
/// | `albedo.R …` | half or float | albedo |
/// | `ao.Y` | float | ambient occlusion |
/// | `reflections.Y` | float | levels of reflection and refraction |
/// | `inst_id prim_id mesh_id material_id` | uint | ids, 2³²-1 for a miss |
/// | `features.albedo.R …`, `features.N.X …`, `features.inverse_distance.Y` | float | features for denoising |
/// | `variance.R …` | float | variance of the pixel's mean radiance |
/// | `diffuse.R …` | float | diffuse radiance |
/// | `alpha.Y` | float | coverage |
/// | `clamped.R …` | float | radiance that the limit of fireflies removed |
///
/// Errors: the sizes of `radiance` and `film` differ.
pub fn encode_exr(
    radiance: &Picture,
    film: Option<&Film>,
    options: ExrOptions,
) -> Result<Vec<u8>, ImageError> {
    encode_image(&OutputImage { film, ..OutputImage::new(radiance) }, options)
}

/// Encodes an image as [`encode_exr`] does, with a channel `A` if it has alpha, and with the position of its window.
pub(super) fn encode_image(image: &OutputImage<'_>, options: ExrOptions) -> Result<Vec<u8>, ImageError> {
    let OutputImage { radiance, film, alpha, window, full_size, .. } = *image;
    let size = (radiance.width() as usize, radiance.height() as usize);
    let mut channels = Channels { options, list: SmallVec::new() };
    channels.color(["R", "G", "B"], radiance.pixels());
    if let Some(alpha) = alpha {
        if alpha.len() != radiance.pixels().len() {
            return Err(encode_error("the alpha channel and the image differ in size"));
        }
        channels.numbers("A", Some(alpha.to_vec()));
    }
    if let Some(film) = film {
        if (film.width(), film.height()) != (radiance.width(), radiance.height()) {
            return Err(encode_error("the film and the image differ in size"));
        }
        channels.aovs(film);
    }

    let software_name = Text::new_or_none(concat!("sunfleck ", env!("CARGO_PKG_VERSION")));
    let coordinate = |pixels: u32| i32::try_from(pixels).unwrap_or(i32::MAX);
    let layer_position = Vec2(coordinate(window.x0), coordinate(window.y0));
    let attributes = LayerAttributes { software_name, layer_position, ..LayerAttributes::default() };
    // Increasing line order, with which blocks that are compressed in parallel always give the same file
    let encoding = Encoding {
        compression: Compression::ZIP16,
        line_order: LineOrder::Increasing,
        ..Encoding::default()
    };
    let layer = Layer::new(size, attributes, encoding, AnyChannels::sort(channels.list));
    let [width, height] = full_size.map(|edge| edge as usize);
    let mut shared = ImageAttributes::new(IntegerBounds::from_dimensions((width, height)));
    shared.chromaticities = Some(REC709);

    let mut bytes = Cursor::new(Vec::new());
    Image::new(shared, layer).write().to_buffered(&mut bytes).map_err(|e| encode_error(&e.to_string()))?;
    Ok(bytes.into_inner())
}

fn encode_error(reason: &str) -> ImageError {
    ImageError::Encode { format: "EXR", reason: reason.to_owned() }
}

/// Channels of an EXR file under construction.
struct Channels {
    options: ExrOptions,
    list: SmallVec<[AnyChannel<FlatSamples>; 4]>,
}

impl Channels {
    /// Adds the AOVs of the film that are to be stored.
    fn aovs(&mut self, film: &Film) {
        let aovs = self.options.aovs;
        for aov in film.aovs().iter().filter(|&aov| aovs.contains(aov)) {
            self.aov(film, aov);
        }
    }

    /// Adds an AOV, if the film has recorded it.
    fn aov(&mut self, film: &Film, aov: Aov) {
        match aov {
            Aov::Depth => self.numbers("depth.Z", film.depth()),
            Aov::Position => self.picture(["P.X", "P.Y", "P.Z"], film.position()),
            Aov::NormalGeometric => self.picture(["Ng.X", "Ng.Y", "Ng.Z"], film.normal_geometric()),
            Aov::NormalShading => self.picture(["N.X", "N.Y", "N.Z"], film.normal_shading()),
            Aov::Albedo => {
                if let Some(albedo) = film.albedo() {
                    self.color(["albedo.R", "albedo.G", "albedo.B"], albedo.pixels());
                }
            }
            Aov::Ids => {
                for (i, name) in ["inst_id", "prim_id", "mesh_id", "material_id"].into_iter().enumerate() {
                    if let Some(ids) = film.ids() {
                        self.push(name, FlatSamples::U32(ids.iter().map(|id| id[i]).collect()));
                    }
                }
            }
            Aov::AmbientOcclusion => self.numbers("ao.Y", film.ambient_occlusion()),
            Aov::Variance => {
                self.picture(["variance.R", "variance.G", "variance.B"], Some(film.variance()));
            }
            Aov::Reflections => self.numbers("reflections.Y", film.reflections()),
            Aov::Diffuse => self.picture(["diffuse.R", "diffuse.G", "diffuse.B"], film.diffuse()),
            Aov::Alpha => self.numbers("alpha.Y", film.alpha()),
            Aov::Clamped => self.picture(["clamped.R", "clamped.G", "clamped.B"], film.clamped()),
            Aov::Features => self.features(&film.features().unwrap_or_default()),
        }
    }

    fn features(&mut self, features: &[Features]) {
        if features.is_empty() {
            return;
        }
        let albedo: Vec<Vec3> = features.iter().map(|f| f.albedo).collect();
        let normal: Vec<Vec3> = features.iter().map(|f| f.normal).collect();
        self.vector(["features.albedo.R", "features.albedo.G", "features.albedo.B"], &albedo);
        self.vector(["features.N.X", "features.N.Y", "features.N.Z"], &normal);
        let inverse_distance = features.iter().map(|f| f.inverse_distance).collect();
        self.numbers("features.inverse_distance.Y", Some(inverse_distance));
    }

    /// Adds a channel in full precision, if there is one.
    fn numbers(&mut self, name: &'static str, numbers: Option<Vec<f32>>) {
        if let Some(numbers) = numbers {
            self.push(name, FlatSamples::F32(numbers));
        }
    }

    /// Adds three channels in full precision, if there are any.
    fn picture(&mut self, names: [&'static str; 3], picture: Option<Picture>) {
        if let Some(picture) = picture {
            self.vector(names, picture.pixels());
        }
    }

    /// Adds three channels in the precision of colours.
    fn color(&mut self, names: [&'static str; 3], colors: &[Vec3]) {
        if !self.options.half {
            return self.vector(names, colors);
        }
        // Clamp to the largest half, which would otherwise become infinity
        let narrow = |v: f32| f16::from_f32(v.min(f16::MAX.to_f32()));
        for (i, name) in names.into_iter().enumerate() {
            self.push(name, FlatSamples::F16(colors.iter().map(|c| narrow(c[i])).collect()));
        }
    }

    /// Adds three channels in full precision.
    fn vector(&mut self, names: [&'static str; 3], vectors: &[Vec3]) {
        for (i, name) in names.into_iter().enumerate() {
            self.push(name, FlatSamples::F32(vectors.iter().map(|v| v[i]).collect()));
        }
    }

    fn push(&mut self, name: &'static str, samples: FlatSamples) {
        self.list.push(AnyChannel::new(name, samples));
    }
}

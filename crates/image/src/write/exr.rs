use std::io::Cursor;

use ::exr::prelude::{
    AnyChannel, AnyChannels, Compression, Encoding, FlatSamples, Image, ImageAttributes, IntegerBounds,
    Layer, LayerAttributes, LineOrder, SmallVec, Text, Vec2, WritableImage, attribute::Chromaticities, f16,
};
use sunfleck_math::Vec3;

use crate::{Aov, Film, ImageError, Picture};

/// Options for EXR files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExrOptions {
    /// Stores radiance and albedo as 16-bit floats (three digits, at most 65504), which halves the size.
    pub half: bool,
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
/// * `film` — film of the size of `radiance`, whose AOVs are added as channels.
///
/// | channels | type | AOV |
/// |---|---|---|
/// | `R G B` | half or float | radiance |
/// | `depth.Z` | float | distance along the camera ray, infinite for a miss |
/// | `P.X P.Y P.Z` | float | position in world space |
/// | `Ng.X …`, `N.X …` | float | geometric and shading normal |
/// | `albedo.R …` | half or float | albedo |
/// | `ao.Y` | float | ambient occlusion |
/// | `reflections.Y` | float | levels of reflection and refraction |
/// | `inst_id prim_id mesh_id material_id` | uint | ids, 2³²-1 for a miss |
/// | `features.R …`, `features.X …`, `features.inverse_distance` | float | features for denoising |
/// | `variance.R …` | float | variance of the pixel's mean radiance |
///
/// Errors: the sizes of `radiance` and `film` differ.
pub fn encode_exr(
    radiance: &Picture,
    film: Option<&Film>,
    options: ExrOptions,
) -> Result<Vec<u8>, ImageError> {
    let size = (radiance.width() as usize, radiance.height() as usize);
    let mut channels = Channels { half: options.half, list: SmallVec::new() };
    channels.color(["R", "G", "B"], radiance.pixels());
    if let Some(film) = film {
        if (film.width(), film.height()) != (radiance.width(), radiance.height()) {
            return Err(encode_error("the film and the image differ in size"));
        }
        channels.aovs(film);
    }

    let software_name = Text::new_or_none(concat!("sunfleck ", env!("CARGO_PKG_VERSION")));
    let attributes = LayerAttributes { software_name, ..LayerAttributes::default() };
    // Increasing line order, with which blocks that are compressed in parallel always give the same file
    let encoding = Encoding {
        compression: Compression::ZIP16,
        line_order: LineOrder::Increasing,
        ..Encoding::default()
    };
    let layer = Layer::new(size, attributes, encoding, AnyChannels::sort(channels.list));
    let mut shared = ImageAttributes::new(IntegerBounds::from_dimensions(size));
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
    half: bool,
    list: SmallVec<[AnyChannel<FlatSamples>; 4]>,
}

impl Channels {
    /// Adds the AOVs of the film.
    fn aovs(&mut self, film: &Film) {
        if let Some(depth) = film.depth() {
            self.push("depth.Z", FlatSamples::F32(depth));
        }
        for (names, vectors) in [
            (["P.X", "P.Y", "P.Z"], film.position()),
            (["Ng.X", "Ng.Y", "Ng.Z"], film.normal_geometric()),
            (["N.X", "N.Y", "N.Z"], film.normal_shading()),
            (
                ["variance.R", "variance.G", "variance.B"],
                film.aovs().contains(Aov::Variance).then(|| film.variance()),
            ),
        ] {
            if let Some(vectors) = vectors {
                self.vector(names, vectors.pixels());
            }
        }
        if let Some(albedo) = film.albedo() {
            self.color(["albedo.R", "albedo.G", "albedo.B"], albedo.pixels());
        }
        if let Some(openness) = film.ambient_occlusion() {
            self.push("ao.Y", FlatSamples::F32(openness));
        }
        if let Some(levels) = film.reflections() {
            self.push("reflections.Y", FlatSamples::F32(levels));
        }
        if let Some(features) = film.features() {
            let albedo: Vec<Vec3> = features.iter().map(|f| f.albedo).collect();
            let normal: Vec<Vec3> = features.iter().map(|f| f.normal).collect();
            self.vector(["features.R", "features.G", "features.B"], &albedo);
            self.vector(["features.X", "features.Y", "features.Z"], &normal);
            let inverse_distance = features.iter().map(|f| f.inverse_distance).collect();
            self.push("features.inverse_distance", FlatSamples::F32(inverse_distance));
        }
        if let Some(ids) = film.ids() {
            for (i, name) in ["inst_id", "prim_id", "mesh_id", "material_id"].into_iter().enumerate() {
                self.push(name, FlatSamples::U32(ids.iter().map(|id| id[i]).collect()));
            }
        }
    }

    /// Adds three channels in the precision of colours.
    fn color(&mut self, names: [&'static str; 3], colors: &[Vec3]) {
        if !self.half {
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

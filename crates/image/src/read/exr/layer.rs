//! Layers of a file: channels whose names have the same prefix, in one part.

use ::exr::meta::header::Header;

use super::sampling::Samplings;

/// A layer that can be shown.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Index of the part, whose header describes the channels.
    pub(super) part: usize,
    /// Name of the layer, empty for the unnamed layer of a file of one part.
    pub(super) name: String,
    pub(super) content: Content,
}

/// Indices of the channels of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Rgb {
        rgb: [usize; 3],
        alpha: Option<usize>,
    },
    LuminanceChroma {
        channels: [usize; 3],
        alpha: Option<usize>,
    },
    /// Luminance, or the only channel of an incomplete colour.
    Single {
        channel: usize,
        alpha: Option<usize>,
    },
}

impl Content {
    /// Returns the channels in the order of the components, with alpha as the last one.
    pub(super) fn channels(self) -> impl Iterator<Item = usize> {
        let (colors, alpha) = match self {
            Self::Rgb { rgb, alpha } => (rgb.to_vec(), alpha),
            Self::LuminanceChroma { channels, alpha } => (channels.to_vec(), alpha),
            Self::Single { channel, alpha } => (vec![channel], alpha),
        };
        colors.into_iter().chain(alpha)
    }

    /// Returns the component of texels, from 0 to 3, that a channel holds.
    pub(super) fn component(self, channel: usize) -> Option<usize> {
        let (Self::Rgb { alpha, .. } | Self::LuminanceChroma { alpha, .. } | Self::Single { alpha, .. }) =
            self;
        match alpha {
            Some(alpha) if alpha == channel => Some(3),
            _ => self.channels().position(|other| other == channel),
        }
    }
}

/// Words in the names of layers that hold the picture itself.
const PICTURES: [&str; 8] = ["beauty", "combined", "composite", "rgba", "rgb", "color", "colour", "main"];

/// Returns the layers that can be shown, the best first: colours before luminance, the unnamed layer before those named
/// as the picture itself, and these before all others, else in the order of the file.
pub(super) fn layers(headers: &[Header], samplings: &Samplings) -> Vec<Layer> {
    let mut found = Vec::new();
    for (part, header) in headers.iter().enumerate().filter(|(_, header)| !header.deep) {
        let names: Vec<String> = header.channels.list.iter().map(|c| c.name.to_string()).collect();
        let mut prefixes: Vec<&str> = names.iter().map(|name| split(name).0).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        for prefix in prefixes {
            let find = |base: &[&str]| {
                names.iter().position(|name| {
                    let (layer, channel) = split(name);
                    layer == prefix && base.iter().any(|base| base.eq_ignore_ascii_case(channel))
                })
            };
            let part_name = header.own_attributes.layer_name.as_ref().filter(|_| headers.len() > 1);
            let part_name = part_name.map_or(String::new(), ToString::to_string);
            let name = match (&*part_name, prefix) {
                (_, "") => part_name.clone(),
                ("", _) => prefix.to_string(),
                (part, prefix) => format!("{part}.{prefix}"),
            };
            let is_full = |channel: &usize| samplings.of(part, *channel) == [1, 1];
            if let Some(content) = content(find, is_full) {
                found.push((rank(content, &name), Layer { part, name, content }));
            }
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, layer)| layer).collect()
}

/// Returns the layer and the channel of a channel's full name.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

/// * `find` — index of the channel with one of some names.
/// * `is_full` — whether a channel is not subsampled; only chroma may be.
fn content(find: impl Fn(&[&str]) -> Option<usize>, is_full: impl Fn(&usize) -> bool) -> Option<Content> {
    let full = |names: &[&str]| find(names).filter(&is_full);
    let alpha = full(&["A", "alpha"]);
    let colors = [full(&["R", "red"]), full(&["G", "green"]), full(&["B", "blue"])];
    let luminance = full(&["Y", "luminance"]);
    match (colors, luminance, find(&["RY"]), find(&["BY"])) {
        ([Some(r), Some(g), Some(b)], ..) => Some(Content::Rgb { rgb: [r, g, b], alpha }),
        (_, Some(y), Some(ry), Some(by)) => Some(Content::LuminanceChroma { channels: [y, ry, by], alpha }),
        (_, Some(channel), ..) => Some(Content::Single { channel, alpha }),
        _ => colors.into_iter().flatten().next().map(|channel| Content::Single { channel, alpha }),
    }
}

/// Returns a number by which layers are sorted.
fn rank(content: Content, name: &str) -> [usize; 2] {
    let kind = match content {
        Content::Rgb { .. } => 0,
        Content::LuminanceChroma { .. } => 1,
        Content::Single { .. } => 2,
    };
    let name = name.to_ascii_lowercase();
    let is_picture = PICTURES.iter().any(|word| name.contains(word));
    [kind, if name.is_empty() { 0 } else { 2 - usize::from(is_picture) }]
}

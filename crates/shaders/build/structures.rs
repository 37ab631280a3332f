//! Generates Rust from WESL: the structures that host and shaders share, field by field, with their comments.

use std::fmt::Write;
use std::fs;

/// WESL modules, and the structures of each that the host shares.
pub(crate) const SHARED: &[(&str, &[&str])] = &[
    ("shared/ray", &["Ray", "Hit"]),
    ("shared/scene", &["Node", "Leaf", "Instance"]),
    ("shared/front", &["Front"]),
    ("shared/child", &["Bounds"]),
    ("traversal/triangle", &["Triangle"]),
    ("crossbar/closest", &["Plane"]),
    ("crossbar/buckets", &["Crossing"]),
    ("grid/walk", &["Grid"]),
    ("build/top", &["Placement", "SortKey", "BinaryNode", "TopLevelBounds", "BuildStep"]),
    ("build/refit", &["Refit", "MovedNode"]),
    ("camera/view", &["View"]),
    ("path/state", &["LivePath", "ShadowRay", "Wave"]),
    ("path/plan", &["Plan"]),
    ("path/diffuse", &["DiffuseShare"]),
    ("film/pixel", &["Pixel"]),
    ("film/channels", &["Seen", "Channels"]),
    ("denoise/noisy_image", &["NoisyPixel", "DenoisedSize"]),
    ("denoise/guide", &["GuidedStrip"]),
    ("denoise/learned/meter", &["MeteredBlock"]),
    ("denoise/learned/scales", &["ImageScales"]),
    ("denoise/learned/convolution", &["Convolution"]),
    ("denoise/features/input", &["FilteredImage"]),
    ("igi/frame", &["IgiFrame"]),
    (
        "igi/state",
        &[
            "CameraOffset",
            "LitState",
            "PixelState",
            "LitPoint",
            "Gloss",
            "SeenSurface",
            "PixelSums",
            "IgiPath",
            "Vpl",
            "GlossyVpl",
        ],
    ),
    ("igi/photon", &["Photon"]),
    ("igi/rays", &["TracedRays"]),
    ("igi/finds", &["LightFind", "FindScale"]),
    ("igi/before", &["PreviousFrame"]),
    ("reuse/frame", &["ReuseFrame"]),
    ("reuse/motion", &["InstanceMotion"]),
    ("reuse/surface", &["PixelSurface"]),
    ("reuse/change", &["ChangedSquare"]),
    ("reuse/history_pixel", &["HistoryPixel"]),
    ("reuse/merge", &["MergedStrip"]),
    ("radiosity/texel", &["Texel", "AtlasTriangle", "Shooter", "Shooting", "PyramidStep"]),
    ("radiosity/lookup", &["AtlasInstance"]),
];

/// Generated Rust code.
#[derive(Default)]
pub(crate) struct Generated {
    /// Declarations of the structures.
    pub(crate) rust: String,
    /// List for tests: names, offsets of the fields, and sizes.
    pub(crate) offsets: String,
}

/// Generates all shared structures.
///
/// * `folder` — folder of the WESL modules.
///
/// # Errors
/// If a file cannot be read, or a structure has no Rust counterpart.
pub(crate) fn generated(folder: &str) -> Result<Generated, String> {
    let mut all = Generated::default();
    all.offsets += "&[\n";
    for (module, names) in SHARED {
        let text =
            fs::read_to_string(format!("{folder}/{module}.wesl")).map_err(|e| format!("{module}: {e}"))?;
        for name in *names {
            add(&mut all, &text, name).ok_or_else(|| {
                format!("{module}: the structure {name} is missing, or has a field without a Rust type")
            })?;
        }
    }
    all.offsets += "]";
    Ok(all)
}

/// Adds a structure of a module.
fn add(all: &mut Generated, text: &str, name: &str) -> Option<()> {
    let (before, after) = text.split_once(&format!("struct {name} {{\n"))?;
    let (body, _) = after.split_once("\n}")?;
    let docs: Vec<&str> = before.lines().rev().take_while(|line| line.starts_with("///")).collect();
    let fields: Vec<(&str, &str)> = body
        .lines()
        .filter(|line| !line.trim().starts_with("//"))
        .filter_map(|line| line.trim().strip_suffix(',')?.split_once(": "))
        .collect();
    let types: Vec<String> = fields.iter().map(|(_, ty)| rust_type(text, ty)).collect::<Option<_>>()?;
    let is_whole = types.iter().all(|ty| !ty.contains("f32"));
    for line in docs.iter().rev() {
        all.rust += &format!("{line}\n");
    }
    let more = if is_whole { ", Eq" } else { "" };
    all.rust += &format!(
        "#[derive(Clone, Copy, Debug, Default, PartialEq{more}, Pod, Zeroable)]\n#[repr(C)]\npub struct {name} {{\n"
    );
    let mut types = types.iter();
    for line in body.lines() {
        all.rust += &match line.trim().strip_suffix(',').and_then(|line| line.split_once(": ")) {
            Some((field, _)) if !line.trim().starts_with("//") => {
                format!("    pub {field}: {},\n", types.next()?)
            }
            _ => format!("{line}\n"),
        };
    }
    all.rust += "}\n\n";
    let places: Vec<_> =
        fields.iter().map(|(field, _)| format!("({field:?}, offset_of!({name}, {field}))")).collect();
    writeln!(all.offsets, "    ({name:?}, &[{}], size_of::<{name}>()),", places.join(", ")).ok()
}

/// Returns the Rust type of a field.
fn rust_type(text: &str, wesl: &str) -> Option<String> {
    Some(match wesl {
        "f32" | "u32" | "i32" => wesl.to_owned(),
        "atomic<u32>" => "u32".to_owned(),
        "vec2f" | "vec3f" | "vec4f" => format!("[f32; {}]", &wesl[3..4]),
        "vec2u" | "vec3u" | "vec4u" => format!("[u32; {}]", &wesl[3..4]),
        _ => {
            let (element, length) = wesl.strip_prefix("array<")?.strip_suffix('>')?.rsplit_once(", ")?;
            format!("[{}; {} as usize]", rust_type(text, element)?, constant(text, length)?)
        }
    })
}

/// Returns the Rust path of a constant that a module imports.
fn constant(text: &str, name: &str) -> Option<String> {
    let imports = text.lines().filter_map(|line| line.strip_prefix("import package::constants::"));
    let is_name = |word: &str| word == name;
    let found = imports
        .filter_map(|line| line.split_once("::"))
        .find(|(_, names)| names.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_name));
    found.map(|(module, _)| format!("sunfleck_constants::{module}::{name}"))
}

//! Measurements of a gallery and their faults, as a table.

use std::fmt;

use serde::Serialize;

use crate::table::{NO_VALUE, Table};

/// Range of the mean value of an image, as a fraction of white, outside of which it is too dark or too bright.
const GREY: std::ops::RangeInclusive<f32> = 0.2..=0.6;
/// Least extent of a silhouette along the side of the image that limits it.
const MIN_EXTENT: f32 = 0.8;

/// Result of a gallery.
#[derive(Debug, Serialize)]
pub struct GalleryReport {
    /// A row for each scene.
    pub rows: Vec<GalleryRow>,
}

/// Images of a scene.
#[derive(Debug, Serialize)]
pub struct GalleryRow {
    /// Name of the file.
    pub name: String,
    /// Camera that was chosen.
    pub camera: Option<String>,
    /// Stage that was added.
    pub stage: Option<&'static str>,
    /// Measurements of the images, in the order of [`ASPECTS`](super::ASPECTS).
    pub images: Vec<GalleryImage>,
    /// Reason why the scene could not be rendered.
    pub error: Option<String>,
}

/// Measurements of an image.
#[derive(Clone, Debug, Serialize)]
pub struct GalleryImage {
    /// Aspect ratio, width and height.
    pub aspect: [u32; 2],
    /// Mean value of the pixels of an 8-bit file, 0 … 1.
    pub grey: f32,
    /// Extent of the silhouette of an object along the side that limits it, as a fraction of the image; `None` for views
    /// that are not framed by it.
    pub extent: Option<f32>,
    /// What is wrong with the image.
    pub faults: Vec<Fault>,
}

/// Fault of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The mean value is below 0.2.
    Dark,
    /// The mean value is above 0.6.
    Bright,
    /// There is no surface in the image.
    Empty,
    /// The silhouette fills less than 80 % of the side that limits it.
    Small,
    /// The silhouette touches the border.
    CutOff,
    /// There is no image.
    Failed,
}

pub(super) fn of_image(aspect: [u32; 2], grey: f32, silhouette: Option<([f32; 2], bool)>) -> GalleryImage {
    let extent = silhouette.map(|([x, y], _)| x.max(y));
    let checks = [
        (grey < *GREY.start(), Fault::Dark),
        (grey > *GREY.end(), Fault::Bright),
        (extent == Some(0.0), Fault::Empty),
        (extent.is_some_and(|extent| extent > 0.0 && extent < MIN_EXTENT), Fault::Small),
        (silhouette.is_some_and(|(_, cut_off)| cut_off), Fault::CutOff),
    ];
    let faults = checks.into_iter().filter(|(wrong, _)| *wrong).map(|(_, fault)| fault).collect();
    GalleryImage { aspect, grey, extent, faults }
}

impl GalleryRow {
    /// Returns the faults of all images.
    pub fn faults(&self) -> Vec<Fault> {
        let failed = self.error.is_some().then_some(Fault::Failed);
        self.images.iter().flat_map(|image| image.faults.iter().copied()).chain(failed).collect()
    }
}

impl fmt::Display for GalleryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new([
            "scene",
            "camera",
            "stage",
            "grey 3:2",
            "1:1",
            "2:3",
            "extent 3:2",
            "1:1",
            "2:3",
            "faults",
        ]);
        for row in &self.rows {
            let text = |value: Option<&str>| value.unwrap_or(NO_VALUE).to_string();
            let number =
                |value: Option<f32>| value.map_or(NO_VALUE.to_string(), |value| format!("{value:.2}"));
            let of = |value: fn(&GalleryImage) -> Option<f32>| {
                (0..3).map(move |i| number(row.images.get(i).and_then(value))).collect::<Vec<_>>()
            };
            let faults: Vec<_> = row.faults().iter().map(|fault| format!("{fault:?}")).collect();
            let faults = row.error.clone().unwrap_or(faults.join(", "));
            let mut cells = vec![row.name.clone(), text(row.camera.as_deref()), text(row.stage)];
            cells.extend(of(|image| Some(image.grey)));
            cells.extend(of(|image| image.extent));
            cells.push(faults);
            table.row(cells);
        }
        let flagged = self.rows.iter().filter(|row| !row.faults().is_empty()).count();
        write!(f, "{table}\n{} scenes, {flagged} with faults\n", self.rows.len())
    }
}

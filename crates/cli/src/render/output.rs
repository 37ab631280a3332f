//! Where the picture goes: checked before rendering, written whole afterwards.

use std::path::PathBuf;

use serde::Serialize;
use sunfleck_command::Failure;
use sunfleck_image::{Aov, AovSet, Film, PictureFormat, PngOptions, ToneCurve, save, save_picture};

use super::args::RenderArgs;
use crate::destination;

/// Files to write, all of which can be written as far as one can tell beforehand.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    paths: Vec<PathBuf>,
    tone_curve: ToneCurve,
    /// Shown instead of the radiance.
    shown: Option<Aov>,
}

/// A file that was written.
#[derive(Debug, Serialize)]
pub(super) struct Written {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

impl Outputs {
    /// Errors: an extension that names no format, a folder that cannot be written to, AOVs that no file could hold.
    pub(super) fn check(args: &RenderArgs) -> Result<Self, Failure> {
        let mut formats = Vec::new();
        for (i, path) in args.output.iter().enumerate() {
            formats.push(destination::check(path)?);
            if args.output[..i].contains(path) {
                return Err(Failure::bad_input(format!("{}: the same file is given twice", path.display())));
            }
        }
        let shown = match formats.contains(&PictureFormat::Exr) {
            true => None,
            false => single(args.view.wanted_aovs(), &args.output)?,
        };
        Ok(Self { paths: args.output.clone(), tone_curve: args.view.tone_curve, shown })
    }

    /// The same with the number of a frame in each name: `a.png` becomes `a-0007.png`.
    pub(super) fn of_frame(&self, frame: Option<u32>) -> Self {
        let Some(frame) = frame else { return self.clone() };
        let numbered = |path: &PathBuf| {
            let mut name = path.file_stem().unwrap_or_default().to_os_string();
            name.push(format!("-{frame:04}."));
            name.push(path.extension().unwrap_or_default());
            path.with_file_name(name)
        };
        Self { paths: self.paths.iter().map(numbered).collect(), ..*self }
    }

    /// Writes every file, each whole or not at all, PNGs brightened by `exposure_stops`; one that cannot be written keeps no other from it. Errors: the first
    /// that cannot be written.
    pub(super) fn write(&self, film: &Film, exposure_stops: f32) -> Result<Vec<Written>, Failure> {
        let shown = self.shown.and_then(|aov| film.shown(aov));
        let radiance = PngOptions { exposure_stops, tone_curve: self.tone_curve, ..PngOptions::default() };
        let as_it_is = PngOptions { tone_curve: ToneCurve::Linear, ..PngOptions::default() };
        let write = |path: &PathBuf| {
            let saved = match &shown {
                Some(picture) => save_picture(picture, path, &as_it_is),
                None => save(film, path, &radiance),
            };
            saved.map_err(|error| Failure::failed(error.to_string()))?;
            let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
            Ok(Written { path: path.clone(), bytes })
        };
        let results: Vec<_> = self.paths.iter().map(write).collect();
        results.into_iter().collect()
    }
}

/// The AOV that picture files show if no EXR is written. Errors: there are several.
fn single(aovs: AovSet, paths: &[PathBuf]) -> Result<Option<Aov>, Failure> {
    let mut aovs = aovs.iter();
    match (aovs.next(), aovs.next(), paths) {
        (Some(_), Some(_), [path, ..]) => {
            let message = format!("{}: only an EXR holds several AOVs", path.display());
            Err(Failure::bad_input(message).with_help("add an output that ends in .exr, or ask for one AOV"))
        }
        (one, ..) => Ok(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_command::Exit;

    #[test]
    fn a_file_that_cannot_be_written_keeps_no_other_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["gone/a.png", "b.png"].map(|name| folder.path().join(name)).into();
        let outputs = Outputs { paths, tone_curve: ToneCurve::default(), shown: None };
        let failure = outputs.write(&Film::new(4, 4, AovSet::EMPTY), 0.0).unwrap_err();
        assert_eq!(failure.exit(), Exit::Failed);
        assert!(failure.to_string().contains("a.png"), "{failure}");
        assert!(folder.path().join("b.png").exists() && !folder.path().join("gone").exists(), "{failure}");
    }

    #[test]
    fn frames_are_numbered() {
        let paths = ["a/b.c.png", "d.EXR"].map(PathBuf::from).into();
        let outputs = Outputs { paths, tone_curve: ToneCurve::default(), shown: None };
        let numbered = outputs.of_frame(Some(7)).paths;
        assert_eq!(numbered, ["a/b.c-0007.png", "d-0007.EXR"].map(PathBuf::from));
        assert_eq!(outputs.of_frame(None).paths, outputs.paths);
    }

    #[test]
    fn several_aovs_need_an_exr() {
        let paths = [PathBuf::from("a.png")];
        let both = AovSet::EMPTY.with(Aov::Depth).with(Aov::Albedo);
        assert!(single(both, &paths).is_err(), "a PNG holds one picture");
        assert_eq!(single(AovSet::EMPTY.with(Aov::Albedo), &paths).unwrap(), Some(Aov::Albedo));
        assert_eq!(single(AovSet::EMPTY, &paths).unwrap(), None);
    }
}

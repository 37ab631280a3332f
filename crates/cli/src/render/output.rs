//! Output files: checked before rendering, written atomically afterwards.

use std::path::{Path, PathBuf};

use serde::Serialize;
use sunfleck_command::Failure;
use sunfleck_engine::{DenoiseMethod, Denoiser};
use sunfleck_image::{
    Aov, AovSet, BitDepth, DisplayOptions, Film, PictureFormat, ToneCurve, save, save_picture,
};
use sunfleck_integrators::Algorithm;

use super::args::RenderArgs;
use super::denoising::DenoisedFrame;
use crate::destination;
use crate::values::DenoiseChoice;

/// Files to write, checked as far as possible before rendering.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    paths: Vec<PathBuf>,
    tone_curve: ToneCurve,
    depth: BitDepth,
    /// AOV that is written instead of the radiance.
    displayed_aov: Option<Aov>,
    /// AOVs for EXR files.
    aovs: AovSet,
    denoise: Option<DenoiseChoice>,
}

/// Path and size of a file that was written.
#[derive(Debug, Serialize)]
pub(super) struct WrittenFile {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// How the image was denoised, if it was.
    pub(super) denoised: Option<&'static str>,
}

impl Outputs {
    /// Checks the output paths and AOVs given.
    ///
    /// # Errors
    /// An extension is unknown, a file cannot be created, a path is given twice, or the formats cannot store the AOVs.
    pub(super) fn check(args: &RenderArgs) -> Result<Self, Failure> {
        let mut formats = Vec::new();
        for (i, path) in args.output.iter().enumerate() {
            formats.push(destination::check(path)?);
            if args.output[..i].contains(path) {
                return Err(Failure::bad_input(format!("{}: this output is given twice", path.display())));
            }
        }
        for (path, format) in args.output.iter().zip(&formats) {
            let edge = args.width.max(args.height);
            if edge > format.max_edge() {
                return Err(Failure::bad_input(format!(
                    "{}: an image of this format has at most {} pixels along an edge, not {edge}",
                    path.display(),
                    format.max_edge()
                )));
            }
        }
        if args.view.bits == BitDepth::Sixteen
            && !formats.iter().any(|format| matches!(format, PictureFormat::Png | PictureFormat::Tiff))
        {
            return Err(Failure::bad_input(
                "--bits 16: only PNG and TIFF files can have 16 bits per channel",
            ));
        }
        let displayed_aov = match formats.contains(&PictureFormat::Exr) {
            true => None,
            false => single_aov(args.view.requested_aovs(), &args.output)?,
        };
        Ok(Self {
            paths: args.output.clone(),
            tone_curve: args.view.tone_curve,
            depth: args.view.bits,
            displayed_aov,
            aovs: args.view.requested_aovs(),
            denoise: args.view.denoise,
        })
    }

    /// Returns whether a file shows the radiance at an exposure: one of a display format, unless it shows an AOV.
    pub(super) fn show_radiance(&self) -> bool {
        let is_display = |path: &PathBuf| PictureFormat::from_path(path).is_ok_and(PictureFormat::is_display);
        self.displayed_aov.is_none() && self.paths.iter().any(is_display)
    }

    /// Returns the files that hold ids.
    pub(super) fn with_ids(&self) -> impl Iterator<Item = &PathBuf> {
        let is_exr = |path: &PathBuf| PictureFormat::from_path(path).is_ok_and(|f| f == PictureFormat::Exr);
        self.paths.iter().filter(move |path| match self.displayed_aov {
            Some(aov) => aov == Aov::Ids,
            None => self.aovs.contains(Aov::Ids) && is_exr(path),
        })
    }

    /// Returns how the radiance of a file is denoised, if at all.
    fn denoise_method(&self, path: &Path) -> Option<DenoiseMethod> {
        match self.denoise {
            _ if self.displayed_aov.is_some() => None,
            Some(DenoiseChoice::Method(method)) => Some(method),
            Some(DenoiseChoice::Off) => None,
            None => PictureFormat::from_path(path)
                .is_ok_and(PictureFormat::is_display)
                .then_some(DenoiseMethod::Auto),
        }
    }

    /// Returns how files are denoised; `None` if no file is.
    pub(super) fn denoise_method_used(&self) -> Option<DenoiseMethod> {
        self.paths.iter().find_map(|path| self.denoise_method(path))
    }

    /// Returns whether all files are denoised.
    pub(super) fn are_all_denoised(&self) -> bool {
        self.paths.iter().all(|path| self.denoise_method(path).is_some())
    }

    /// Loads the denoiser of the files that are denoised.
    ///
    /// # Errors
    /// The denoiser that was asked for is not installed.
    pub(super) fn denoiser(&self, algorithm: &Algorithm) -> Result<Option<Denoiser>, Failure> {
        let method = self.denoise_method_used();
        let load = |method| {
            Denoiser::new(method).map_err(|error| Failure::bad_input(format!("--denoise {method}: {error}")))
        };
        Ok(method.map(load).transpose()?.map(|denoiser| denoiser.of_algorithm(algorithm)))
    }

    /// Returns the outputs of a frame, with its number in each file name: `a.png` becomes `a-0007.png`.
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

    /// Writes all files atomically, those of display formats with an exposure of `exposure_stops`. A file that fails
    /// does not prevent the others from being written.
    ///
    /// * `denoised` — image of the files that are denoised.
    ///
    /// # Errors
    /// A file cannot be written; the error is that of the first one.
    pub(super) fn write(
        &self,
        film: &Film,
        denoised: Option<&DenoisedFrame>,
        exposure_stops: f32,
    ) -> Result<Vec<WrittenFile>, Failure> {
        let display_image = self.displayed_aov.and_then(|aov| film.display_image(aov));
        let noisy = film.radiance();
        let depth = self.depth;
        let radiance = DisplayOptions {
            exposure_stops,
            tone_curve: self.tone_curve,
            depth,
            ..DisplayOptions::default()
        };
        let unchanged = DisplayOptions { tone_curve: ToneCurve::Linear, depth, ..DisplayOptions::default() };
        let write = |path: &PathBuf| {
            let denoised = denoised.filter(|_| self.denoise_method(path).is_some());
            let saved = match &display_image {
                Some(picture) => save_picture(picture, path, &unchanged),
                None => {
                    let image = denoised.map_or(&noisy, |denoised| &denoised.image.picture);
                    save(film, image, self.aovs, path, &radiance)
                }
            };
            saved.map_err(|error| Failure::failed(error.to_string()))?;
            let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
            Ok(WrittenFile { path: path.clone(), bytes, denoised: denoised.map(|denoised| denoised.method) })
        };
        let results: Vec<_> = self.paths.iter().map(write).collect();
        results.into_iter().collect()
    }
}

/// Returns the single AOV to write instead of the radiance when there is no EXR among the outputs.
///
/// # Errors
/// Several AOVs are given.
fn single_aov(aovs: AovSet, paths: &[PathBuf]) -> Result<Option<Aov>, Failure> {
    let mut aovs = aovs.iter();
    match (aovs.next(), aovs.next(), paths) {
        (Some(_), Some(_), [path, ..]) => {
            let message = format!("{}: only EXR files can store several AOVs", path.display());
            Err(Failure::bad_input(message).with_help("add an .exr output, or select one AOV"))
        }
        (one, ..) => Ok(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_command::Exit;

    fn outputs_to(paths: Vec<PathBuf>) -> Outputs {
        Outputs {
            paths,
            tone_curve: ToneCurve::default(),
            depth: BitDepth::Eight,
            displayed_aov: None,
            aovs: AovSet::EMPTY,
            denoise: None,
        }
    }

    #[test]
    fn files_to_look_at_are_denoised_unless_told_otherwise() {
        let outputs = outputs_to(vec!["a.png".into(), "b.exr".into()]);
        let methods = |outputs: &Outputs| {
            let method = |path: &PathBuf| outputs.denoise_method(path);
            outputs.paths.iter().map(method).collect::<Vec<_>>()
        };
        assert_eq!(methods(&outputs), [Some(DenoiseMethod::Auto), None]);
        assert!(outputs.denoise_method_used().is_some() && !outputs.are_all_denoised());
        let off = Outputs { denoise: Some(DenoiseChoice::Off), ..outputs.clone() };
        assert_eq!(methods(&off), [None, None]);
        let features = Some(DenoiseChoice::Method(DenoiseMethod::Features));
        let all = Outputs { denoise: features, ..outputs.clone() };
        assert_eq!(methods(&all), [Some(DenoiseMethod::Features); 2]);
        let aov = Outputs { displayed_aov: Some(Aov::Albedo), ..all };
        assert_eq!(methods(&aov), [None, None], "AOVs are written as they are");
    }

    #[test]
    fn a_file_that_fails_does_not_prevent_others() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["gone/a.png", "b.png"].map(|name| folder.path().join(name)).into();
        let outputs = outputs_to(paths);
        let failure = outputs.write(&Film::new(4, 4, AovSet::EMPTY), None, 0.0).unwrap_err();
        assert_eq!(failure.exit(), Exit::Failed);
        assert!(failure.to_string().contains("a.png"), "{failure}");
        assert!(folder.path().join("b.png").exists() && !folder.path().join("gone").exists(), "{failure}");
    }

    #[test]
    fn frames_are_numbered() {
        let paths = ["a/b.c.png", "d.EXR"].map(PathBuf::from).into();
        let outputs = outputs_to(paths);
        let numbered = outputs.of_frame(Some(7)).paths;
        assert_eq!(numbered, ["a/b.c-0007.png", "d-0007.EXR"].map(PathBuf::from));
        assert_eq!(outputs.of_frame(None).paths, outputs.paths);
    }

    #[test]
    fn several_aovs_need_an_exr() {
        let paths = [PathBuf::from("a.png")];
        let both = AovSet::EMPTY.with(Aov::Depth).with(Aov::Albedo);
        assert!(single_aov(both, &paths).is_err(), "a PNG stores one image");
        assert_eq!(single_aov(AovSet::EMPTY.with(Aov::Albedo), &paths).unwrap(), Some(Aov::Albedo));
        assert_eq!(single_aov(AovSet::EMPTY, &paths).unwrap(), None);
    }
}

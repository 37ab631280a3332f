//! Outputs: checked before rendering; files are written atomically afterwards.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sunfleck_command::{Failure, stdout};
use sunfleck_engine::{DenoiseMethod, Denoiser};
use sunfleck_image::{
    Aov, AovSet, BitDepth, DisplayOptions, Film, OutputImage, Picture, PictureFormat, TileRect, ToneCurve,
    encode, write_atomically,
};
use sunfleck_integrators::Algorithm;

use super::args::RenderArgs;
use super::background::{Backdrop, Background};
use super::denoising::DenoisedFrame;
use super::id_table;
use super::image_size::ImageSize;
use crate::destination;
use crate::values::DenoiseChoice;

/// Path that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Outputs to write, checked as far as possible before rendering.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    files: Vec<OutputFile>,
    tone_curve: ToneCurve,
    depth: BitDepth,
    /// AOV that is written instead of the radiance.
    displayed_aov: Option<Aov>,
    /// AOVs for EXR files.
    aovs: AovSet,
    denoise: Option<DenoiseChoice>,
    /// Whether what the camera sees behind the scene is left out.
    has_alpha: bool,
}

/// File or standard output, with its format.
#[derive(Clone, Debug)]
struct OutputFile {
    path: PathBuf,
    format: PictureFormat,
}

/// Path and size of a file that was written.
#[derive(Debug, Serialize)]
pub(super) struct WrittenFile {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// How the image was denoised, if it was.
    pub(super) denoised: Option<&'static str>,
}

impl OutputFile {
    fn is_standard_output(&self) -> bool {
        self.path == Path::new(STANDARD_OUTPUT)
    }
}

impl Outputs {
    /// Checks the outputs and AOVs given.
    ///
    /// # Errors
    /// An extension is unknown, a file cannot be created, an output is given twice, the formats cannot store the AOVs
    /// or alpha, ids are written to a format that changes colours, or standard output cannot take the image.
    pub(super) fn check(args: &RenderArgs, background: &Background) -> Result<Self, Failure> {
        let files = check_files(args)?;
        let has_format = |wanted| files.iter().any(|file| file.format == wanted);
        for OutputFile { path, format } in &files {
            if args.background.transparent && !format.has_alpha() {
                return Err(Failure::bad_input(format!(
                    "{}: this format has no alpha channel for --transparent",
                    path.display()
                ))
                .with_help("write a .png, .webp, .tiff or .exr file"));
            }
        }
        if args.view.bits == BitDepth::Sixteen
            && !has_format(PictureFormat::Png)
            && !has_format(PictureFormat::Tiff)
        {
            return Err(Failure::bad_input(
                "--bits 16: only PNG and TIFF files can have 16 bits per channel",
            ));
        }
        let displayed_aov = match has_format(PictureFormat::Exr) {
            true => None,
            false => single_aov(args.view.requested_aovs(), &args.output)?,
        };
        let is_lossy = |file: &&OutputFile| file.format == PictureFormat::Jpeg;
        if displayed_aov == Some(Aov::Ids)
            && let Some(OutputFile { path, .. }) = files.iter().find(is_lossy)
        {
            let why =
                format!("{}: this format changes the colours, by which ids are told apart", path.display());
            return Err(Failure::bad_input(why).with_help("write a .png, .webp, .tiff or .exr file"));
        }
        let outputs = Self {
            files,
            tone_curve: args.view.tone_curve,
            depth: args.view.bits,
            displayed_aov,
            aovs: args.view.requested_aovs(),
            denoise: args.view.denoise,
            has_alpha: !background.is_environment(),
        };
        outputs.id_tables().iter().try_for_each(|table| destination::check_folder(table))?;
        Ok(outputs)
    }

    /// Checks that the formats can store images of a size.
    ///
    /// # Errors
    /// One cannot.
    pub(super) fn check_size(&self, size: &ImageSize) -> Result<(), Failure> {
        let edge = size.window.width().max(size.window.height());
        match self.files.iter().find(|file| edge > file.format.max_edge()) {
            None => Ok(()),
            Some(OutputFile { path, format }) => Err(Failure::bad_input(format!(
                "{}: an image of this format has at most {} pixels along an edge, not {edge}",
                path.display(),
                format.max_edge()
            ))),
        }
    }

    /// Returns whether an output is standard output, which gets nothing else then.
    pub(super) fn use_standard_output(&self) -> bool {
        self.files.iter().any(OutputFile::is_standard_output)
    }

    /// Returns the paths of all outputs, separated by commas.
    pub(super) fn names(&self) -> String {
        let paths: Vec<_> = self.files.iter().map(|file| file.path.display().to_string()).collect();
        paths.join(", ")
    }

    /// Returns whether a file is written: an output, or a table of one.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        let tables = self.id_tables();
        let mut files = self.files.iter().map(|file| &file.path).chain(&tables);
        files.any(|file| destination::is_same_file(file, path))
    }

    /// Returns whether a file shows the radiance at an exposure: one of a display format, unless it shows an AOV.
    pub(super) fn show_radiance(&self) -> bool {
        self.displayed_aov.is_none() && self.files.iter().any(|file| file.format.is_display())
    }

    /// Returns the paths of the tables of the images that hold ids. Several images may have the same table.
    pub(super) fn id_tables(&self) -> BTreeSet<PathBuf> {
        let holds_ids = |file: &&OutputFile| match self.displayed_aov {
            _ if file.is_standard_output() => false,
            Some(aov) => aov == Aov::Ids,
            None => self.aovs.contains(Aov::Ids) && file.format == PictureFormat::Exr,
        };
        self.files.iter().filter(holds_ids).map(|file| id_table::path_beside(&file.path)).collect()
    }

    /// Returns the outputs of an algorithm: false colours are not denoised unless it is asked for.
    pub(super) fn of_algorithm(self, algorithm: &Algorithm) -> Self {
        let off = algorithm.shows_false_colors().then_some(DenoiseChoice::Off);
        Self { denoise: self.denoise.or(off), ..self }
    }

    /// Returns how the radiance of an output is denoised, if at all.
    fn denoise_method(&self, format: PictureFormat) -> Option<DenoiseMethod> {
        match self.denoise {
            _ if self.displayed_aov.is_some() => None,
            Some(DenoiseChoice::Method(method)) => Some(method),
            Some(DenoiseChoice::Off) => None,
            None => format.is_display().then_some(DenoiseMethod::Auto),
        }
    }

    /// Returns how outputs are denoised; `None` if none is.
    pub(super) fn denoise_method_used(&self) -> Option<DenoiseMethod> {
        self.files.iter().find_map(|file| self.denoise_method(file.format))
    }

    /// Returns whether all outputs are denoised.
    pub(super) fn are_all_denoised(&self) -> bool {
        self.files.iter().all(|file| self.denoise_method(file.format).is_some())
    }

    /// Loads the denoiser of the outputs that are denoised.
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

    /// Returns the outputs of one of several images, with the camera and the number of the frame in each file name:
    /// `a.png` becomes `a-front-0007.png`.
    pub(super) fn of_image(&self, camera: Option<&str>, frame: Option<u32>) -> Self {
        let mut label = String::new();
        label.extend(camera.map(|camera| format!("-{camera}")));
        label.extend(frame.map(|frame| format!("-{frame:04}")));
        let labelled = |file: &OutputFile| {
            let mut name = file.path.file_stem().unwrap_or_default().to_os_string();
            name.push(&label);
            if let Some(extension) = file.path.extension() {
                name.push(".");
                name.push(extension);
            }
            OutputFile { path: file.path.with_file_name(name), ..*file }
        };
        match label.is_empty() {
            true => self.clone(),
            false => Self { files: self.files.iter().map(labelled).collect(), ..self.clone() },
        }
    }

    /// Writes all outputs, files atomically, those of display formats with an exposure of `exposure_stops`. An output
    /// that fails does not prevent the others from being written.
    ///
    /// * `denoised` — image of the outputs that are denoised. * `backdrop` — what is behind the covered parts.
    ///
    /// # Errors
    /// An output cannot be written; the error is that of the first one.
    pub(super) fn write(
        &self,
        film: &Film,
        denoised: Option<&DenoisedFrame>,
        exposure_stops: f32,
        &ImageSize { full, window, .. }: &ImageSize,
        backdrop: Option<&Backdrop>,
    ) -> Result<Vec<WrittenFile>, Failure> {
        // Algorithms with a filter over the whole image render all of it
        let (whole, cropped) = (film.window(), (film.window() != window).then(|| film.cropped(window)));
        let film = cropped.as_ref().unwrap_or(film);
        let clean = denoised.map(|denoised| part(&denoised.image.picture, whole, window));
        let display_image = self.displayed_aov.and_then(|aov| film.display_image(aov));
        let noisy = film.radiance();
        let alpha = film.alpha().filter(|_| self.has_alpha && display_image.is_none());
        let depth = self.depth;
        let radiance = DisplayOptions {
            exposure_stops,
            tone_curve: self.tone_curve,
            depth,
            ..DisplayOptions::default()
        };
        let unchanged = DisplayOptions { tone_curve: ToneCurve::Linear, depth, ..DisplayOptions::default() };
        let write = |file: &OutputFile| {
            let denoised = denoised.filter(|_| self.denoise_method(file.format).is_some());
            let image = match (&display_image, &clean) {
                (Some(picture), _) => picture,
                (None, Some(clean)) if denoised.is_some() => clean,
                (None, _) => &noisy,
            };
            let image = OutputImage {
                radiance: image,
                film: display_image.is_none().then_some(film),
                alpha: alpha.as_deref(),
                background: backdrop.map(Backdrop::of_output),
                window,
                full_size: full,
            };
            let options = if display_image.is_some() { &unchanged } else { &radiance };
            let bytes = encode(&image, self.aovs, file.format, options);
            let bytes = bytes.map_err(|error| Failure::failed(error.to_string()))?;
            match file.is_standard_output() {
                true => stdout::write(&bytes)?,
                false => write_atomically(&file.path, &bytes)
                    .map_err(|error| Failure::failed(error.to_string()))?,
            }
            Ok(WrittenFile {
                path: file.path.clone(),
                bytes: bytes.len() as u64,
                denoised: denoised.map(|denoised| denoised.method),
            })
        };
        let results: Vec<_> = self.files.iter().map(write).collect();
        results.into_iter().collect()
    }
}

/// Returns the outputs given with their formats.
///
/// # Errors
/// See [`Outputs::check`].
fn check_files(args: &RenderArgs) -> Result<Vec<OutputFile>, Failure> {
    let mut files = Vec::new();
    for (i, path) in args.output.iter().enumerate() {
        if args.output[..i].iter().any(|other| destination::is_same_file(other, path)) {
            return Err(Failure::bad_input(format!("{}: this output is given twice", path.display())));
        }
        let format = match path == Path::new(STANDARD_OUTPUT) {
            true => {
                check_standard_output(args)?;
                args.format.unwrap_or(PictureFormat::Png)
            }
            false => destination::check(path)?,
        };
        files.push(OutputFile { path: path.clone(), format });
    }
    if args.format.is_some() && !files.iter().any(OutputFile::is_standard_output) {
        return Err(Failure::bad_input("--format is the format of the image on standard output")
            .with_help("add `-o -`; the extension of a file selects its format"));
    }
    Ok(files)
}

/// Checks that an image can be written to standard output.
fn check_standard_output(args: &RenderArgs) -> Result<(), Failure> {
    if std::io::stdout().is_terminal() {
        return Err(Failure::bad_input("-o -: an image is not written to a terminal")
            .with_help("redirect it to a file or another program: `sunfleck render … -o - > a.png`"));
    }
    if args.json {
        return Err(Failure::bad_input(
            "--json: the report and the image of `-o -` both go to standard output",
        ));
    }
    if args.renders_several_images() {
        return Err(Failure::bad_input("-o -: standard output takes a single image, not several"));
    }
    Ok(())
}

/// Returns a part of a picture.
///
/// * `whole` — pixels of the picture. * `window` — those of the part.
fn part(picture: &Picture, whole: TileRect, window: TileRect) -> Picture {
    if whole == window {
        return picture.clone();
    }
    let (x0, y0) = (window.x0 - whole.x0, window.y0 - whole.y0);
    let part = Picture::from_fn(window.width(), window.height(), |x, y| picture.pixel(x0 + x, y0 + y));
    part.unwrap_or_else(|_| picture.clone())
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
        let file = |path: PathBuf| {
            let format = PictureFormat::from_path(&path).unwrap();
            OutputFile { path, format }
        };
        Outputs {
            files: paths.into_iter().map(file).collect(),
            tone_curve: ToneCurve::default(),
            depth: BitDepth::Eight,
            displayed_aov: None,
            aovs: AovSet::EMPTY,
            denoise: None,
            has_alpha: false,
        }
    }

    fn paths(outputs: &Outputs) -> Vec<PathBuf> {
        outputs.files.iter().map(|file| file.path.clone()).collect()
    }

    #[test]
    fn files_to_look_at_are_denoised_unless_told_otherwise() {
        let outputs = outputs_to(vec!["a.png".into(), "b.exr".into()]);
        let methods = |outputs: &Outputs| {
            outputs.files.iter().map(|file| outputs.denoise_method(file.format)).collect::<Vec<_>>()
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
        let window = TileRect { x0: 0, y0: 0, x1: 4, y1: 4 };
        let size = ImageSize { full: [4, 4], crop: None, window };
        let failure = outputs.write(&Film::new(4, 4, AovSet::EMPTY), None, 0.0, &size, None).unwrap_err();
        assert_eq!(failure.exit(), Exit::Failed);
        assert!(failure.to_string().contains("a.png"), "{failure}");
        assert!(folder.path().join("b.png").exists() && !folder.path().join("gone").exists(), "{failure}");
    }

    #[test]
    fn images_are_named_by_camera_and_frame() {
        let outputs = outputs_to(["a/b.c.png", "d.EXR"].map(PathBuf::from).into());
        let names = |camera, frame| paths(&outputs.of_image(camera, frame));
        assert_eq!(names(None, Some(7)), ["a/b.c-0007.png", "d-0007.EXR"].map(PathBuf::from));
        assert_eq!(names(Some("front"), None), ["a/b.c-front.png", "d-front.EXR"].map(PathBuf::from));
        assert_eq!(names(Some("top"), Some(12))[1], Path::new("d-top-0012.EXR"));
        assert_eq!(names(None, None), paths(&outputs));
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

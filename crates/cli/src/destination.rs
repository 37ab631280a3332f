//! Files to write, tried before the work that fills them.

use std::path::Path;

use sunfleck_command::Failure;
use sunfleck_image::PictureFormat;

/// The format that a picture at `path` would have. Errors: its extension names none, or its folder takes no files.
pub(crate) fn check(path: &Path) -> Result<PictureFormat, Failure> {
    let format = PictureFormat::from_path(path).map_err(|error| Failure::bad_input(error.to_string()))?;
    check_folder(path)?;
    Ok(format)
}

/// Whether a file can be written at `path`, as far as one can tell beforehand. Errors: its folder takes no files.
pub(crate) fn check_folder(path: &Path) -> Result<(), Failure> {
    let refused = |why: String| Failure::bad_input(format!("{}: cannot be written: {why}", path.display()));
    if path.is_dir() {
        return Err(refused("it is a folder".into()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(refused(format!("there is no folder {}", folder.display())));
    }
    // The surest way to know is to do what writing will do; this file has no name and is gone at once
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(format!("the folder {} takes no files: {error}", folder.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_tried_and_left_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let inside = |name: &str| check(&folder.path().join(name)).ok();
        assert_eq!(inside("a.png"), Some(PictureFormat::Png));
        assert_eq!(inside("a.EXR"), Some(PictureFormat::Exr));
        assert_eq!(inside("a.jpeg"), None);
        assert_eq!(inside("no/a.png"), None, "there is no such folder");
        std::fs::create_dir(folder.path().join("b.png")).unwrap();
        assert_eq!(inside("b.png"), None, "it is a folder itself");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }
}

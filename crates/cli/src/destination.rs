//! Checks that output files can be written, made before rendering starts.

use std::path::Path;

use sunfleck_command::Failure;
use sunfleck_image::PictureFormat;

/// Returns the image format that the extension of `path` selects.
///
/// # Errors
/// The extension is not that of an image format, or the file cannot be written; see [`check_folder`].
pub(crate) fn check(path: &Path) -> Result<PictureFormat, Failure> {
    let format = PictureFormat::from_path(path).map_err(|error| Failure::bad_input(error.to_string()))?;
    check_folder(path)?;
    Ok(format)
}

/// Checks that a file can be created at `path`.
///
/// # Errors
/// `path` is a folder, or no file can be created in its parent folder.
pub(crate) fn check_folder(path: &Path) -> Result<(), Failure> {
    let refused = |why: String| Failure::bad_input(format!("{}: cannot be written: {why}", path.display()));
    if path.is_dir() {
        return Err(refused("it is a folder".into()));
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(refused(format!("there is no folder {}", folder.display())));
    }
    // Creating an unnamed temporary file is the only reliable test; it is deleted at once
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => {
            Err(refused(format!("cannot create files in the folder {}: {error}", folder.display())))
        }
    }
}

/// Returns whether two paths are those of one file, which need not exist: they have the same name in the same folder.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    let has_same_folder = || match (folder_of(a).canonicalize(), folder_of(b).canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    a == b || a.file_name() == b.file_name() && has_same_folder()
}

/// Returns the folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_leave_folders_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let format = |name: &str| check(&folder.path().join(name)).ok();
        assert_eq!(format("a.png"), Some(PictureFormat::Png));
        assert_eq!(format("a.EXR"), Some(PictureFormat::Exr));
        assert_eq!(format("a.bmp"), None);
        assert_eq!(format("no/a.png"), None, "there is no such folder");
        std::fs::create_dir(folder.path().join("b.png")).unwrap();
        assert_eq!(format("b.png"), None, "it is a folder itself");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn one_file_has_many_paths() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("b")).unwrap();
        let same = |a: &str, b: &str| is_same_file(&folder.path().join(a), &folder.path().join(b));
        assert!(same("a.png", "a.png") && same("a.png", "./a.png") && same("a.png", "b/../a.png"));
        assert!(!same("a.png", "b/a.png") && !same("a.png", "a.exr"));
        assert!(is_same_file(Path::new("a.png"), Path::new("./a.png")), "in the working folder");
        assert!(!same("no/a.png", "gone/a.png"), "folders that are not there");
    }
}

//! Faulty elements of a file whose other elements are good: they are skipped or repaired, and counted.

use std::collections::BTreeMap;

use sunfleck_scene::Scene;

use crate::FileLocation;
use crate::error::ParseError;
use crate::report::Reporter;

/// Faults of a file.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Number of the elements that were repaired in a way, and the JSON path of the first.
    repaired: BTreeMap<&'static str, (usize, String)>,
    /// First object that was left out.
    first: Option<ParseError>,
}

impl Faults {
    /// Counts repaired elements.
    ///
    /// * `remedy` — the elements and what is done about them, such as "invalid normals, which are computed instead".
    /// * `path` — JSON path of the elements.
    pub(super) fn repair(&mut self, remedy: &'static str, count: usize, path: &str) {
        if count > 0 {
            self.repaired.entry(remedy).or_insert_with(|| (0, path.to_string())).0 += count;
        }
    }

    /// Remembers the error of elements that are left out, which is that of the file if nothing is left.
    pub(super) fn remember(&mut self, error: ParseError) {
        self.first.get_or_insert(error);
    }

    /// Adds a warning about an object that is left out.
    ///
    /// * `consequence` — such as "the primitive is ignored".
    pub(super) fn leave_out(&mut self, consequence: &str, error: ParseError, report: &mut Reporter) {
        report.warn(error.location.clone(), format!("{consequence}: {}", error.problem));
        self.remember(error);
    }

    /// Adds one warning for each kind of repair. Errors: the first object that was left out, if the scene has no
    /// triangles.
    pub(super) fn finish(self, scene: &Scene, report: &mut Reporter) -> Result<(), ParseError> {
        if let Some(first) = self.first
            && scene.instanced_triangle_count() == 0
        {
            return Err(first);
        }
        for (remedy, (count, path)) in self.repaired {
            report.warn(FileLocation::Json(path), format!("{remedy}: {count}"));
        }
        Ok(())
    }
}

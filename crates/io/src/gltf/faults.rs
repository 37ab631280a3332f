//! Faulty objects of a file whose other objects are good: they are left out with a warning. Faulty elements of objects
//! are counted in [`Faults`](crate::faults::Faults).

use crate::error::ParseError;

use super::Importer;

impl Importer<'_> {
    /// Adds a warning about an object that is left out.
    ///
    /// * `consequence` — such as "the light is ignored".
    pub(super) fn leave_out(&mut self, consequence: &str, error: &ParseError) {
        self.report.warn(error.location.clone(), format!("{consequence}: {}", error.problem));
    }

    /// Adds a warning about triangles that are left out. The error is that of the file if no triangles are left.
    pub(super) fn leave_out_triangles(&mut self, consequence: &str, error: ParseError) {
        self.leave_out(consequence, &error);
        self.faults.remember(error);
    }

    /// Adds one warning for each kind of fault. Errors: the first fault that cost triangles, if no mesh has any.
    pub(super) fn report_faults(&mut self) -> Result<(), ParseError> {
        let nothing_left = self.scene.meshes().all(|(_, mesh)| mesh.triangles().is_empty());
        let mut faults = std::mem::take(&mut self.faults);
        faults.check(nothing_left)?;
        faults.report_numbers(self.report);
        Ok(())
    }
}

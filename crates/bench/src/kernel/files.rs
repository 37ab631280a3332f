//! Export of rays and hits to files, and hits of rays from files, for comparisons with other kernels; see
//! [`crate::format`].

use std::path::Path;

use sunfleck_kernel::{HitBuffer, Tlas};

use super::cost::build_ours;
use super::{KernelBenchSettings, QueryForm};
use crate::query::Query;
use crate::rays::RayGenerator;
use crate::{BenchError, RaySet, Subject, format};

/// Writes `SCENE.tri` into a folder and, for each kind of rays, `SCENE.KIND.rays` and Sunfleck's hits
/// `SCENE.KIND.hits`.
///
/// Errors: the structure cannot be built, or a file cannot be written.
pub fn export(settings: &KernelBenchSettings, subject: &Subject, folder: &Path) -> Result<(), BenchError> {
    let (tlas, _) = build_ours(&subject.mesh, settings.preset, 1)?;
    let generator = RayGenerator::new(subject, &tlas, settings.level, settings.resolution);
    let stem = subject.name.replace(['/', '\\', ':', '@'], "-");
    format::write_mesh(&folder.join(format!("{stem}.tri")), &subject.mesh)?;
    for &kind in &settings.kinds {
        let rays = generator.rays(kind);
        let file = |what: &str| folder.join(format!("{stem}.{}.{what}", kind.name()));
        format::write_rays(&file("rays"), &rays.rays)?;
        format::write_hits(&file("hits"), &hits(settings, &tlas, &rays))?;
    }
    Ok(())
}

/// Returns Sunfleck's closest hits of rays. Errors: the structure cannot be built.
pub fn trace(
    settings: &KernelBenchSettings,
    subject: &Subject,
    rays: &RaySet,
) -> Result<HitBuffer, BenchError> {
    let (tlas, _) = build_ours(&subject.mesh, settings.preset, 1)?;
    Ok(hits(settings, &tlas, rays))
}

/// Traces rays with the first query form of the settings; all forms return the same hits.
fn hits(settings: &KernelBenchSettings, tlas: &Tlas, rays: &RaySet) -> HitBuffer {
    let form = settings.forms.first().copied().unwrap_or(QueryForm::Single);
    let mut hits = HitBuffer::with_len(rays.rays.len());
    let query = form.query(tlas, settings.level, rays.kind);
    query.closest(&rays.slice(0..rays.rays.len()), &mut hits.as_stream());
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RayKind;

    #[test]
    fn exported_rays_can_be_traced_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let settings = KernelBenchSettings {
            resolution: 32,
            kinds: vec![RayKind::Random],
            ..KernelBenchSettings::default()
        };
        export(&settings, &Subject { name: "teapot:3".into(), ..Subject::teapot(3) }, folder.path()).unwrap();
        let mesh = format::read_mesh(&file("teapot-3.tri")).unwrap();
        let rays = RaySet::new(RayKind::File, format::read_rays(&file("teapot-3.random.rays")).unwrap());
        let again = trace(&settings, &Subject::from_mesh("again", mesh).unwrap(), &rays).unwrap();
        let HitBuffer { t, prim_id, .. } = format::read_hits(&file("teapot-3.random.hits")).unwrap();
        assert!(t.iter().any(|t| t.is_finite()), "something is hit");
        assert_eq!((again.t, again.prim_id), (t, prim_id));
    }
}

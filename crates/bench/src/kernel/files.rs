//! Rays and hits for other kernels, and from them: see [`crate::format`].

use std::path::Path;

use sunfleck_kernel::{HitBuffer, Tlas};

use super::cost::build_ours;
use super::{Form, Settings};
use crate::query::Query;
use crate::rays::RayMaker;
use crate::{BenchError, RaySet, Subject, format};

/// Writes `SCENE.tri`, and of each kind of rays `SCENE.KIND.rays` and our `SCENE.KIND.hits`, into a folder.
///
/// Errors: the structure cannot be built, a file not written.
pub fn export(settings: &Settings, subject: &Subject, folder: &Path) -> Result<(), BenchError> {
    let (tlas, _) = build_ours(&subject.mesh, settings.preset, 1)?;
    let maker = RayMaker::new(subject, &tlas, settings.level, settings.resolution);
    let stem = subject.name.replace(['/', '\\', ':', '@'], "-");
    format::write_mesh(&folder.join(format!("{stem}.tri")), &subject.mesh)?;
    for &kind in &settings.kinds {
        let rays = maker.rays(kind);
        let file = |what: &str| folder.join(format!("{stem}.{}.{what}", kind.name()));
        format::write_rays(&file("rays"), &rays.rays)?;
        format::write_hits(&file("hits"), &hits(settings, &tlas, &rays))?;
    }
    Ok(())
}

/// Our closest hits of some rays. Errors: the structure cannot be built.
pub fn trace(settings: &Settings, subject: &Subject, rays: &RaySet) -> Result<HitBuffer, BenchError> {
    let (tlas, _) = build_ours(&subject.mesh, settings.preset, 1)?;
    Ok(hits(settings, &tlas, rays))
}

/// By the first form; all give the same.
fn hits(settings: &Settings, tlas: &Tlas, rays: &RaySet) -> HitBuffer {
    let form = settings.forms.first().copied().unwrap_or(Form::Single);
    let mut hits = HitBuffer::with_len(rays.rays.len());
    let query = form.query(tlas, settings.level, rays.kind);
    query.closest(&rays.share(0..rays.rays.len()), &mut hits.as_stream());
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RayKind;

    #[test]
    fn what_is_exported_can_be_traced_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let settings = Settings { resolution: 32, kinds: vec![RayKind::Random], ..Settings::default() };
        export(&settings, &Subject { name: "teapot:3".into(), ..Subject::teapot(3) }, folder.path()).unwrap();
        let mesh = format::read_mesh(&file("teapot-3.tri")).unwrap();
        let rays = RaySet::new(RayKind::File, format::read_rays(&file("teapot-3.random.rays")).unwrap());
        let again = trace(&settings, &Subject::from_mesh("again", mesh).unwrap(), &rays).unwrap();
        let HitBuffer { t, prim_id, .. } = format::read_hits(&file("teapot-3.random.hits")).unwrap();
        assert!(t.iter().any(|t| t.is_finite()), "something is hit");
        assert_eq!((again.t, again.prim_id), (t, prim_id));
    }
}

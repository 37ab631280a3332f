//! Light that is kept beside a world, so that other views of it, and edited versions of it, need little work.

use std::sync::Arc;

use sunfleck_transport::SurfaceLight;

use super::patches::PatchLight;
use super::texels::TexelLight;
use super::{Method, Radiosity};
use crate::view::View;

/// The last solution of each method.
#[derive(Default)]
pub(super) struct Kept {
    texels: Option<TexelLight>,
    patches: Option<PatchLight>,
}

impl Kept {
    /// Returns the light of a view's world, or a picture of it; `None` if the world is refused.
    pub(super) fn light(&mut self, view: &View<'_>, radiosity: &Radiosity) -> Option<Arc<dyn SurfaceLight>> {
        match radiosity.method {
            Method::Stochastic => {
                self.texels = TexelLight::solve(self.texels.take(), view, radiosity);
                self.texels.as_mut().map(|texels| texels.shown(view, radiosity))
            }
            Method::Matrix => {
                self.patches = PatchLight::solve(self.patches.take(), view, radiosity);
                self.patches.as_mut().map(|patches| patches.shown(view, radiosity))
            }
        }
    }
}

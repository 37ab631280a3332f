use crate::details::{SurfaceFeature, SurfaceFeatures};

/// Values of the constants that shaders declare with `override`, and the length of stacks: what a world needs of kernels, and who traces in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// Places of the stack of a walk: inner nodes on the way to a leaf through both levels, and two. It lives in registers and thread-private memory, where small is fast.
    pub stack: u32,
    /// Whether some instances do not stand in the world as they are.
    pub instances: bool,
    /// What some surfaces have.
    pub details: SurfaceFeatures,
    /// Whether some rays begin behind their origins: the sign of `t_near` is that of numbers below 0, be it that of -0.
    pub behind: bool,
    /// Whether there are short paths, which put back what a bound takes away.
    pub compensates: bool,
}

impl Specialization {
    /// The value of a constant that shaders call so.
    pub(crate) fn value(&self, name: &str) -> Option<bool> {
        match name {
            "INSTANCES" => Some(self.instances),
            "BEHIND" => Some(self.behind),
            "COMPENSATES" => Some(self.compensates),
            _ => SurfaceFeature::ALL
                .into_iter()
                .find(|detail| detail.constant() == name)
                .map(|detail| self.details.contains(detail)),
        }
    }
}

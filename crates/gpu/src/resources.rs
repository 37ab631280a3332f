use std::borrow::Cow;

use wgpu::{Buffer, BufferBinding};

/// Buffers by the names of WESL variables. If a name occurs several times, the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Resources<'a>(Vec<(Cow<'static, str>, BufferBinding<'a>)>);

impl<'a> Resources<'a> {
    /// Adds a buffer.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, buffer: &'a Buffer) -> Self {
        self.extend([(name, buffer)]);
        self
    }

    /// Adds a range of a buffer.
    pub(crate) fn with_range(mut self, name: &'static str, range: BufferBinding<'a>) -> Self {
        self.0.push((name.into(), range));
        self
    }

    /// Adds all of another collection.
    pub(crate) fn append(&mut self, more: &Self) {
        self.0.extend(more.0.iter().cloned());
    }

    /// Returns the binding with a name.
    pub(crate) fn get(&self, name: &str) -> Option<&BufferBinding<'a>> {
        self.0.iter().rev().find(|(own, _)| own == name).map(|(_, range)| range)
    }
}

impl<'a, N: Into<Cow<'static, str>>> Extend<(N, &'a Buffer)> for Resources<'a> {
    fn extend<I: IntoIterator<Item = (N, &'a Buffer)>>(&mut self, buffers: I) {
        let whole = |(name, buffer): (N, &'a Buffer)| (name.into(), buffer.as_entire_buffer_binding());
        self.0.extend(buffers.into_iter().map(whole));
    }
}

impl<'a, N: Into<Cow<'static, str>>> FromIterator<(N, &'a Buffer)> for Resources<'a> {
    fn from_iter<I: IntoIterator<Item = (N, &'a Buffer)>>(buffers: I) -> Self {
        let mut resources = Self::default();
        resources.extend(buffers);
        resources
    }
}

impl<'a, N: Into<Cow<'static, str>>, const COUNT: usize> From<[(N, &'a Buffer); COUNT]> for Resources<'a> {
    fn from(buffers: [(N, &'a Buffer); COUNT]) -> Self {
        buffers.into_iter().collect()
    }
}

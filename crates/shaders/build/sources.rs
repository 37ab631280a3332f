//! Where modules come from, and what linked texts call their declarations. Tests of the GPU that link modules of their own do as the build script does.

#[path = "constants.rs"]
mod constants;

use std::borrow::Cow;
use std::path::PathBuf;

use constants::WithConstants;
use wesl::{FileResolver, Mangler, ModulePath, ResolveError, Resolver};

/// Names of declarations in a linked text: that of the module, then the module, with a letter between them that no name has.
pub(crate) struct Names;

impl Mangler for Names {
    fn mangle(&self, path: &ModulePath, item: &str) -> String {
        std::iter::once(item).chain(path.components.iter().map(String::as_str)).collect::<Vec<_>>().join("·")
    }
}

/// The files, and `traversal::walk` once more as `traversal::any_walk`, as if the feature `any` were on: for kernels that ask for both.
pub(crate) struct Sources(FileResolver);

impl Sources {
    /// The modules of a folder, and constants.
    pub(crate) fn new(folder: &str) -> WithConstants<Self> {
        WithConstants(Self(FileResolver::new(folder)))
    }

    /// The module of a file, and whether it is that of any hits.
    fn file_of(path: &ModulePath) -> (Cow<'_, ModulePath>, bool) {
        let is_any = path.components.ends_with(&["traversal".to_owned(), "any_walk".to_owned()]);
        if !is_any {
            return (Cow::Borrowed(path), false);
        }
        let mut file = path.clone();
        file.components.pop();
        file.components.push("walk".to_owned());
        (Cow::Owned(file), true)
    }
}

impl Resolver for Sources {
    fn resolve_source<'a>(&'a self, path: &ModulePath) -> Result<Cow<'a, str>, ResolveError> {
        let (file, is_any) = Self::file_of(path);
        let source = self.0.resolve_source(&file)?;
        let any = || source.replace("@if(any", "@if(true").replace("@if(!any", "@if(!true");
        Ok(if is_any { any().into() } else { source })
    }

    fn display_name(&self, path: &ModulePath) -> Option<String> {
        self.0.display_name(&Self::file_of(path).0)
    }

    fn fs_path(&self, path: &ModulePath) -> Option<PathBuf> {
        self.0.fs_path(&Self::file_of(path).0)
    }
}

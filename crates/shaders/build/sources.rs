//! Resolves WESL modules, and names the declarations of linked shaders. GPU tests that link modules of their own
//! include this file, too.

#[path = "constants.rs"]
mod constants;

use std::borrow::Cow;
use std::path::PathBuf;

use constants::WithConstants;
use wesl::{FileResolver, Mangler, ModulePath, ResolveError, Resolver};

/// Names declarations in linked shaders: the name in the module, then the path of the module, separated by a letter
/// that no name contains.
pub(crate) struct Names;

impl Mangler for Names {
    fn mangle(&self, path: &ModulePath, item: &str) -> String {
        std::iter::once(item).chain(path.components.iter().map(String::as_str)).collect::<Vec<_>>().join("·")
    }
}

/// Resolver of the files of a folder. It also provides `traversal::any_walk`, which is `traversal::walk` with the
/// feature `any`, for kernels that need both closest-hit and any-hit traversal.
pub(crate) struct Sources(FileResolver);

impl Sources {
    /// Creates a resolver of the modules of a folder and of constants.
    pub(crate) fn new(folder: &str) -> WithConstants<Self> {
        WithConstants(Self(FileResolver::new(folder)))
    }

    /// Returns the module whose file has the source, and whether it is the any-hit variant.
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

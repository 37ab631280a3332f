//! Links each entry point's modules into one WGSL text.

#[path = "build/constants.rs"]
mod constants;

use std::borrow::Cow;
use std::path::PathBuf;

use constants::WithConstants;
use wesl::{FileResolver, ModulePath, ResolveError, Resolver};

/// Module of the entry point, and the name of the text.
const LINKED: &[(&str, &str)] = &[
    ("package::trace::closest", "closest"),
    ("package::trace::ordered_closest", "ordered_closest"),
    ("package::beam::entry_points", "beam_entry_points"),
    ("package::crossbar::closest", "crossbar"),
    ("package::crossbar::buckets", "crossbar_buckets"),
    ("package::grid::closest", "grid_closest"),
    ("package::grid::any", "grid_any"),
    ("package::path::advance", "path_advance"),
    ("package::path::generate", "path_generate"),
    ("package::path::intersect", "path_intersect"),
    ("package::path::first", "path_first"),
    ("package::path::sort", "path_sort"),
    ("package::path::shade", "path_shade"),
    ("package::build::top_bounds", "top_bounds"),
    ("package::build::top_whole", "top_whole"),
    ("package::build::top_codes", "top_codes"),
    ("package::build::top_sort", "top_sort"),
    ("package::build::top_unite", "top_unite"),
    ("package::build::top_link", "top_link"),
    ("package::build::top_depth", "top_depth"),
    ("package::build::top_write", "top_write"),
    ("package::build::refit_level", "refit_level"),
    ("package::film::add", "film_add"),
    ("package::film::means", "film_means"),
    ("package::whitted::shade", "whitted_shade"),
    ("package::ao::shade", "ao_shade"),
    ("package::igi::pattern", "igi_pattern"),
    ("package::igi::probe", "igi_probe"),
    ("package::igi::reach", "igi_reach"),
    ("package::igi::estimate", "igi_estimate"),
    ("package::igi::weigh", "igi_weigh"),
    ("package::igi::recall", "igi_recall"),
    ("package::igi::collect", "igi_collect"),
    ("package::igi::shares", "igi_shares"),
    ("package::igi::blocks", "igi_blocks"),
    ("package::igi::parts", "igi_parts"),
    ("package::igi::walks", "igi_walks"),
    ("package::igi::occluders", "igi_occluders"),
    ("package::igi::clearances", "igi_clearances"),
    ("package::igi::camera_beams", "igi_camera_beams"),
    ("package::igi::surface", "igi_surface"),
    ("package::igi::light", "igi_light"),
    ("package::igi::light_paths", "igi_light_paths"),
    ("package::igi::resolve", "igi_resolve"),
    ("package::igi::filter", "igi_filter"),
    ("package::igi::reuse", "igi_reuse"),
    ("package::igi::first", "igi_first"),
    ("package::igi::photon_walks", "igi_photon_walks"),
    ("package::igi::photon_cells", "igi_photon_cells"),
    ("package::igi::photon_places", "igi_photon_places"),
    ("package::igi::caustics", "igi_caustics"),
    ("package::igi::caustics_paths", "igi_caustics_paths"),
];

/// The same with features: for what most pictures do without, for any hits, and for closest hits from where beams enter the trees.
const WITH_FEATURES: &[(&str, &str, &[&str])] = &[
    ("package::trace::any", "any", &["any"]),
    ("package::trace::ordered_any", "ordered_any", &["any"]),
    ("package::beam::closest", "beam_closest", &["beams"]),
    ("package::beam::any", "beam_any", &["any"]),
    ("package::path::shadow", "path_shadow", &["any"]),
    ("package::igi::occluders", "igi_occluders_alpha", &["alpha"]),
    ("package::igi::ask", "igi_ask", &["any"]),
    ("package::igi::ask", "igi_ask_alpha", &["alpha", "any"]),
    ("package::igi::occlude", "igi_occlude", &["any"]),
    ("package::path::intersect", "path_intersect_alpha", &["alpha"]),
    ("package::path::intersect", "path_intersect_grid", &["grid"]),
    ("package::path::shadow", "path_shadow_grid", &["grid"]),
    ("package::path::first", "path_first_alpha", &["alpha"]),
    ("package::path::shadow", "path_shadow_alpha", &["alpha", "any"]),
    ("package::path::shade", "path_shade_levels", &["levels"]),
    ("package::whitted::shade", "whitted_shade_levels", &["levels"]),
    ("package::film::add", "film_add_channels", &["channels"]),
    ("package::igi::filter", "igi_filter_film", &["film"]),
    ("package::igi::filter", "igi_filter_channels", &["film", "channels"]),
    ("package::igi::probe", "igi_probe_alpha", &["alpha"]),
    ("package::igi::estimate", "igi_estimate_alpha", &["alpha"]),
    ("package::igi::walks", "igi_walks_alpha", &["alpha"]),
    ("package::igi::photon_walks", "igi_photon_walks_alpha", &["alpha"]),
    ("package::igi::primary", "igi_primary", &["beams"]),
    ("package::igi::primary", "igi_primary_alpha", &["alpha", "beams"]),
    ("package::igi::occlude", "igi_occlude_alpha", &["alpha", "any"]),
    ("package::igi::occlude_paths", "igi_occlude_paths", &["any"]),
    ("package::igi::occlude_paths", "igi_occlude_paths_alpha", &["alpha", "any"]),
    ("package::igi::follow", "igi_follow", &["follow"]),
    ("package::igi::follow", "igi_follow_alpha", &["follow", "alpha"]),
    ("package::igi::follow", "igi_follow_photons", &["follow", "photons"]),
    ("package::igi::follow", "igi_follow_photons_alpha", &["follow", "photons", "alpha"]),
];

fn main() {
    for (module, name) in LINKED.iter().copied() {
        link(module, name, &[]);
    }
    for (module, name, features) in WITH_FEATURES.iter().copied() {
        link(module, name, features);
    }
}

fn link(module: &str, name: &str, features: &[&str]) {
    let sources = WithConstants(Sources(FileResolver::new("shaders")));
    let mut linker = wesl::Wesl::new("shaders").set_custom_resolver(sources);
    for feature in features {
        linker.set_feature(feature, true);
    }
    match module.parse() {
        Ok(module) => linker.build_artifact(&module, name),
        Err(error) => println!("cargo::error={module}: {error}"),
    }
}

/// The files, and `traversal::walk` once more as `traversal::any_walk`, as if the feature `any` were on: for kernels that ask for both.
struct Sources(FileResolver);

impl Sources {
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

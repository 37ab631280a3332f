//! Against a real Embree: `SUNFLECK_EMBREE=…/libembree4.so cargo test -p sunfleck-bench -- --ignored`.

use std::path::Path;
use std::sync::Arc;

use sunfleck_bench::embree::Library;
use sunfleck_bench::kernel::{self, Form, Preset, Settings};
use sunfleck_bench::{BenchError, Subject};

fn library() -> Arc<Library> {
    let path = std::env::var_os("SUNFLECK_EMBREE").expect("SUNFLECK_EMBREE names the library");
    Arc::new(Library::open(Path::new(&path)).expect("the library opens"))
}

#[test]
#[ignore = "needs Embree: SUNFLECK_EMBREE names its library"]
fn all_answers_agree() {
    let library = library();
    assert!(library.version().starts_with("4."), "{}", library.version());
    for (preset, threads) in [(Preset::Best, 1), (Preset::Balanced, 2), (Preset::Fast, 3)] {
        // Shares of three threads are no multiple of 16: packets that are not full are met, too.
        let settings = Settings {
            forms: Form::ALL.to_vec(),
            threads: vec![threads],
            rounds: 1,
            resolution: 104,
            preset,
            robust: threads == 2,
            ..Settings::default()
        };
        let report = kernel::run(&settings, &[Subject::teapot(6)], Some(&library), &mut |_| {});
        let report = report.expect("both sides build");
        assert!(report.agrees(), "{report}");
        let contests = &report.scenes[0].contests;
        assert_eq!(contests.len(), 8, "four kinds, two questions");
        let forms = if settings.robust { 6 } else { 5 };
        assert!(contests.iter().all(|c| c.screened.len() == forms && c.peers.len() >= 2), "{report}");
        let embree = &report.scenes[0].builds[1];
        assert!(embree.bytes > 0 && embree.peak_bytes.is_some_and(|peak| peak >= embree.bytes));
    }
}

#[test]
fn what_is_no_library_is_refused() {
    let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    assert!(matches!(Library::open(here), Err(BenchError::Library { .. })), "a text file");
}

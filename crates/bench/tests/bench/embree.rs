//! Tests with a real Embree: `SUNFLECK_EMBREE=…/libembree4.so cargo test -p sunfleck-bench -- --ignored`.

use std::path::Path;
use std::sync::Arc;

use sunfleck_bench::embree::EmbreeLibrary;
use sunfleck_bench::kernel::{self, BuildPreset, KernelBenchSettings, QueryForm};
use sunfleck_bench::{BenchError, Subject};

fn library() -> Arc<EmbreeLibrary> {
    let path = std::env::var_os("SUNFLECK_EMBREE").expect("SUNFLECK_EMBREE is the path of the library");
    Arc::new(EmbreeLibrary::open(Path::new(&path)).expect("the library can be loaded"))
}

#[test]
#[ignore = "needs Embree: SUNFLECK_EMBREE is the path of its library"]
fn all_answers_agree() {
    let library = library();
    assert!(library.version().starts_with("4."), "{}", library.version());
    for (preset, threads) in [(BuildPreset::Best, 1), (BuildPreset::Balanced, 2), (BuildPreset::Fast, 3)] {
        // Slices of three threads are not a multiple of 16 rays, so that there are incomplete packets
        let settings = KernelBenchSettings {
            forms: QueryForm::ALL.to_vec(),
            threads: vec![threads],
            rounds: 1,
            resolution: 104,
            preset,
            robust: threads == 2,
            ..KernelBenchSettings::default()
        };
        let report = kernel::run(&settings, &[Subject::teapot(6)], Some(&library), &mut |_| {});
        let report = report.expect("both structures are built");
        assert!(report.agrees(), "{report}");
        let comparisons = &report.scenes[0].contests;
        assert_eq!(comparisons.len(), 8, "four kinds of rays, two kinds of query");
        let forms = if settings.robust { 6 } else { 5 };
        assert!(comparisons.iter().all(|c| c.screened.len() == forms && c.peers.len() >= 2), "{report}");
        let embree = &report.scenes[0].builds[1];
        assert!(embree.bytes > 0 && embree.peak_bytes.is_some_and(|peak| peak >= embree.bytes));
    }
}

#[test]
fn a_file_that_is_no_library_is_refused() {
    let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    assert!(matches!(EmbreeLibrary::open(here), Err(BenchError::Library { .. })), "a text file");
}

//! `sunfleck compare`.

use crate::run::{Folder, assert_picture};

fn pictures() -> Folder {
    let folder = Folder::new();
    folder.sunfleck("render cornell --width 32 --height 24 --spp 4 -o a.exr -o a.png").done();
    folder.sunfleck("render cornell --width 32 --height 24 --spp 4 --seed 1 -o b.exr").done();
    folder.sunfleck("render cornell --width 24 --height 24 --spp 1 -o small.exr").done();
    folder
}

#[test]
fn images_are_measured() {
    let folder = pictures();
    let same = folder.json("compare a.exr a.exr");
    for measure in ["rmse", "relmse", "flip_mean", "flip_max", "largest"] {
        assert_eq!(same[measure], 0.0, "{measure}");
    }
    let other = folder.json("compare a.exr b.exr -o difference.png");
    assert!(other["rmse"].as_f64().unwrap() > 0.0 && other["flip_mean"].as_f64().unwrap() > 0.0, "{other}");
    assert_picture(&folder.path("difference.png"), 32, 24);
    let text = folder.sunfleck("compare a.exr b.exr").done().stdout;
    assert!(["RMSE", "relMSE", "FLIP"].iter().all(|measure| text.contains(measure)), "{text}");
    folder.sunfleck("compare a.png a.exr").done();
}

#[test]
fn a_limit_decides_the_exit_code() {
    let folder = pictures();
    folder.sunfleck("compare a.exr a.exr --fail-above-flip 0").done();
    folder.sunfleck("compare a.exr b.exr --fail-above-flip 1").done();
    assert_eq!(folder.sunfleck("compare a.exr b.exr --fail-above-flip 0.000001").code, Some(1));
}

#[test]
fn images_that_cannot_be_compared_are_refused() {
    let folder = pictures();
    folder.sunfleck("compare a.exr small.exr").refused(&["32×24", "24×24"]);
    folder.sunfleck("compare a.exr a.exr -o difference.doc").refused(&["difference.doc"]);
    folder.write("broken.png", b"\x89PNG\r\n\x1a\n and then nothing");
    folder.sunfleck("compare broken.png a.exr").refused(&["broken.png"]);
}

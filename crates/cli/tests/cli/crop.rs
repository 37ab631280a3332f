//! `--crop`: parts of an image.

use sunfleck_image::read_picture;

use crate::run::Folder;

const FULL: &str = "render cornell --width 72 --height 56 --denoise off --exposure 0.5 --quiet";
/// Across several tiles, aligned to none.
const WINDOW: [u32; 4] = [13, 9, 41, 37];

#[test]
fn a_part_has_the_pixels_of_the_whole_image() {
    for integrator in ["path --spp 5", "whitted --spp 3", "ao --spp 4", "igi --spp 2"] {
        let folder = Folder::new();
        let [x0, y0, width, height] = WINDOW;
        folder.sunfleck(&format!("{FULL} --integrator {integrator} -o full.exr -o full.png")).done();
        let part = format!("--crop {x0},{y0},{width},{height} -o part.exr -o part.png");
        folder.sunfleck(&format!("{FULL} --integrator {integrator} {part}")).done();
        for format in ["exr", "png"] {
            let read = |name: &str| read_picture(&folder.path(&format!("{name}.{format}"))).unwrap();
            let (full, part) = (read("full"), read("part"));
            // An EXR file is read as the whole image, in which only the part is not black
            let [left, top] = if format == "exr" { [x0, y0] } else { [0, 0] };
            let size = if format == "exr" { [72, 56] } else { [width, height] };
            assert_eq!([part.width(), part.height()], size, "{integrator}, {format}");
            for y in 0..height {
                for x in 0..width {
                    let (whole, part) = (full.pixel(x0 + x, y0 + y), part.pixel(left + x, top + y));
                    assert_eq!(whole, part, "{integrator}, {format}: pixel {x}, {y}");
                }
            }
        }
    }
}

#[test]
fn threads_tiles_and_aovs_keep_the_part() {
    let folder = Folder::new();
    let part = "render cornell --width 72 --height 56 --spp 3 --crop 13,9,41,37 --aovs all --quiet";
    folder.sunfleck(&format!("{part} -o a.exr")).done();
    folder.sunfleck(&format!("{part} -o b.exr --threads 3 --tile-size 7")).done();
    assert!(folder.read("a.exr") == folder.read("b.exr"), "the same bits");
}

#[test]
fn a_part_is_denoised_and_reported() {
    let folder = Folder::new();
    let report = folder.json("render cornell --width 64 --height 64 --spp 2 --crop 8,4,32,40 -o a.png");
    assert_eq!(report["picture"]["crop"], serde_json::json!([8, 4, 32, 40]));
    assert_eq!(report["picture"]["width"], 64);
    assert!(!report["written"][0]["denoised"].is_null(), "{report}");
}

#[test]
fn parts_outside_the_image_are_refused() {
    let folder = Folder::new();
    let small = "render cornell --width 32 --height 32";
    folder.sunfleck(&format!("{small} --crop 8,4,25,4")).refused(&["column 33", "32 × 32"]);
    for bad in ["1,2,3", "0,0,0,4", "a,b,c,d"] {
        folder.sunfleck(&format!("{small} --crop {bad}")).refused(&["--crop"]);
    }
    assert!(folder.files().is_empty(), "nothing is written");
}

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

/// The film is larger than the default image, of 960 × 540 pixels.
#[test]
fn a_part_of_a_large_film_is_rendered() {
    let folder = Folder::new();
    let scene = "<scene version='3.0.0'><sensor type='perspective'><film type='hdrfilm'><integer name='width' \
                 value='2000'/><integer name='height' value='1000'/></film></sensor><emitter type='constant'/>\
                 <shape type='sphere'/></scene>";
    std::fs::write(folder.path("large.xml"), scene).unwrap();
    let report = folder.json("render large.xml --crop 1900,900,8,8 --spp 1 --denoise off -o a.png");
    assert_eq!(report["picture"]["crop"], serde_json::json!([1900, 900, 8, 8]));
    folder.sunfleck("render large.xml --crop 1900,900,8,101 -o b.png").refused(&["2000 × 1000"]);
}

/// The film of a scene of Mitsuba has 40 × 30 pixels, of which the crop window has 12 × 8.
#[test]
fn the_film_of_a_scene_is_the_default() {
    let scene = |crop: &str| {
        format!(
            "<scene version='3.0.0'><sensor type='perspective'><transform name='to_world'>\
             <lookat origin='0,0,-4' target='0,0,0' up='0,1,0'/></transform><film type='hdrfilm'>\
             <integer name='width' value='40'/><integer name='height' value='30'/>{crop}</film></sensor>\
             <emitter type='constant'/><shape type='sphere'/></scene>"
        )
    };
    let window = "<integer name='crop_offset_x' value='9'/><integer name='crop_offset_y' value='5'/>\
                  <integer name='crop_width' value='12'/><integer name='crop_height' value='8'/>";
    let folder = Folder::new();
    std::fs::write(folder.path("whole.xml"), scene("")).unwrap();
    std::fs::write(folder.path("part.xml"), scene(window)).unwrap();
    const OPTIONS: &str = "--spp 2 --denoise off --exposure 0";
    folder.sunfleck(&format!("render whole.xml {OPTIONS} --quiet -o whole.png")).done();
    let report = folder.json(&format!("render part.xml {OPTIONS} -o part.png"));
    let size = |report: &serde_json::Value| {
        [&report["picture"]["width"], &report["picture"]["height"]].map(|n| n.as_u64())
    };
    assert_eq!(size(&report), [Some(40), Some(30)]);
    assert_eq!(report["picture"]["crop"], serde_json::json!([9, 5, 12, 8]));
    let read = |name: &str| read_picture(&folder.path(name)).unwrap();
    let (whole, part) = (read("whole.png"), read("part.png"));
    assert_eq!(([whole.width(), whole.height()], [part.width(), part.height()]), ([40, 30], [12, 8]));
    assert!((0..12 * 8).all(|i| part.pixel(i % 12, i / 12) == whole.pixel(9 + i % 12, 5 + i / 12)));
    // The size and the part of the arguments come first; a width alone keeps the shape of the film
    let report = folder.json(&format!("render part.xml {OPTIONS} --width 80 -o a.png"));
    assert_eq!(size(&report), [Some(80), Some(60)]);
    assert_eq!(report["picture"]["crop"], serde_json::json!([18, 10, 24, 16]));
    let report = folder.json(&format!("render part.xml {OPTIONS} --crop 0,0,40,30 -o b.png"));
    assert_eq!(report["picture"]["crop"], serde_json::json!([0, 0, 40, 30]));
    // The limit of memory is that of images of this size, not of the default one
    folder.sunfleck(&format!("render whole.xml {OPTIONS} --memory-limit 8M -o d.png --quiet")).done();
    // glTF keeps the film
    folder.sunfleck("convert part.xml part.glb").done();
    let report = folder.json(&format!("render part.glb {OPTIONS} -o c.png"));
    assert_eq!(report["picture"]["crop"], serde_json::json!([9, 5, 12, 8]));
}

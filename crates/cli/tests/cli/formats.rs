//! Formats of output files, and AOVs in them.

use crate::run::{Folder, assert_picture};

#[test]
fn one_rendering_is_written_in_every_format() {
    let folder = Folder::new();
    folder
        .sunfleck("render cornell --width 24 --height 16 --spp 4 -o a.png -o b.exr -o c.hdr -o D.PNG")
        .done();
    assert_eq!(folder.files(), ["D.PNG", "a.png", "b.exr", "c.hdr"]);
    for name in folder.files() {
        assert_picture(&folder.path(&name), 24, 16);
    }
    assert_eq!(folder.read("a.png"), folder.read("D.PNG"));
}

#[test]
fn an_exr_holds_aovs_as_layers() {
    let folder = Folder::new();
    let render = "render cornell --width 16 --height 16 --spp 2 -o a.exr";
    let plain = folder.sunfleck(render).done();
    assert!(plain.stdout.contains("a.exr"));
    let without = folder.read("a.exr").len();
    folder.sunfleck(&format!("{render} --aovs depth,albedo,ns")).done();
    let some = folder.read("a.exr");
    folder.sunfleck(&format!("{render} --aovs all --occlusion-radius 0.2")).done();
    let all = folder.read("a.exr");
    assert!(without < some.len() && some.len() < all.len(), "layers take space");
    assert!(String::from_utf8_lossy(&some).contains("albedo"), "layers have names");
    assert_picture(&folder.path("a.exr"), 16, 16);
}

#[test]
fn a_single_aov_is_written_to_a_png() {
    let folder = Folder::new();
    let names = ["depth", "position", "ng", "ns", "albedo", "ids", "ao", "variance"];
    for name in names {
        folder
            .sunfleck(&format!("render cornell --width 16 --height 16 --spp 2 --aov {name} -o {name}.png"))
            .done();
        assert_picture(&folder.path(&format!("{name}.png")), 16, 16);
    }
    let pictures: Vec<_> = names.map(|name| folder.read(&format!("{name}.png"))).into();
    assert!((1..pictures.len()).all(|i| !pictures[..i].contains(&pictures[i])), "each AOV is another image");
}

#[test]
fn pictures_of_ids_have_a_table() {
    let folder = Folder::new();
    folder.sunfleck("render cornell --width 32 --height 32 --spp 2 --aov ids -o ids.png").done();
    let table: serde_json::Value = serde_json::from_slice(&folder.read("ids.ids.json")).unwrap();
    let rows = table.as_array().unwrap();
    let colors: Vec<_> = rows.iter().map(|row| row["color"].as_str().unwrap()).collect();
    let picture = sunfleck_image::decode(&folder.read("ids.png"), "").unwrap();
    let sunfleck_image::Decoded::Rgba8 { texels, .. } = picture else { panic!("8 bits") };
    for [r, g, b, _] in texels {
        let color = format!("#{r:02x}{g:02x}{b:02x}");
        assert!(color == "#000000" || colors.contains(&&*color), "{color} is in the table: {colors:?}");
    }
}

#[test]
fn tables_of_ids_are_outputs_like_others() {
    let folder = Folder::new();
    let render = "render cornell --width 8 --height 8 --spp 1 --denoise off --aov ids";
    let report = folder.json(&format!("{render} -o a.exr -o b.png -o a.EXR"));
    let written = report["written"].as_array().unwrap();
    let paths: Vec<_> = written.iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["a.exr", "b.png", "a.EXR", "a.ids.json"], "a table for the files with ids");
    assert_eq!(written[3]["bytes"], folder.read("a.ids.json").len());
    folder
        .sunfleck(&format!("{render} -o c.png --checkpoint c.ids.json"))
        .refused(&["c.ids.json", "a checkpoint"]);
    std::fs::create_dir(folder.path("d.ids.json")).unwrap();
    folder.sunfleck(&format!("{render} -o d.png")).refused(&["d.ids.json", "it is a folder"]);
    assert!(!folder.path("c.png").exists() && !folder.path("d.png").exists());
}

#[test]
fn ids_are_not_written_to_files_that_change_colours() {
    let folder = Folder::new();
    let render = "render cornell --width 8 --height 8 --spp 1 --denoise off --aov ids";
    folder.sunfleck(&format!("{render} -o a.png -o a.jpg")).refused(&["a.jpg", "ids", ".png"]);
    assert!(folder.files().is_empty());
    // Beside an EXR file, which holds the ids, the other files show the image
    folder.sunfleck(&format!("{render} -o a.exr -o a.jpg")).done();
}

#[test]
fn several_aovs_in_a_png_are_refused() {
    let folder = Folder::new();
    folder.sunfleck("render cornell --aovs depth,albedo -o a.png").refused(&["a.png", "EXR"]);
    assert!(folder.files().is_empty());
}

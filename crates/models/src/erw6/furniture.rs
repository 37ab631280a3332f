//! Furniture and the painting on the back wall, made of boxes.

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, vec3};
use sunfleck_scene::{Material, Node, Surface};

use super::Materials;
use crate::ModelError;
use crate::pattern;
use crate::random::Random;
use crate::scene_builder::SceneBuilder;
use crate::shape::{BoxFace, Shape};

/// Adds a writing desk at the back wall, with drawers, a screen and books.
pub(super) fn desk(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    let mut desk = Shape::new("desk");
    desk.block(vec3(0.0, 0.71, 0.0), vec3(1.70, 0.75, 0.76));
    desk.slot(1).block(vec3(0.04, 0.0, 0.04), vec3(0.08, 0.71, 0.72));
    desk.block(vec3(1.22, 0.06, 0.04), vec3(1.64, 0.70, 0.70));
    for drawer in 0..3 {
        let y = 0.08 + drawer as f32 * 0.205;
        desk.slot(1).block_without(vec3(1.235, y, 0.70), vec3(1.625, y + 0.19, 0.718), &[BoxFace::Back]);
        desk.slot(2).block_without(
            vec3(1.38, y + 0.13, 0.718),
            vec3(1.48, y + 0.145, 0.738),
            &[BoxFace::Back],
        );
    }
    let desk = builder.mesh(desk.finish())?;
    let transform = Affine3::from_translation(vec3(0.62, 0.0, 0.06));
    let parent =
        builder.node(Node::new("desk").at(transform).with_mesh(desk, vec![m.oak, m.white, m.steel]))?;

    let mut screen = Shape::new("screen");
    screen.block(vec3(-0.12, 0.0, -0.08), vec3(0.12, 0.015, 0.08));
    screen.block(vec3(-0.02, 0.015, -0.02), vec3(0.02, 0.14, 0.0));
    screen.block(vec3(-0.27, 0.10, 0.0), vec3(0.27, 0.42, 0.03));
    screen.slot(1).block(vec3(-0.21, 0.0, 0.22), vec3(0.21, 0.016, 0.36));
    let screen = builder.mesh(screen.finish())?;
    let transform = Affine3::from_translation(vec3(0.72, 0.75, 0.22)) * rotation_y(0.18);
    builder
        .node(Node::new("screen").at(transform).below(parent).with_mesh(screen, vec![m.steel, m.white]))?;

    let mut pile = Shape::new("books on the desk");
    pile.block(vec3(1.22, 0.75, 0.14), vec3(1.46, 0.79, 0.46));
    pile.slot(1).transform(Affine3::from_translation(vec3(1.34, 0.79, 0.31)) * rotation_y(0.3));
    pile.block(vec3(-0.11, 0.0, -0.15), vec3(0.11, 0.03, 0.15));
    let pile = builder.mesh(pile.finish())?;
    let books = vec![m.books[0], m.books[1]];
    builder.node(Node::new("books on the desk").below(parent).with_mesh(pile, books))?;
    Ok(())
}

/// Adds a chair at the desk and one beside the rug.
pub(super) fn chairs(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    let mut chair = Shape::new("chair");
    for x in [-0.21, 0.21] {
        chair.block_around(vec3(x, 0.22, 0.19), vec3(0.035, 0.44, 0.035));
        chair.block_around(vec3(x, 0.46, -0.19), vec3(0.035, 0.92, 0.035));
    }
    chair.slot(1).block(vec3(-0.235, 0.42, -0.165), vec3(0.235, 0.48, 0.235));
    chair.block(vec3(-0.19, 0.62, -0.205), vec3(0.19, 0.90, -0.170));
    let chair = builder.mesh(chair.finish())?;
    for (name, x, z, yaw, fabric) in
        [("red chair", 1.38, 1.28, 3.55, m.red), ("ochre chair", 3.25, 1.75, -0.75, m.ochre)]
    {
        let transform = Affine3::from_translation(vec3(x, 0.0, z)) * rotation_y(yaw);
        builder.node(Node::new(name).at(transform).with_mesh(chair, vec![m.walnut, fabric]))?;
    }
    Ok(())
}

/// Adds a shelf of four boards with books of different sizes.
pub(super) fn shelf(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    let (width, height, depth) = (1.15, 1.95, 0.30);
    let mut shelf = Shape::new("shelf");
    shelf.block(vec3(0.0, 0.0, 0.0), vec3(0.03, height, depth));
    shelf.block(vec3(width - 0.03, 0.0, 0.0), vec3(width, height, depth));
    let board = |row: u32| 0.06 + row as f32 * 0.465;
    for row in 0..5 {
        shelf.block(vec3(0.03, board(row), 0.0), vec3(width - 0.03, board(row) + 0.025, depth));
    }
    let random = Random::new(6);
    for row in 0..4 {
        let mut r = random.fork(row);
        let mut x = 0.04 + r.unit() * 0.25;
        for book in 0..4 {
            let (thickness, tall) = (r.between(0.04, 0.10), r.between(0.22, 0.35));
            let y = board(row) + 0.025;
            shelf.slot(1 + ((row * 4 + book * 3 + r.below(2)) % 4) as u16);
            let far = vec3(x + thickness, y + tall, r.between(0.20, 0.26));
            shelf.block_without(vec3(x, y, 0.05), far, &[BoxFace::Back, BoxFace::Bottom]);
            x += thickness + 0.002 + if r.unit() < 0.25 { 0.1 } else { 0.0 };
        }
        shelf.slot(0);
    }
    let shelf = builder.mesh(shelf.finish())?;
    let mut materials = vec![m.walnut];
    materials.extend(m.books);
    let transform = Affine3::from_translation(vec3(2.75, 0.0, 0.02));
    builder.node(Node::new("shelf").at(transform).with_mesh(shelf, materials))?;
    Ok(())
}

/// Adds a low cabinet under the window.
pub(super) fn cabinet(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    let mut cabinet = Shape::new("cabinet");
    cabinet.block(vec3(0.0, 0.08, 0.0), vec3(0.42, 0.66, 1.74));
    cabinet.slot(1).block(vec3(0.0, 0.66, -0.01), vec3(0.45, 0.69, 1.75));
    for door in 0..3 {
        let z = 0.01 + door as f32 * 0.575;
        cabinet.slot(0).block_without(vec3(0.42, 0.09, z), vec3(0.438, 0.65, z + 0.565), &[BoxFace::Left]);
        cabinet.slot(2).block_without(
            vec3(0.438, 0.36, z + 0.50),
            vec3(0.458, 0.46, z + 0.515),
            &[BoxFace::Left],
        );
    }
    let cabinet = builder.mesh(cabinet.finish())?;
    let transform = Affine3::from_translation(vec3(0.02, 0.0, 1.35));
    builder.node(Node::new("cabinet").at(transform).with_mesh(cabinet, vec![m.white, m.oak, m.steel]))?;
    Ok(())
}

/// Adds a painting above the desk.
pub(super) fn picture(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    let palette =
        [vec3(0.80, 0.70, 0.50), vec3(0.75, 0.22, 0.08), vec3(0.08, 0.20, 0.34), vec3(0.80, 0.52, 0.10)];
    let image = builder.texture(pattern::abstract_picture("picture", &palette, 4)?)?;
    let albedo = pattern::repeated(image, 1.0);
    let canvas = builder.material(Material::new("canvas", Surface::Lambert { albedo }))?;
    let (x, y) = (0.36, 0.48);
    let mut shape = Shape::new("picture");
    shape.block(vec3(-x - 0.03, -y - 0.03, 0.0), vec3(x + 0.03, y + 0.03, 0.025));
    shape.slot(1).image_quad([
        vec3(-x, -y, 0.027),
        vec3(x, -y, 0.027),
        vec3(x, y, 0.027),
        vec3(-x, y, 0.027),
    ]);
    let shape = builder.mesh(shape.finish())?;
    let transform = Affine3::from_translation(vec3(1.55, 1.72, 0.0));
    builder.node(Node::new("picture").at(transform).with_mesh(shape, vec![m.walnut, canvas]))?;
    Ok(())
}

pub(super) fn rug(builder: &mut SceneBuilder, m: &Materials) -> Result<(), ModelError> {
    let mut shape = Shape::new("rug");
    shape.block(vec3(-1.0, 0.0, -0.7), vec3(1.0, 0.012, 0.7));
    let at = |x: f32, z: f32| vec3(x, 0.0125, z);
    shape.slot(1).quad([at(-0.85, 0.55), at(0.85, 0.55), at(0.85, -0.55), at(-0.85, -0.55)]);
    let shape = builder.mesh(shape.finish())?;
    let transform = Affine3::from_translation(vec3(2.05, 0.0, 2.25)) * rotation_y(0.12);
    builder.node(Node::new("rug").at(transform).with_mesh(shape, vec![m.books[2], m.rug]))?;
    Ok(())
}

use sunfleck_math::transform::rotation_z;
use sunfleck_math::{Affine3, Vec3, vec2, vec3};

use super::InstancedMesh;
use super::materials::Materials;
use crate::ModelError;
use crate::random::Random;
use crate::scene_builder::SceneBuilder;
use crate::shape::{BoxFace, Shape};

const WIDTH: f32 = 1.25;
const HEIGHT: f32 = 2.05;
const DEPTH: f32 = 0.32;
const ROWS: u32 = 5;

/// Adds two shelves side by side, full of books, with bowls and vases in gaps.
pub(super) fn along_the_back_wall(
    builder: &mut SceneBuilder,
    m: &Materials,
    random: Random,
) -> Result<(), ModelError> {
    let mut materials = vec![m.oak, m.blue, m.orange];
    materials.extend(m.books);
    for i in 0..2 {
        let mut shape = Shape::new("shelf with books");
        frame(&mut shape);
        for row in 0..ROWS {
            fill(&mut shape, row, random.fork(10 * i + row));
        }
        let shelf = InstancedMesh::new(builder, shape.finish(), &materials)?;
        shelf.add_instance(builder, None, vec3(4.38 + 1.27 * i as f32, 0.0, 0.02), 0.0)?;
    }
    Ok(())
}

/// Returns the height of the lower side of a board.
fn board(row: u32) -> f32 {
    0.06 + (HEIGHT - 0.085) * row as f32 / ROWS as f32
}

fn frame(shape: &mut Shape) {
    for x in [0.0, WIDTH - 0.025] {
        shape.chamfered(vec3(x, 0.0, 0.0), vec3(x + 0.025, HEIGHT, DEPTH), 0.003);
    }
    for row in 0..=ROWS {
        let y = board(row);
        shape.chamfered(vec3(0.025, y, 0.0), vec3(WIDTH - 0.025, y + 0.022, DEPTH - 0.005), 0.003);
    }
    shape.block(vec3(0.025, 0.06, 0.0), vec3(WIDTH - 0.025, HEIGHT - 0.02, 0.008));
}

/// Adds a row of books, some leaning, with a gap that may hold a vessel.
fn fill(shape: &mut Shape, row: u32, mut r: Random) {
    let floor = board(row) + 0.022;
    let end = WIDTH - 0.05;
    let mut x = 0.03 + r.unit() * 0.03;
    let gap = r.between(0.25, 0.75);
    let mut has_gap = r.unit() < 0.7;
    while x < end - 0.06 {
        if has_gap && x > gap {
            vessel(shape, vec3(x + 0.11, floor, 0.16), &mut r);
            x += 0.24;
            has_gap = false;
            continue;
        }
        let size = vec3(r.between(0.018, 0.050), r.between(0.20, 0.315), r.between(0.17, 0.24));
        let lean = if r.unit() < 0.07 { 0.16 } else { 0.0 };
        book(shape, vec3(x, floor, 0.03), size, lean, &mut r);
        x += size.x + 0.0015 + lean * size.y;
    }
    shape.transform(Affine3::IDENTITY).slot(0);
}

fn book(shape: &mut Shape, at: Vec3, size: Vec3, lean: f32, r: &mut Random) {
    // A leaning book stands on its lower right edge.
    let pivot = Affine3::from_translation(at + Vec3::X * lean * size.y) * rotation_z(lean);
    shape.transform(pivot).slot(r.pick(&[3, 4, 5, 6, 7, 8]));
    shape.block_without(Vec3::ZERO, size, &[BoxFace::Back, BoxFace::Bottom]);
}

/// Adds a vase or a bowl.
fn vessel(shape: &mut Shape, at: Vec3, r: &mut Random) {
    shape.transform(Affine3::from_translation(at)).slot(r.pick(&[1, 2]));
    if r.unit() < 0.5 {
        let vase = [
            vec2(0.0, 0.18),
            vec2(0.022, 0.18),
            vec2(0.022, 0.235),
            vec2(0.030, 0.24),
            vec2(0.027, 0.20),
            vec2(0.050, 0.15),
            vec2(0.070, 0.09),
            vec2(0.062, 0.03),
            vec2(0.040, 0.0),
            vec2(0.0, 0.0),
        ];
        shape.lathe(&vase, 20);
    } else {
        let bowl = [
            vec2(0.0, 0.012),
            vec2(0.045, 0.020),
            vec2(0.088, 0.065),
            vec2(0.098, 0.095),
            vec2(0.102, 0.095),
            vec2(0.094, 0.062),
            vec2(0.050, 0.010),
            vec2(0.040, 0.0),
            vec2(0.0, 0.0),
        ];
        shape.lathe(&bowl, 20);
    }
}

//! Prints `src/bsdf/albedo_table_data.rs`, the directional albedo of GGX microfacets, and to stderr the largest errors
//! of interpolation in it:
//!
//! ```text
//! cargo run --release -p sunfleck-shading --example albedo_table > crates/shading/src/bsdf/albedo_table_data.rs
//! ```
//!
//! The grid is that of `src/bsdf/albedo_table.rs`. The albedos are computed in f64 by quadrature over the directions
//! into which visible normals reflect light [Dupuy23]: with these as integration variables, the integrands are ratios
//! of Smith's functions, bounded by 1.

#![allow(clippy::disallowed_methods, reason = "runs once, on one machine; its output is checked in")]
#![allow(clippy::cast_possible_truncation, reason = "columns of a small table")]
#![allow(clippy::print_stdout, reason = "the output of the program")]

use std::f64::consts::PI;

use sunfleck_constants::bsdf::{ALBEDO_COLUMNS, ALBEDO_ROWS};

const COSINES: usize = ALBEDO_COLUMNS as usize;
const ALPHAS: usize = ALBEDO_ROWS as usize;
const ALPHA_MIN: f64 = 1e-3;
const COSINE_OFFSET: f64 = 5e-4;

/// Albedo of single scattering for light from one direction.
#[derive(Clone, Copy, Default)]
struct Albedo {
    /// 1 minus the fraction of the light that leaves after one bounce off perfectly reflecting microfacets.
    lost: f64,
    /// Fraction of the light that leaves after one bounce off microfacets of reflectance (1 - cos)⁵, where cos is the
    /// cosine to the microfacet normal.
    schlick: f64,
}

impl Albedo {
    fn lerp(self, other: Self, t: f64) -> Self {
        let mix = |a: f64, b: f64| a + (b - a) * t;
        Self { lost: mix(self.lost, other.lost), schlick: mix(self.schlick, other.schlick) }
    }
}

fn eighth_root(x: f64) -> f64 {
    x.sqrt().sqrt().sqrt()
}

/// Returns α of a row, which may be fractional.
fn alpha_at(row: f64) -> f64 {
    let least = eighth_root(ALPHA_MIN);
    (least + (1.0 - least) * row / (ALPHAS - 1) as f64).powi(8)
}

/// Returns the cosine of a column, which may be fractional.
fn cosine_at(column: f64) -> f64 {
    let (least, most) = (eighth_root(COSINE_OFFSET), eighth_root(1.0 + COSINE_OFFSET));
    ((least + (most - least) * column / (COSINES - 1) as f64).powi(8) - COSINE_OFFSET).clamp(0.0, 1.0)
}

fn column_of(cosine: f64) -> f64 {
    let (least, most) = (eighth_root(COSINE_OFFSET), eighth_root(1.0 + COSINE_OFFSET));
    (eighth_root(cosine + COSINE_OFFSET) - least) / (most - least) * (COSINES - 1) as f64
}

fn albedo(cosine: f64, alpha: f64) -> Albedo {
    const AZIMUTHS: usize = 64;
    const HEIGHTS: usize = 512;
    let cosine = cosine.max(1e-9);
    let sine = (1.0 - cosine * cosine).sqrt();
    let smith = |z: f64| 0.5 * ((1.0 + alpha * alpha * (1.0 - z * z).max(0.0) / (z * z)).sqrt() - 1.0);
    let norm = (alpha * sine).hypot(cosine);
    let (stretched_x, stretched_z) = (alpha * sine / norm, cosine / norm);
    let mut sum = Albedo::default();
    for height in 0..HEIGHTS {
        // Squared, to sample densely towards the horizon, where the integrand is steep
        let t = (height as f64 + 0.5) / HEIGHTS as f64;
        let weight = 2.0 * t / (HEIGHTS * AZIMUTHS) as f64;
        let z = t * t * (1.0 + stretched_z) - stretched_z;
        let radius = (1.0 - z * z).max(0.0).sqrt();
        for azimuth in 0..AZIMUTHS {
            let (s, c) = ((azimuth as f64 + 0.5) / AZIMUTHS as f64 * PI).sin_cos();
            let h = [alpha * (stretched_x + radius * c), alpha * radius * s, stretched_z + z];
            let length = (h[0] * h[0] + h[1] * h[1] + h[2] * h[2]).sqrt();
            let (h_x, h_z) = (h[0] / length, h[2] / length);
            let cos_h = sine * h_x + cosine * h_z;
            let out_z = 2.0 * cos_h * h_z - cosine;
            let (here, there) = (smith(cosine), if out_z > 0.0 { smith(out_z) } else { f64::INFINITY });
            let kept = (1.0 + here) / (1.0 + here + there);
            sum.lost += weight * (1.0 - kept);
            sum.schlick += weight * kept * (1.0 - cos_h).max(0.0).powi(5);
        }
    }
    sum
}

/// Returns the cosine-weighted mean of the interpolated row, by which the compensating lobe is divided so that it
/// integrates to exactly 1.
fn average(row: &[Albedo]) -> Albedo {
    const STEPS: usize = 400_000;
    let mut sum = Albedo::default();
    for step in 0..STEPS {
        let cosine = (step as f64 + 0.5) / STEPS as f64;
        let column = column_of(cosine);
        let left = (column as usize).min(COSINES - 2);
        let here = row[left].lerp(row[left + 1], column - left as f64);
        sum.lost += 2.0 * cosine * here.lost / STEPS as f64;
        sum.schlick += 2.0 * cosine * here.schlick / STEPS as f64;
    }
    sum
}

/// Formats an albedo with six significant digits.
fn digits(albedo: Albedo) -> String {
    let short = |x: f64| format!("{x:.5e}").parse::<f32>().unwrap_or_default();
    format!("[{:?}, {:?}]", short(albedo.lost), short(albedo.schlick))
}

fn main() {
    let row_at = |row: usize| -> Vec<Albedo> {
        (0..COSINES).map(|column| albedo(cosine_at(column as f64), alpha_at(row as f64))).collect()
    };
    let table: Vec<Vec<Albedo>> = (0..ALPHAS).map(row_at).collect();
    let averages: Vec<Albedo> = table.iter().map(|row| average(row)).collect();

    println!("//! Made by `examples/albedo_table.rs`; see [`super::albedo_table`].\n");
    println!("/// `[lost, schlick]` for each roughness (outer) and cosine (inner).");
    println!("#[rustfmt::skip]");
    println!(
        "pub(super) static DIRECTIONAL: [[[f32; 2]; ALBEDO_COLUMNS as usize]; ALBEDO_ROWS as usize] = ["
    );
    for row in &table {
        println!("    [");
        for chunk in row.chunks(4) {
            let texts: Vec<String> = chunk.iter().map(|&a| digits(a)).collect();
            println!("        {},", texts.join(", "));
        }
        println!("    ],");
    }
    println!("];\n");
    println!("/// Cosine-weighted means of the rows of [`DIRECTIONAL`].");
    println!("#[rustfmt::skip]");
    println!("pub(super) static AVERAGE: [[f32; 2]; ALBEDO_ROWS as usize] = [");
    for chunk in averages.chunks(4) {
        let texts: Vec<String> = chunk.iter().map(|&a| digits(a)).collect();
        println!("    {},", texts.join(", "));
    }
    println!("];");
    report_errors(&table);
}

/// Prints the largest errors of interpolation at the centres of the cells.
fn report_errors(table: &[Vec<Albedo>]) {
    let (mut lost, mut schlick) = ([0.0; 3], [0.0; 3]);
    for row in 0..ALPHAS - 1 {
        for column in 0..COSINES - 1 {
            let (alpha, cosine) = (alpha_at(row as f64 + 0.5), cosine_at(column as f64 + 0.5));
            let above = table[row][column].lerp(table[row][column + 1], 0.5);
            let below = table[row + 1][column].lerp(table[row + 1][column + 1], 0.5);
            let (found, exact) = (above.lerp(below, 0.5), albedo(cosine, alpha));
            let larger = |worst: [f64; 3], error: f64| {
                if error.abs() > f64::abs(worst[0]) { [error, alpha, cosine] } else { worst }
            };
            lost = larger(lost, found.lost - exact.lost);
            schlick = larger(schlick, found.schlick - exact.schlick);
        }
    }
    eprintln!("largest error of lost: {:.1e} at α = {:.4}, cosine {:.4}", lost[0], lost[1], lost[2]);
    eprintln!(
        "largest error of schlick: {:.1e} at α = {:.4}, cosine {:.4}",
        schlick[0], schlick[1], schlick[2]
    );
}

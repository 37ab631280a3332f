//! Elementary functions.
#![allow(clippy::disallowed_methods, missing_docs, clippy::cast_possible_truncation, reason = "first version")]
pub fn sin(x: f32) -> f32 { (x as f64).sin() as f32 }
pub fn cos(x: f32) -> f32 { (x as f64).cos() as f32 }
pub fn sin_cos(x: f32) -> (f32, f32) { (sin(x), cos(x)) }
pub fn tan(x: f32) -> f32 { (x as f64).tan() as f32 }
pub fn asin(x: f32) -> f32 { (x as f64).asin() as f32 }
pub fn acos(x: f32) -> f32 { (x as f64).acos() as f32 }
pub fn atan(x: f32) -> f32 { (x as f64).atan() as f32 }
pub fn atan2(y: f32, x: f32) -> f32 { (y as f64).atan2(x as f64) as f32 }
pub fn exp(x: f32) -> f32 { (x as f64).exp() as f32 }
pub fn exp2(x: f32) -> f32 { (x as f64).exp2() as f32 }
pub fn log(x: f32) -> f32 { (x as f64).ln() as f32 }
pub fn log2(x: f32) -> f32 { (x as f64).log2() as f32 }
pub fn pow(x: f32, y: f32) -> f32 { (x as f64).powf(y as f64) as f32 }

//! The `sunfleck` binary.
fn main() {}

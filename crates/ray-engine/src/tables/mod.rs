//! The published figures of the organisations of 2002 and 2003; `sunfleck_bench` prints measurements of this
//! implementation beside them.

pub mod ray_engine_2002;
pub mod streaming_2003;

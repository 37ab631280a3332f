/// Decides how many samples of an image a GPU renders, if it shares the image with other backends.
pub trait SampleSupply: Sync {
    /// Returns how many samples of each pixel may be started, a multiple of `unit` unless it is final, and whether it
    /// is final. The number never decreases from call to call, and a final number stays final.
    ///
    /// * `done` — samples that each pixel has.
    fn samples(&self, done: u32, unit: u32) -> (u32, bool);
}

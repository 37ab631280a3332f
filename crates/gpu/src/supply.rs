/// Decides how many samples a GPU renders of a picture that it shares with others.
pub trait SampleSupply: Sync {
    /// How many samples of each pixel may be begun, a multiple of `unit` unless it is final, and whether it is final. From call to call the number never falls, and what
    /// is final stays so.
    ///
    /// * `done` — samples that each pixel has.
    fn samples(&self, done: u32, unit: u32) -> (u32, bool);
}

/// Who says how much of a picture is to be done, where others do the rest.
pub trait Supply: Sync {
    /// How many samples of each pixel may be begun: whole jobs of `unit` samples, until the second answer says that there will be no more. Neither
    /// falls.
    ///
    /// * `done` — samples that each pixel has.
    fn samples(&self, done: u32, unit: u32) -> (u32, bool);
}

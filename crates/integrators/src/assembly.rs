use fearless_simd::Level;
use sunfleck_image::{Film, TileRect};

use crate::pass::Pass;
use crate::tile::{Content, TileError, TileJob, TileResult};
use crate::tile_light::TileLight;
use crate::tiling::Tiling;

/// Gives out the jobs of a pass and puts the results together, in any order. Needs no world: who assembles a picture need not be
/// able to compute one.
#[derive(Debug)]
pub struct Assembly<'a> {
    pass: Pass,
    tiling: Tiling,
    film: &'a mut Film,
    /// One for each tile.
    arrived: Vec<Arrived>,
}

#[derive(Debug)]
enum Arrived {
    Nothing,
    /// It is on the film.
    Sums,
    /// It waits for its neighbours.
    Light(TileLight),
}

impl<'a> Assembly<'a> {
    /// Begins a pass.
    ///
    /// * `film` — with [`Pass::first_sample`] samples of the same view. * `tile_size` — edge of tiles, pixels; that of frames
    ///   is fixed.
    ///
    /// Errors: [`TileError::OtherContent`] if the film has another size or records other channels than the view.
    pub fn new(pass: Pass, film: &'a mut Film, tile_size: u32) -> Result<Self, TileError> {
        let same_size = [film.width(), film.height()] == [pass.view.width, pass.view.height];
        if !same_size || film.aovs() != pass.view.aovs {
            return Err(TileError::OtherContent);
        }
        let tiling = pass.tiling(tile_size);
        let arrived = (0..tiling.len()).map(|_| Arrived::Nothing).collect();
        Ok(Self { pass, tiling, film, arrived })
    }

    /// What is still to be done, row by row.
    pub fn jobs(&self) -> impl Iterator<Item = TileJob> {
        let open = |(rect, arrived)| matches!(arrived, &Arrived::Nothing).then_some(rect);
        self.tiles().zip(&self.arrived).filter_map(open).map(|rect| self.job(rect))
    }

    /// All tiles, row by row.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = TileRect> + use<> {
        self.tiling.rects()
    }

    pub(crate) fn job(&self, rect: TileRect) -> TileJob {
        let goes_on = self.pass.first_sample > 0 && self.pass.algorithm.frame_filter().is_none();
        TileJob { pass: self.pass, rect, before: goes_on.then(|| self.film.tile(rect)) }
    }

    /// Takes a result. One that has come before changes nothing. Errors: [`TileError`] if it is none of this pass.
    pub fn add(&mut self, result: TileResult) -> Result<(), TileError> {
        if result.pass != self.pass {
            return Err(TileError::OtherPass);
        }
        let index = self.tiling.index_of(result.rect()).ok_or(TileError::Rect(result.rect()))?;
        let filtered = self.pass.algorithm.frame_filter().is_some();
        match result.content {
            Content::Light(light) if filtered => self.arrived[index] = Arrived::Light(light),
            Content::Sums(tile, _) if !filtered => {
                self.film.put(tile)?;
                self.arrived[index] = Arrived::Sums;
            }
            _ => return Err(TileError::OtherContent),
        }
        Ok(())
    }

    /// Filters what has to be filtered; then the film has the samples of the pass. Errors: [`TileError::Missing`] if it is not
    /// complete.
    pub fn finish(self, level: Level) -> Result<(), TileError> {
        let missing = self.arrived.iter().filter(|arrived| matches!(arrived, Arrived::Nothing)).count();
        if missing > 0 {
            return Err(TileError::Missing(missing));
        }
        if let Some(filter) = self.pass.algorithm.frame_filter() {
            let light = |arrived| if let Arrived::Light(light) = arrived { Some(light) } else { None };
            let lights: Vec<TileLight> = self.arrived.into_iter().filter_map(light).collect();
            filter.finish(level, self.pass.first_sample, &lights, self.film);
        }
        Ok(())
    }
}

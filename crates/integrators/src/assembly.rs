//! Divides a pass into jobs and combines their results.

use fearless_simd::Level;
use sunfleck_image::{Film, TileRect};

use crate::pass::Pass;
use crate::tile::{TileContent, TileError, TileJob, TileResult};
use crate::tile_light::TileLight;
use crate::tiling::Tiling;

/// Creates the jobs of a pass and combines the results, which may arrive in any order. It needs no world, so a machine
/// can assemble an image that it could not render.
#[derive(Debug)]
pub struct Assembly<'a> {
    pass: Pass,
    tiling: Tiling,
    film: &'a mut Film,
    /// State of each tile, row by row.
    states: Vec<TileState>,
    /// Number of samples that each pixel of the film shall have, if they differ.
    targets: Option<&'a [u32]>,
}

#[derive(Debug)]
enum TileState {
    /// There is no result yet.
    Missing,
    /// The result is on the film.
    OnFilm,
    /// The result waits for those of all other tiles, to be filtered.
    Unfiltered(TileLight),
}

impl<'a> Assembly<'a> {
    /// Starts a pass.
    ///
    /// * `film` — holds [`Pass::first_sample`] samples of the same view, of all pixels or of a window of the image;
    ///   algorithms whose samples are frames need all pixels.
    /// * `tile_size` — edge length of tiles, pixels; ignored by algorithms whose samples are frames.
    ///
    /// Errors: [`TileError::OtherContent`] if the film is not in the view or has other channels.
    pub fn new(pass: Pass, film: &'a mut Film, tile_size: u32) -> Result<Self, TileError> {
        let (full, window) = (pass.full_window(), film.window());
        let fits = match pass.algorithm.frame_filter() {
            Some(_) => window == full,
            None => full.intersection(window) == window,
        };
        if !fits || film.aovs() != pass.view.aovs {
            return Err(TileError::OtherContent);
        }
        let tiling = pass.tiling(window, tile_size);
        let states = (0..tiling.len()).map(|_| TileState::Missing).collect();
        Ok(Self { pass, tiling, film, states, targets: None })
    }

    /// Sets the number of samples that each pixel of the film shall have, row by row; see [`TileJob::targets`].
    pub(crate) fn with_targets(self, targets: Option<&'a [u32]>) -> Self {
        Self { targets, ..self }
    }

    /// Returns the film, with the results so far unless the samples of the algorithm are frames.
    pub(crate) fn film(&self) -> &Film {
        self.film
    }

    /// Returns the jobs without a result, row by row.
    pub fn jobs(&self) -> impl Iterator<Item = TileJob> {
        let missing = |(rect, state)| matches!(state, &TileState::Missing).then_some(rect);
        self.tiles().zip(&self.states).filter_map(missing).map(|rect| self.job(rect))
    }

    /// Returns all tiles, row by row.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = TileRect> + use<> {
        self.tiling.rects()
    }

    /// Returns the job of a tile.
    pub(crate) fn job(&self, rect: TileRect) -> TileJob {
        let is_begun = self.pass.first_sample > 0 || self.targets.is_some();
        let continues = is_begun && self.pass.algorithm.frame_filter().is_none();
        let window = self.film.window();
        let of_rect = |targets: &[u32]| {
            let [x0, x1] = [rect.x0, rect.x1].map(|x| (x - window.x0) as usize);
            let rows = targets.chunks_exact(window.width() as usize);
            let rows = rows.skip((rect.y0 - window.y0) as usize).take(rect.height() as usize);
            rows.flat_map(|row| &row[x0..x1]).copied().collect()
        };
        TileJob {
            pass: self.pass,
            rect,
            before: continues.then(|| self.film.tile(rect)),
            targets: self.targets.map(of_rect),
        }
    }

    /// Adds a result. Adding the result of a tile twice has no effect. Errors: [`TileError`] if the result does not
    /// belong to this pass.
    pub fn add(&mut self, result: TileResult) -> Result<(), TileError> {
        if result.pass != self.pass {
            return Err(TileError::OtherPass);
        }
        let index = self.tiling.index_of(result.rect()).ok_or(TileError::Rect(result.rect()))?;
        let filtered = self.pass.algorithm.frame_filter().is_some();
        match result.content {
            TileContent::Light(light) if filtered => self.states[index] = TileState::Unfiltered(light),
            TileContent::Sums(tile, _) if !filtered => {
                self.film.put(tile)?;
                self.states[index] = TileState::OnFilm;
            }
            _ => return Err(TileError::OtherContent),
        }
        Ok(())
    }

    /// Completes the pass: filters a frame and adds it to the film. Errors: [`TileError::Missing`] if results are
    /// missing.
    pub fn finish(self, level: Level) -> Result<(), TileError> {
        let missing = self.states.iter().filter(|state| matches!(state, TileState::Missing)).count();
        if missing > 0 {
            return Err(TileError::Missing(missing));
        }
        if let Some(filter) = self.pass.algorithm.frame_filter() {
            let light = |state| if let TileState::Unfiltered(light) = state { Some(light) } else { None };
            let tiles: Vec<TileLight> = self.states.into_iter().filter_map(light).collect();
            filter.finish(level, self.pass.first_sample, &tiles, self.film);
        }
        Ok(())
    }
}

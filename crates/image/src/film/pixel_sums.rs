use super::Film;

/// Sums of one pixel that were accumulated elsewhere, such as on a GPU. AOVs that the film does not record are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PixelSums {
    /// Σ weight · radiance.
    pub radiance: [f64; 3],
    /// Σ (weight · radiance)².
    pub squares: [f64; 3],
    /// Number of samples kept.
    pub samples: u32,
    /// Number of samples dropped because they were not finite.
    pub dropped: u32,
    /// Number of kept samples that hit something.
    pub hits: u32,
    /// Σ distance along the camera ray, over the hits.
    pub depth: f64,
    /// Σ world position, over the hits.
    pub position: [f64; 3],
    /// Σ geometric normal, over the hits.
    pub ng: [f64; 3],
    /// Σ shading normal, over the hits.
    pub ns: [f64; 3],
    /// Σ albedo.
    pub albedo: [f64; 3],
    /// Instance, primitive, mesh and material id of the first sample.
    pub ids: [u32; 4],
    /// Σ openness.
    pub occlusion: f64,
    /// Σ levels of reflection.
    pub reflections: f64,
}

impl Film {
    /// Replaces the sums of all pixels, row by row; if there are fewer, the remaining pixels keep theirs.
    pub fn set_pixels(&mut self, pixels: impl Iterator<Item = PixelSums>) {
        fn set<T>(plane: &mut [T], at: usize, value: T) {
            if let Some(place) = plane.get_mut(at) {
                *place = value;
            }
        }
        let sums = &mut self.whole.sums;
        for (at, pixel) in pixels.enumerate() {
            set(&mut sums.radiance, at, pixel.radiance);
            set(&mut sums.squares, at, pixel.squares);
            set(&mut sums.samples, at, pixel.samples);
            set(&mut sums.dropped, at, pixel.dropped);
            set(&mut sums.hits, at, pixel.hits);
            set(&mut sums.depth, at, pixel.depth);
            set(&mut sums.position, at, pixel.position);
            set(&mut sums.ng, at, pixel.ng);
            set(&mut sums.ns, at, pixel.ns);
            set(&mut sums.albedo, at, pixel.albedo);
            set(&mut sums.ids, at, pixel.ids);
            set(&mut sums.occlusion, at, pixel.occlusion);
            set(&mut sums.reflections, at, pixel.reflections);
        }
    }
}

use super::Film;

/// Sums of one pixel that were accumulated outside a film, such as on a GPU. AOVs that the film does not record are
/// ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PixelSums {
    /// Σ weight · radiance.
    pub radiance: [f64; 3],
    /// Σ (weight · radiance)².
    pub squares: [f64; 3],
    /// Number of samples, without dropped ones.
    pub samples: u32,
    /// Number of samples that were dropped because they were not finite.
    pub dropped: u32,
    /// Number of samples that hit a surface.
    pub hits: u32,
    /// Σ distance along the camera ray, over the hits.
    pub depth: f64,
    /// Σ position in world space, over the hits.
    pub position: [f64; 3],
    /// Σ geometric normal, over the hits.
    pub ng: [f64; 3],
    /// Σ shading normal, over the hits.
    pub ns: [f64; 3],
    /// Σ albedo.
    pub albedo: [f64; 3],
    /// Instance, primitive, mesh and material id of the first sample.
    pub ids: [u32; 4],
    /// Σ ambient occlusion (1 if not occluded, 0 if occluded).
    pub occlusion: f64,
    /// Σ length of the longest chain of rays after the camera ray.
    pub reflections: f64,
    /// Σ [`Features`](crate::Features): albedo, normal, inverse distance.
    pub features: [f64; 7],
    /// Σ weight · diffuse radiance.
    pub diffuse: [f64; 3],
    /// Σ weight · radiance over the first n/4, n/2 and n samples, where n is the milestone.
    pub prefixes: [[f32; 3]; 3],
    /// Largest power of two that is not greater than the number of samples; 0 if the prefixes are not known.
    pub milestone: u32,
}

impl Film {
    /// Replaces the sums of the pixels, row by row; pixels beyond the end of `pixels` keep theirs.
    pub fn set_pixels(&mut self, pixels: impl Iterator<Item = PixelSums>) {
        fn set<T>(plane: &mut [T], at: usize, value: T) {
            if let Some(element) = plane.get_mut(at) {
                *element = value;
            }
        }
        let sums = &mut self.whole.sums;
        for (at, pixel) in pixels.enumerate() {
            set(&mut sums.radiance, at, pixel.radiance);
            set(&mut sums.squares, at, pixel.squares);
            set(&mut sums.prefixes, at, pixel.prefixes);
            set(&mut sums.milestone, at, pixel.milestone);
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
            set(&mut sums.features, at, pixel.features);
            set(&mut sums.diffuse, at, pixel.diffuse);
            // The weights of a sample are 1, except for filters with negative lobes
            set(&mut sums.alpha, at, f64::from(pixel.hits));
        }
    }
}

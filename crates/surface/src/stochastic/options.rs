/// The average of the iterates that approaches the solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Averaging {
    /// `L̃ₘ = (Lₑ + T* L̃ₘ₋₁) / m + (1 - 1/m) L̃ₘ₋₁` [Stochastic04, Eq. 2], which shoots from the average itself. Light
    /// that is missing at the start is missing for long: the bias decays like `m^-(1 - ρ)`.
    RunningMean,
    /// The mean of `Lᵢ = Lₑ + T* Lᵢ₋₁`, as in [Stochastic04, §2]. The bias decays like `1/m` for every reflectance.
    #[default]
    Iterates,
}

/// How the light of selected texels is shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shooting {
    /// From one point of the texel to the centres of all texels that it sees [Stochastic04, §3.2].
    ///
    /// The kernel of the paper, `cos θₓ cos θᵧ / r²`, has no finite variance near edges. Here the texel is a disk
    /// [Wallace89, disk source] that faces the receiver and has the texel's projected area: `A cos θₓ cos θᵧ / (π r² + A
    /// cos θᵧ)`. Texels nearer than a few texels are lit up to 3 % too much.
    Hemisphere,
    /// Along random rays, whose density is proportional to the cosine, from random points of the texel. The light is
    /// deposited on the texels that the rays hit, whose mean irradiance is estimated without bias.
    Rays {
        /// Rays of one bundle.
        rays: u32,
    },
}

/// Options of stochastic radiosity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StochasticOptions {
    /// Seed of all random numbers.
    pub seed: u32,
    /// How iterates are averaged.
    pub averaging: Averaging,
    /// How light is shot.
    pub shooting: Shooting,
    /// Texels that are selected in each iteration, stratified.
    pub bundles: u32,
}

impl Default for StochasticOptions {
    /// Many bundles of one ray each, the least variance for the number of rays.
    fn default() -> Self {
        Self {
            seed: 0,
            averaging: Averaging::default(),
            shooting: Shooting::Rays { rays: 1 },
            bundles: 1 << 16,
        }
    }
}

impl StochasticOptions {
    /// The paper's iteration: one bundle from the running mean to all visible texels.
    pub const AS_PRINTED: Self =
        Self { seed: 0, averaging: Averaging::RunningMean, shooting: Shooting::Hemisphere, bundles: 1 };
}

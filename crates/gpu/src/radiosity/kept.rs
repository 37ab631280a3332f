use std::sync::{Arc, Mutex, PoisonError, Weak};

use sunfleck_integrators::radiosity::Radiosity;
use sunfleck_integrators::{View, World};

use super::light::RadiosityLight;
use crate::GpuError;
use crate::gpu_integrator::RenderRequest;
use crate::kernels::Kernels;

/// Number of worlds whose light is kept: frames that reuse previous ones compare the world before an edit with the world
/// after it.
const WORLDS: usize = 2;

/// The light of the worlds that were solved last, the newest first.
#[derive(Debug, Default)]
pub(super) struct KeptLight(Mutex<Vec<SolvedWorld>>);

#[derive(Debug)]
struct SolvedWorld {
    world: Weak<World>,
    radiosity: Radiosity,
    seed: u32,
    light: Arc<RadiosityLight>,
}

impl SolvedWorld {
    /// Returns whether this is the light of a world by these parameters, whatever is followed by rays.
    fn is_of(&self, world: &Arc<World>, radiosity: &Radiosity, seed: u32) -> bool {
        let own = Radiosity { max_depth: radiosity.max_depth, ..self.radiosity };
        std::ptr::eq(self.world.as_ptr(), Arc::as_ptr(world)) && (own, self.seed) == (*radiosity, seed)
    }
}

impl KeptLight {
    /// Returns the light of the world of a request, which is solved if it is not known.
    ///
    /// * `kernels` — compiled for such a world.
    pub(super) fn of(
        &self,
        kernels: &Kernels,
        request: &RenderRequest<'_>,
        radiosity: &Radiosity,
    ) -> Result<Arc<RadiosityLight>, GpuError> {
        let &RenderRequest { scene, world, spec, .. } = request;
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().iter().find(|known| known.is_of(world, radiosity, spec.seed)) {
            return Ok(known.light.clone());
        }
        // Not locked meanwhile, since the CPU may solve, with threads that may come here, too
        let light = Arc::new(RadiosityLight::solve(kernels, scene, &View::new(world, *spec), radiosity)?);
        let (world, radiosity, seed) = (Arc::downgrade(world), *radiosity, spec.seed);
        let mut kept = lock();
        kept.retain(|solved| solved.world.strong_count() > 0);
        kept.truncate(WORLDS - 1);
        kept.insert(0, SolvedWorld { world, radiosity, seed, light: light.clone() });
        Ok(light)
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use sunfleck_integrators::{Algorithm, ViewSpec};

    use super::*;
    use crate::{AdapterChoice, Gpu, SceneMirror};

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn light_is_solved_once_for_each_of_two_worlds() {
        let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
        let scene = sunfleck_models::build("cornell").unwrap();
        let worlds = [0, 1, 2].map(|_| Arc::new(World::commit(&scene).unwrap()));
        let mirror = SceneMirror::new(&gpu, &worlds[0]).unwrap();
        let kernels = Kernels::new(&gpu, &mirror);
        let kept = KeptLight::default();
        let few = Radiosity { resolution: 16, iterations: 1, rays: 64, ..Radiosity::DEFAULT };
        let light = |world: &Arc<World>, radiosity: Radiosity, seed: u32| {
            let spec = ViewSpec { seed, ..ViewSpec::new(&world.cameras()[0].clone(), 8, 8) };
            let algorithm = Algorithm::Radiosity(radiosity);
            let (spec, algorithm, level) = (&spec, &algorithm, Level::new());
            let request = RenderRequest { scene: &mirror, world, spec, algorithm, level };
            kept.of(&kernels, &request, &radiosity).unwrap()
        };
        let [first, second] = [0, 1].map(|i| light(&worlds[i], few, 0));
        assert!(!Arc::ptr_eq(&first, &second), "each world has its own light");
        for _ in 0..2 {
            assert!(Arc::ptr_eq(&first, &light(&worlds[0], few, 0)), "the light of the first world is kept");
            let shallow = Radiosity { max_depth: 1, ..few };
            assert!(Arc::ptr_eq(&second, &light(&worlds[1], shallow, 0)), "rays do not matter");
        }
        light(&worlds[2], few, 0);
        assert!(Arc::ptr_eq(&second, &light(&worlds[1], few, 0)), "two worlds are kept");
        assert!(!Arc::ptr_eq(&first, &light(&worlds[0], few, 0)), "the third is solved again");
        let first = light(&worlds[0], few, 0);
        for (radiosity, seed) in [(Radiosity { iterations: 2, ..few }, 0), (few, 1)] {
            assert!(!Arc::ptr_eq(&first, &light(&worlds[0], radiosity, seed)), "{radiosity:?}, seed {seed}");
        }
    }
}

//! Ambient occlusion on the GPU against the CPU, pixel by pixel.

use std::sync::Arc;

use sunfleck_gpu::{AdapterChoice, Gpu, Renderer};
use sunfleck_image::{Aov, AovSet};
use sunfleck_integrators::ao::Ao;
use sunfleck_integrators::{Algorithm, ViewSpec, World};

use crate::path::{committed, different, on_cpu, render_by_renderer, spec};
use crate::transparent::{scene_with_panes, transparent_scene};

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn images_agree_with_the_cpu() {
    const SAMPLES: u32 = 8;
    let mut renderer = Renderer::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()));
    let transparent = World::commit(&transparent_scene()).unwrap();
    for (name, world, distance) in [
        ("teapot-room", committed("teapot-room"), 0.3),
        ("cornell", committed("cornell"), 2.0),
        ("transparent", transparent, 1.0),
        ("panes", World::commit(&scene_with_panes(2)).unwrap(), 2.0),
    ] {
        let world = Arc::new(world);
        let ao = Algorithm::Ao(Ao { distance });
        for aovs in [AovSet::EMPTY, AovSet::ALL.without(Aov::Reflections)] {
            let spec = ViewSpec { aovs, ..spec(&world, 48, 40) };
            let (film, made) = render_by_renderer(&mut renderer, &world, &spec, &ao, SAMPLES);
            let (expected, alone) = on_cpu(&world, spec, &ao, SAMPLES);
            let (found, alone) = (made.rays, alone.rays);
            assert_eq!(found.intersect, alone.intersect, "{name}");
            assert!(
                found.occluded.abs_diff(alone.occluded) <= alone.occluded / 500,
                "{name}: {found:?} {alone:?}"
            );
            let (found, expected) = (film.radiance(), expected.radiance());
            let open = expected.pixels().iter().filter(|pixel| pixel.x == 1.0).count();
            assert!((1..48 * 40).contains(&open), "{name}: {open} pixels are open");
            let others = different(&found, &expected);
            assert!(others <= 20, "{name}: {others} pixels differ");
        }
    }
}

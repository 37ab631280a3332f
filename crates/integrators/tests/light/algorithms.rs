//! Tests of the table of algorithms, and of what all algorithms have in common.

use std::sync::atomic::{AtomicBool, Ordering};

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{
    Algorithm, ParameterError, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render,
};
use sunfleck_scene::parameter::Value;
use sunfleck_testkit::parameters::check_table;

#[test]
fn tables_are_consistent() {
    for mut algorithm in Algorithm::ALL {
        algorithm.check().unwrap();
        assert_eq!(algorithm.name().parse(), Ok(algorithm));
        check_table(algorithm.name(), algorithm.as_parameters());
    }
}

#[test]
fn presets_are_valid() {
    for algorithm in Algorithm::ALL {
        for preset in algorithm.presets() {
            let mut changed = algorithm;
            changed.set_preset(preset).unwrap();
            changed.check().unwrap();
            let is_kept = (algorithm.name(), preset) != ("igi", "interactive");
            assert_eq!(changed.name() == algorithm.name(), is_kept, "{preset}");
        }
        let mut algorithm = algorithm;
        assert!(algorithm.set_preset("none such").is_err());
    }
}

#[test]
fn cheaper_algorithms_cost_less_and_come_to_an_end() {
    for mut algorithm in Algorithm::ALL {
        while let Some(cheaper) = algorithm.cheaper() {
            assert!(cheaper.cost().unwrap() < algorithm.cost().unwrap(), "{cheaper:?}");
            algorithm = cheaper;
        }
        algorithm.check().unwrap();
    }
}

#[test]
fn parameters_are_typed_and_their_errors_name_the_algorithm() {
    let mut algorithm = Algorithm::Igi(Igi::DEFAULT);
    for (text, compensate) in [("0", false), ("true", true), ("false", false), ("1", true)] {
        algorithm.set("compensate", text).unwrap();
        assert!(algorithm.get::<Igi>().is_some_and(|igi| igi.compensate == compensate), "{text}");
    }
    let unknown = algorithm.set("vpl", "1").unwrap_err().to_string();
    assert!(unknown.starts_with("`igi` has no parameter `vpl`; it has: vpls, "), "{unknown}");
    assert_eq!(algorithm.set_value("vpl", Value::Integer(1)).unwrap_err().to_string(), unknown);
    assert!(algorithm.set_value("compensate", Value::Integer(0)).is_err(), "typed values are not converted");
    let other_machine = Algorithm::Igi(Igi { vpls: 0, ..Igi::DEFAULT });
    assert!(matches!(other_machine.check(), Err(ParameterError::Value(_))));
}

/// Samples of an interrupted pass are on the film, so their indices are not used again; an interrupted frame adds
/// nothing.
#[test]
fn sample_indices_are_used_once() {
    let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
    let spec = ViewSpec::new(&world.cameras()[0].clone(), 64, 64);
    for algorithm in Algorithm::ALL {
        let mut film = Film::new(64, 64, AovSet::EMPTY);
        let cancel = AtomicBool::new(false);
        // Cancel in the third pass
        let observer = |status: &RenderProgress| cancel.store(status.samples >= 2, Ordering::Relaxed);
        let (stop, view) = (StopRules { samples: Some(99), ..StopRules::default() }, View::new(&world, spec));
        let schedule = Schedule { tile_size: 16, ..Schedule::default() };
        let outcome = render(&view, &algorithm, &mut film, 0, &stop, &schedule, &cancel, &observer);
        let begun = film_samples(&film);
        assert_eq!(outcome.samples, 2, "{algorithm}");
        match algorithm.samples_are_frames() {
            true => assert_eq!((outcome.next, begun), (2, 2), "{algorithm}"),
            false => assert_eq!((outcome.next, begun), (4, 4), "{algorithm}: passes add 1, 1, 2"),
        }
    }
}

/// Returns the largest number of samples of a pixel.
fn film_samples(film: &Film) -> u32 {
    (0..64).flat_map(|y| (0..64).map(move |x| (x, y))).map(|(x, y)| film.samples(x, y)).max().unwrap_or(0)
}

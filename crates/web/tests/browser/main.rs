//! The viewer in a real browser; ignored where there is none. `SUNFLECK_SCREENSHOTS=folder` also saves pictures of it.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod chromium;
#[path = "../common/mod.rs"]
mod common;
mod comparing;
mod handling;
mod light;
mod materials;
mod pictures;
mod playing;
mod using;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let mut arguments = Arguments::from_args();
    // Each needs the whole machine
    arguments.test_threads = Some(1);
    let there = chromium::program().is_some();
    let tests: [(&str, fn()); 24] = [
        ("the_page_opens_and_shows_a_picture", using::opens),
        ("dragging_orbits", using::orbits),
        ("a_click_picks_and_undo_takes_an_edit_back", using::picks_and_edits),
        ("a_handle_moves_what_is_picked", using::drags_a_handle),
        ("handles_turn_and_scale", handling::turns_and_scales),
        ("fingers_orbit_and_pinch", handling::touches),
        ("letters_walk", handling::walks),
        ("what_is_picked_is_focused_on", handling::focuses),
        ("things_are_named_copied_and_deleted", handling::names_copies_and_deletes),
        ("two_algorithms_are_compared", comparing::splits),
        ("false_colours_are_explained", comparing::explains_colours),
        ("performance_is_plotted_by_stage", comparing::measures),
        ("what_moves_takes_shadow_and_colour_along", light::moves_shadow_and_colour),
        ("a_map_is_dropped_and_taken_back", light::takes_a_map),
        ("the_sun_follows_the_time_of_day", using::turns_the_sun),
        ("materials_have_the_fields_of_their_tables", materials::shows_all_models),
        ("parameters_of_materials_are_set", materials::sets_parameters),
        ("booleans_are_checkboxes", materials::booleans_are_checkboxes),
        ("animations_are_played", playing::plays),
        ("a_saved_scene_is_opened_again", playing::saves_and_opens),
        ("a_broken_file_is_explained", using::explains),
        ("a_new_server_is_found_again", using::reconnects),
        ("all_fields_have_labels", using::labels),
        ("screenshots", pictures::take),
    ];
    let trial = |(name, run): (&str, fn())| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
        .with_ignored_flag(!there)
    };
    libtest_mimic::run(&arguments, tests.into_iter().map(trial).collect()).exit();
}

//! The viewer in a real browser; ignored if there is none. With `SUNFLECK_SCREENSHOTS=folder`, screenshots are saved,
//! too.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod adding;
mod chromium;
mod clipping;
#[path = "../common/mod.rs"]
mod common;
mod comparing;
mod denoising;
mod editing;
mod fields;
mod following;
mod handling;
mod keeping;
mod layout;
mod light;
mod lights;
mod materials;
mod pictures;
mod playing;
mod strengths;
mod tree;
mod using;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let mut arguments = Arguments::from_args();
    // Each test needs the whole machine
    arguments.test_threads = Some(1);
    let has_browser = chromium::program().is_some();
    let tests: [(&str, fn()); 97] = [
        ("the_page_opens_and_shows_an_image", using::opens),
        ("dragging_orbits", using::orbits),
        ("a_click_selects_and_undo_reverts_an_edit", using::picks_and_edits),
        ("a_handle_moves_the_selected_object", using::drags_a_handle),
        ("handles_rotate_and_scale", handling::turns_and_scales),
        ("fingers_orbit_and_pinch", handling::touches),
        ("letter_keys_move_the_camera", handling::walks),
        ("the_selected_object_is_focused", handling::focuses),
        ("no_wall_is_in_front_of_a_focused_object", handling::focuses_in_front_of_walls),
        ("orbits_turn_about_what_is_there", handling::orbits_about_what_is_there),
        ("handles_have_modes_after_taking_over", handling::takes_over),
        ("modes_of_handles_are_chosen_by_key", handling::chooses_modes_by_key),
        ("objects_are_renamed_duplicated_and_deleted", handling::names_copies_and_deletes),
        ("two_algorithms_are_compared", comparing::splits),
        ("images_are_denoised_as_chosen", denoising::denoises),
        ("false_colours_have_a_legend", comparing::explains_colours),
        ("performance_is_plotted_by_stage", comparing::measures),
        ("shadow_and_colour_bleeding_follow_a_moved_object", light::moves_shadow_and_colour),
        ("an_environment_map_is_dropped_and_undone", light::takes_a_map),
        ("the_sun_follows_the_time_of_day", using::turns_the_sun),
        ("materials_have_the_fields_of_their_tables", materials::shows_all_models),
        ("parameters_of_materials_are_set", materials::sets_parameters),
        ("a_strength_keeps_the_colour", strengths::keep_colors),
        ("booleans_are_checkboxes", materials::booleans_are_checkboxes),
        ("animations_are_played", playing::plays),
        ("a_saved_scene_is_opened_again", playing::saves_and_opens),
        ("unsaved_edits_are_marked_and_saved", keeping::marks_and_saves),
        ("opening_asks_about_unsaved_edits", keeping::asks),
        ("each_request_to_save_is_answered", keeping::answers_each_save),
        ("the_failure_of_saving_goes_with_its_cause", keeping::forgets_failures),
        ("problems_stay_beside_many_messages", keeping::keeps_problems),
        ("a_lost_answer_ends_with_the_next_one", keeping::outlives_lost_answers),
        ("menus_are_used_by_key", keeping::keeps_the_focus_of_menus),
        ("a_name_is_saved_while_it_is_typed", keeping::saves_a_typed_name),
        ("recent_scenes_are_in_a_menu", keeping::lists_recent),
        ("unsaved_edits_are_offered_at_the_next_start", keeping::recovers),
        ("a_broken_file_is_explained", using::explains),
        ("a_restarted_server_is_reconnected", using::reconnects),
        ("all_fields_have_labels", using::labels),
        ("objects_are_found_by_name", tree::finds),
        ("the_tree_is_used_by_key", tree::moves_by_key),
        ("ranges_of_the_tree_are_selected", tree::selects_ranges),
        ("thousands_of_objects_are_listed", tree::lists_thousands),
        ("copies_of_groups_are_copied_at_once", tree::copies_groups_quickly),
        ("groups_of_unlisted_objects_are_kept", tree::keeps_groups_of_unlisted_objects),
        ("materials_of_unlisted_objects_are_kept", tree::keeps_materials_of_unlisted_objects),
        ("nothing_is_clipped", clipping::clips_nothing),
        ("panels_are_tabs", layout::switches_tabs),
        ("a_stage_is_chosen", layout::chooses_a_stage),
        ("a_sun_replaces_that_of_the_sky", layout::replaces_the_sun_of_the_sky),
        ("a_panel_that_fails_stops_no_other", layout::fails_alone),
        ("a_lost_camera_is_told", layout::hints_when_nothing_is_in_view),
        ("the_status_is_true", layout::tells_what_is_shown),
        ("a_phone_has_sheets", layout::opens_sheets),
        ("widths_are_changed", layout::changes_widths),
        ("regions_are_reached_by_key", layout::is_used_by_key),
        ("a_comparison_starts_with_two_algorithms", comparing::differs),
        ("lights_have_icons_and_handles_of_their_kind", lights::fit_their_kind),
        ("a_sun_is_turned_by_its_arrow", lights::turns_a_sun),
        ("the_cone_of_a_spot_is_dragged", lights::opens_a_cone),
        ("emissive_objects_have_icons", lights::marks_emissive_objects),
        ("double_clicks_focus_on_what_they_hit", lights::focuses),
        ("a_copy_lies_beside_the_original", editing::copies_beside),
        ("quick_copies_and_lights_are_all_there", editing::adds_quickly),
        ("several_objects_are_edited_together", editing::edits_several),
        ("quick_clicks_select_in_their_order", editing::picks_quickly),
        ("clicks_select_after_a_lost_answer", editing::picks_after_a_lost_answer),
        ("drags_snap_and_show_their_amount", editing::snaps),
        ("objects_drop_on_what_lies_below", editing::drops),
        ("a_rectangle_selects_what_is_in_it", editing::selects_in_a_rectangle),
        ("a_drag_is_cancelled", editing::cancels),
        ("handles_have_the_axes_of_the_object_or_the_world", editing::uses_local_axes),
        ("refused_edits_are_taken_back", editing::restores),
        ("a_file_is_added_to_the_scene", adding::adds),
        ("what_is_added_is_fitted_to_the_scene", adding::fits_what_is_added),
        ("sizes_are_told_if_they_are_known", adding::tells_sizes_that_are_known),
        ("a_dropped_file_is_added_at_its_place", adding::adds_where_it_is_dropped),
        ("uploads_are_told_until_they_end", adding::tells_of_uploads),
        ("images_become_textures", adding::loads_textures),
        ("an_image_is_dropped_on_an_object", adding::drops_images),
        ("a_lamp_of_glass_takes_two_clicks", adding::makes_a_lamp_of_glass),
        ("escape_restores_a_field", fields::escape_restores),
        ("keys_undo_while_a_field_has_the_focus", fields::keys_undo_what_is_committed),
        ("fields_show_what_undo_brings_back", fields::show_what_undo_brings_back),
        ("typed_scales_are_about_the_centre", fields::scale_about_the_centre),
        ("quick_values_are_all_kept", fields::quick_values_are_all_kept),
        ("typed_values_keep_shear", fields::typed_values_keep_shear),
        ("sliders_keep_their_value_and_drags", fields::sliders_keep_their_value_and_drags),
        ("outlines_follow_the_size_of_the_image", following::outlines_follow_the_size),
        ("outlines_outlive_lost_answers", following::outlines_outlive_lost_answers),
        ("enter_finds_what_was_just_typed", following::enter_finds_what_was_just_typed),
        ("another_scene_is_listed_from_its_beginning", following::another_scene_is_listed_from_its_beginning),
        ("another_scene_ends_what_was_begun", following::another_scene_ends_what_was_begun),
        ("the_sun_goes_with_the_sky_at_once", following::the_sun_goes_with_the_sky_at_once),
        ("a_scene_has_one_sun_unless_asked", following::one_sun_at_a_time),
        ("the_sun_of_the_sky_sets", following::the_sun_of_the_sky_sets),
        ("screenshots", pictures::take),
    ];
    let trial = |(name, run): (&str, fn())| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
        .with_ignored_flag(!has_browser)
    };
    libtest_mimic::run(&arguments, tests.into_iter().map(trial).collect()).exit();
}

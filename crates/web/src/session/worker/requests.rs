//! Requests of clients.

use fearless_simd::Level;
use sunfleck_engine::{Stage, set_stage, set_sun_elevation};
use sunfleck_integrators::PlacedCamera;
use sunfleck_scene::{AnimationId, SceneEdit};

use super::Worker;
use crate::ViewerScene;
use crate::protocol::{ClientId, Moment, Reply, Request};
use crate::session::edit_history::EditHistory;
use crate::session::silhouette::silhouette;
use crate::session::view::Effect;
use crate::storage::{Asker, StorageJob};

impl Worker {
    /// Handles a request and returns the reply, if there is one.
    pub(super) fn handle_request(
        &mut self,
        asker: &Asker,
        request: Request,
    ) -> Result<Option<Reply>, String> {
        let client = asker.client;
        match request {
            // Handled by the connection
            Request::Shown { .. } => {}
            Request::Pick { x, y, pose, number } => {
                return Ok(Some(Reply::Picked { number, picked: self.pick(x, y, pose)? }));
            }
            Request::Silhouette { node, pose, number } => {
                let camera = pose.camera().map_err(|error| error.to_string())?;
                let world = &self.opened.world;
                let size = self.view.pixels();
                let silhouette = silhouette(world.scene(), world.committed(), &camera, node, size);
                return Ok(Some(Reply::Silhouette { number, silhouette }));
            }
            Request::FreeSpace { pose, x, y } => return Ok(Some(self.free_space(pose, [x, y])?)),
            Request::Focus { nodes, sphere, wanted } => {
                return Ok(Some(self.focus(&nodes, sphere, wanted)?));
            }
            Request::CommandLine { number } => {
                let line = self.command_line(asker.clone(), number);
                return Ok(line.unwrap_or_else(|message| Some(Reply::NoCommandLine { number, message })));
            }
            Request::Save { number } => {
                if let Err(message) = self.save(asker.clone(), number) {
                    return Ok(Some(Reply::NotSaved { number, message }));
                }
            }
            Request::Recent { number } => {
                self.clients.check_editor(client)?;
                self.storage.send(StorageJob::OpenRecent { number, asker: asker.clone() });
            }
            Request::BuiltIn { name } => {
                self.clients.check_editor(client)?;
                self.storage.send(StorageJob::OpenBuiltIn { name, asker: asker.clone() });
            }
            Request::Recover { number, discard } => {
                self.clients.check_editor(client)?;
                self.storage.send(match discard {
                    true => StorageJob::Discard { number },
                    false => StorageJob::Recover { number, asker: asker.clone() },
                });
            }
            Request::Control { take } => self.clients.control(client, take),
            request => {
                self.clients.check_editor(client)?;
                self.change(client, request)?;
                self.problems.request_crashed = false;
            }
        }
        Ok(None)
    }

    /// Handles a request that only the editor may make.
    fn change(&mut self, client: ClientId, request: Request) -> Result<(), String> {
        match request {
            Request::Camera { pose, input } => {
                let camera = pose.camera().map_err(|error| error.to_string())?;
                if !camera.is_same_view(self.view.given_camera()) {
                    self.set_camera(camera);
                    self.renderer.invalidate(input);
                }
            }
            Request::Reset { input } => {
                self.view.reset_camera();
                self.renderer.invalidate(input);
            }
            Request::Set { settings, drag } => {
                let aspect = self.view.aspect();
                let before = self.view.clone();
                let effect = self.view.set(&settings)?;
                if settings.changes_methods()
                    && let Err(why) = self.view.check_world(self.opened.world.committed())
                {
                    self.view = before;
                    return Err(why);
                }
                if self.view.denoise.is_on() {
                    self.problems.not_denoised = None;
                }
                match effect {
                    Effect::Render => self.renderer.invalidate(None),
                    Effect::Denoise => {
                        let outcome = self.renderer.denoiser_changed(&self.view);
                        self.show(outcome);
                        self.display_again();
                    }
                    Effect::Display => self.display_again(),
                }
                // The cameras in the message are fitted to the aspect ratio
                let fits = |placed: &PlacedCamera| placed.camera.aspect_ratio.is_some();
                self.scene_changed |=
                    self.view.aspect() != aspect && self.opened.world.cameras().iter().any(fits);
                self.keep_exposure(drag.map(|drag| (client, drag)))?;
            }
            Request::Edit { edit, drag, input } => {
                self.edit(*edit, drag.map(|drag| (client, drag)), input)?;
            }
            Request::CancelDrag { drag, input } => {
                self.change_scene(input, |history, world| history.cancel_drag(world, (client, drag)))?;
            }
            Request::Stage { name, before: mut edits } => {
                let stage = name.map(|name| name.parse::<Stage>()).transpose().map_err(|e| e.to_string())?;
                let ViewerScene { world, camera, .. } = &mut self.opened;
                edits.push(set_stage(stage, world, camera, &self.view.camera, Level::new()));
                self.edit(SceneEdit::Batch(edits), None, None)?;
            }
            Request::Sun { elevation, drag, input } => {
                let ViewerScene { world, camera, .. } = &self.opened;
                let edit = set_sun_elevation(elevation, world, camera);
                let edit = edit.ok_or("only the sun of the stage sky has an elevation that can be set")?;
                self.edit(edit, drag.map(|drag| (client, drag)), input)?;
            }
            Request::Drop { nodes, input } => self.drop_on_surface(&nodes, input)?,
            Request::Remove { nodes, input } => {
                self.edit(self.opened.world.scene().removal(&nodes), None, input)?;
            }
            Request::Moment { animation, secs, plays, input } => {
                self.set_time(animation, secs, plays, input)?;
            }
            Request::Undo => {
                let undone = self.change_scene(None, EditHistory::undo)? || self.undo_or_redo_opening(false);
                undone.then_some(()).ok_or("there is nothing to undo")?;
            }
            Request::Redo => {
                let redone = self.change_scene(None, EditHistory::redo)? || self.undo_or_redo_opening(true);
                redone.then_some(()).ok_or("there is nothing to redo")?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn set_camera(&mut self, camera: PlacedCamera) {
        let own = self.opened.camera.cameras(&self.opened.world, self.view.aspect());
        self.view.set_camera(camera, &own, self.opened.world.scene().origin());
    }

    /// Sets the time of an animation, or the rest pose.
    fn set_time(
        &mut self,
        animation: AnimationId,
        secs: Option<f32>,
        plays: bool,
        input: Option<u64>,
    ) -> Result<(), String> {
        if secs.is_some_and(|secs| !secs.is_finite()) {
            return Err("the time of an animation must be finite".into());
        }
        let world = &mut self.opened.world;
        let posed = match secs {
            Some(secs) => world.pose(animation, secs),
            None => world.rest(animation),
        };
        posed.map_err(|error| error.to_string())?;
        world.commit().map_err(|error| error.to_string())?;
        self.moment = secs.map(|secs| Moment { animation, secs, plays });
        self.renderer.invalidate(input);
        // While the animation plays, the scene is not sent
        self.scene_changed |= !plays;
        Ok(())
    }
}

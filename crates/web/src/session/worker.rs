use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use axum::extract::ws::Utf8Bytes;
use fearless_simd::Level;
use sunfleck_engine::{Engine, Ticket};
use sunfleck_integrators::CameraRays;
use sunfleck_math::{Vec2, Vec3};
use sunfleck_scene::{AnimationId, Environment, SceneEdit, Texture};
use tokio::sync::{mpsc, watch};

use super::clients::Clients;
use super::command_line;
use super::editing::Editing;
use super::event::{Event, Snapshot};
use super::outline;
use super::renderer::{Landed, Renderer};
use super::silhouette;
use super::view::{Effect, View};
use crate::ViewerScene;
use crate::encode::{Encoder, Look, Mode, Shown};
use crate::protocol::{ClientId, Moment, PickedThing, Pose, Reply, Request, ViewState};

/// Owns everything that changes.
#[derive(Debug)]
pub(super) struct Worker {
    stage: ViewerScene,
    view: View,
    editing: Editing,
    clients: Clients,
    renderer: Renderer,
    encoder: Encoder,
    views: watch::Sender<Utf8Bytes>,
    scenes: watch::Sender<Utf8Bytes>,
    /// The newest picture.
    shown: Option<Shown>,
    /// The page has not yet heard of the latest edits.
    scene_is_news: bool,
    /// The moment of an animation that is shown.
    moment: Option<Moment>,
    /// The next picture is of something else: its exposure is not approached slowly.
    cut: bool,
    /// Why there are no new pictures, for everybody to read.
    problem: Option<String>,
}

/// What a panic of the renderer means for those who look on.
const BROKEN_FRAME: &str = "the renderer broke off, which is an error in Sunfleck: change the view, the scene or the algorithm to go on";
/// … and one outside of it.
const BROKEN_REQUEST: &str =
    "this could not be done, which is an error in Sunfleck: it may help to take the last step back";

impl Worker {
    pub(super) fn new(
        stage: ViewerScene,
        engine: Engine,
        encoder: Encoder,
        waiter: Sender<Arc<Ticket>>,
        views: watch::Sender<Utf8Bytes>,
        scenes: watch::Sender<Utf8Bytes>,
    ) -> Self {
        Self {
            view: View::new(&stage),
            stage,
            editing: Editing::default(),
            clients: Clients::default(),
            renderer: Renderer::new(engine, waiter),
            encoder,
            views,
            scenes,
            shown: None,
            scene_is_news: true,
            moment: None,
            cut: true,
            problem: None,
        }
    }

    /// Works until it is told to stop, or nobody is left who could tell.
    pub(super) fn run(&mut self, mut inbox: mpsc::Receiver<Event>) {
        self.tell_view();
        self.tell_scene();
        while let Some(event) = inbox.blocking_recv() {
            // What has come meanwhile counts for the next frame as well; but who asks without end does not stop the frames
            let waiting = inbox.len();
            for event in
                std::iter::once(Some(event)).chain((0..waiting).map(|_| inbox.try_recv().ok())).flatten()
            {
                if matches!(event, Event::Stop) {
                    return self.renderer.pause();
                }
                // One request that goes wrong is not the end for all
                if catch_unwind(AssertUnwindSafe(|| self.react(event))).is_err() {
                    self.problem = Some(BROKEN_REQUEST.into());
                }
            }
            if self.clients.count() > 0 {
                self.renderer.go_on(&self.stage.world, &self.view);
            } else {
                self.renderer.pause();
            }
            self.tell_view();
            self.tell_scene();
        }
    }

    fn react(&mut self, event: Event) {
        match event {
            Event::Joined { client } => self.clients.join(client),
            Event::Left { client } => self.clients.leave(client),
            Event::Request { client, request, replies } => {
                let reply = match self.answer(client, request) {
                    Ok(reply) => reply,
                    Err(message) => Some(Reply::Error { message }),
                };
                // A client that does not read its answers does not want them
                drop(reply.map(|reply| replies.try_send(reply)));
            }
            Event::FrameDone(shot) => match self.renderer.land(&shot, &self.view) {
                Landed::Pictures(pictures, header) => {
                    self.problem = None;
                    let look = Look { cut: std::mem::take(&mut self.cut), ..self.view.look() };
                    self.show(Shown { pictures, look, header: *header });
                }
                Landed::Nothing => {}
                Landed::Failed => self.problem = Some(BROKEN_FRAME.into()),
            },
            Event::Open { client, stage, done } => drop(done.send(self.open(client, *stage))),
            Event::Environment { client, map, done } => drop(done.send(self.set_environment(client, *map))),
            Event::Snapshot { done } => drop(done.send(self.snapshot())),
            Event::Scene { done } => drop(done.send((self.name(), self.stage.world.scene().clone()))),
            Event::Stop => {}
        }
    }

    fn answer(&mut self, client: ClientId, request: Request) -> Result<Option<Reply>, String> {
        match request {
            // The connection keeps count of what was shown
            Request::Shown { .. } => {}
            Request::Pick { x, y, pose } => {
                return Ok(Some(Reply::Picked { picked: self.pick(x, y, pose)? }));
            }
            Request::Silhouette { node, pose } => {
                let camera = pose.camera().map_err(|error| error.to_string())?;
                let world = &self.stage.world;
                let size = self.view.pixels();
                let silhouette = silhouette::of(world.scene(), world.committed(), &camera, node, size);
                return Ok(Some(Reply::Silhouette { silhouette }));
            }
            Request::CommandLine => {
                let world = &self.stage.world;
                let moment = self.moment.and_then(|moment| {
                    let index = world.scene().animations().position(|(id, _)| id == moment.animation)?;
                    Some((index, moment.secs))
                });
                let line = command_line::of(&self.stage.name, &self.view, world.cameras(), moment);
                return Ok(Some(Reply::CommandLine { line }));
            }
            Request::Control { take } => self.clients.control(client, take),
            request => {
                self.clients.check_editor(client)?;
                self.change(client, request)?;
            }
        }
        Ok(None)
    }

    /// What only the editor may ask for.
    fn change(&mut self, client: ClientId, request: Request) -> Result<(), String> {
        match request {
            Request::Camera { pose, input } => {
                let camera = pose.camera().map_err(|error| error.to_string())?;
                if camera.world_from_view != self.view.camera.world_from_view
                    || camera.camera.projection != self.view.camera.camera.projection
                {
                    self.view.camera = camera;
                    self.renderer.touch(input);
                }
            }
            Request::Set { settings } => match self.view.set(&settings)? {
                Effect::Picture => self.renderer.touch(None),
                Effect::Look => self.show_again(),
            },
            Request::Edit { edit, drag, input } => {
                let drag = drag.map(|drag| (client, drag));
                let edited = self.editing.edit(&mut self.stage.world, *edit, drag);
                edited.map_err(|error| error.to_string())?;
                self.edited(input);
            }
            Request::Remove { node, input } => {
                let removal = self.stage.world.scene().removal(node);
                let edited = self.editing.edit(&mut self.stage.world, removal, None);
                edited.map_err(|error| error.to_string())?;
                self.edited(input);
            }
            Request::Moment { animation, secs, plays, input } => {
                self.turn_to(animation, secs, plays, input)?;
            }
            Request::Undo | Request::Redo => {
                let world = &mut self.stage.world;
                let (went, nothing) = match request {
                    Request::Undo => (self.editing.undo(world), "there is nothing to undo"),
                    _ => (self.editing.redo(world), "there is nothing to redo"),
                };
                match went.map_err(|error| error.to_string())? {
                    true => self.edited(None),
                    false => return Err(nothing.into()),
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn edited(&mut self, input: Option<u64>) {
        self.scene_is_news = true;
        self.renderer.touch(input);
    }

    /// Shows a moment of an animation.
    fn turn_to(
        &mut self,
        animation: AnimationId,
        secs: Option<f32>,
        plays: bool,
        input: Option<u64>,
    ) -> Result<(), String> {
        if secs.is_some_and(|secs| !secs.is_finite()) {
            return Err("a moment is a finite number of seconds".into());
        }
        let world = &mut self.stage.world;
        let moved = match secs {
            Some(secs) => world.pose(animation, secs),
            None => world.rest(animation),
        };
        moved.map_err(|error| error.to_string())?;
        world.commit().map_err(|error| error.to_string())?;
        self.moment = secs.map(|secs| Moment { animation, secs, plays });
        self.renderer.touch(input);
        // Where things are while they move, nobody reads
        self.scene_is_news |= !plays;
        Ok(())
    }

    fn open(&mut self, client: ClientId, stage: ViewerScene) -> Result<(), String> {
        self.clients.check_editor(client)?;
        self.view.turn_to(&stage);
        self.stage = stage;
        self.editing = Editing::default();
        self.moment = None;
        self.cut = true;
        self.edited(None);
        Ok(())
    }

    /// One step of undo; the map stays in the scene for it.
    fn set_environment(&mut self, client: ClientId, map: Texture) -> Result<(), String> {
        self.clients.check_editor(client)?;
        let id = self.stage.world.scene().next_texture_id();
        let environment = Environment::Map { texture: id, rotation_y_radians: 0.0, scale: Vec3::ONE };
        let both = vec![
            SceneEdit::Texture { id, texture: Some(Arc::new(map)) },
            SceneEdit::Environment { environment },
        ];
        let edited = self.editing.edit(&mut self.stage.world, SceneEdit::Batch(both), None);
        edited.map_err(|error| error.to_string())?;
        self.edited(None);
        Ok(())
    }

    fn pick(&self, x: f32, y: f32, pose: Option<Pose>) -> Result<Option<PickedThing>, String> {
        if !(x.is_finite() && y.is_finite()) {
            return Err("a place of the picture has two finite numbers".into());
        }
        let camera = match pose {
            Some(pose) => pose.camera().map_err(|error| error.to_string())?,
            None => self.view.camera.clone(),
        };
        let [width, height] = self.view.pixels();
        let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
        let film = Vec2::new(x.clamp(0.0, 1.0) * width as f32, y.clamp(0.0, 1.0) * height as f32);
        let world = &self.stage.world;
        // Through the middle of the lens
        let picked = world.committed().pick(Level::new(), &rays.ray(film, Vec2::splat(0.5)));
        Ok(picked.and_then(|picked| {
            let node = world.scene().node(picked.node)?;
            let materials = node.instance.as_ref().map_or(&[][..], |instance| &instance.materials);
            Some(PickedThing {
                node: picked.node,
                name: node.name.clone(),
                triangle: picked.prim_id,
                material: materials.get(usize::from(picked.slot)).copied(),
                position: picked.position,
                distance: picked.distance,
            })
        }))
    }

    fn show(&mut self, shown: Shown) {
        self.shown = Some(shown.clone());
        self.encoder.show(shown);
    }

    /// The newest picture with another exposure or tone curve.
    fn show_again(&mut self) {
        if let Some(mut shown) = self.shown.clone() {
            shown.look = Look { as_it_is: shown.look.as_it_is, cut: true, ..self.view.look() };
            let mut methods = self.view.methods();
            shown.header.frame = self.renderer.next_frame_number();
            for (progress, method) in
                std::iter::once(&mut shown.header.first).chain(&mut shown.header.second).zip(&mut methods)
            {
                progress.target = self.view.target(&method);
            }
            self.show(shown);
        }
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let shown = self.shown.as_ref()?;
        let canvas = (shown.header.mode == Mode::Rest).then(|| self.renderer.canvas());
        Some(Snapshot {
            name: self.name(),
            picture: shown.pictures.first()?.clone(),
            look: shown.look,
            canvas,
        })
    }

    /// For files, without extension.
    fn name(&self) -> String {
        let name = std::path::Path::new(&self.stage.name).file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    fn tell_view(&self) {
        let state = ViewState {
            change: self.renderer.change(),
            moment: self.moment,
            editor: self.clients.editor(),
            clients: self.clients.count(),
            problem: self.problem.clone(),
            ..self.view.state()
        };
        // Numbers and names have a JSON form
        let text: Utf8Bytes = serde_json::to_string(&state).unwrap_or_default().into();
        self.views.send_if_modified(|told| {
            let news = *told != text;
            if news {
                *told = text;
            }
            news
        });
    }

    fn tell_scene(&mut self) {
        if std::mem::take(&mut self.scene_is_news) {
            self.scenes.send_replace(outline::message(&self.stage, self.editing.steps()));
        }
    }
}

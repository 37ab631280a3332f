// Entry point: connects the modules, and updates panels and buttons.

import * as adding from './adding.js';
import * as files from './files.js';
import * as gizmoBar from './gizmo-bar.js';
import * as keys from './keys.js';
import * as legend from './legend.js';
import * as lost from './lost.js';
import * as orbitCenter from './orbit-center.js';
import * as overlay from './overlay.js';
import * as panelEnvironment from './panel-environment.js';
import * as panelLight from './panel-light.js';
import * as panelLights from './panel-lights.js';
import * as panelMaterial from './panel-material.js';
import * as panelObject from './panel-object.js';
import * as panelScene from './panel-scene.js';
import * as panelView from './panel-view.js';
import * as performancePanel from './performance.js';
import * as picking from './picking.js';
import * as picture from './picture.js';
import * as pointer from './pointer.js';
import * as readout from './readout.js';
import * as recent from './recent.js';
import * as recovery from './recovery.js';
import * as sashes from './sashes.js';
import * as saving from './saving.js';
import * as sides from './sides.js';
import * as split from './split.js';
import * as status from './status.js';
import * as tabs from './tabs.js';
import * as timeline from './timeline.js';
import * as tree from './tree.js';
import * as unsaved from './unsaved.js';
import { connect, onMessage, send } from './connection.js';
import { goTo, reset } from './camera.js';
import { fileOf, indexed, isEditor, on, onDocument, set, state } from './state.js';
import { decorate } from './icons.js';
import { empty, toast } from './controls.js';

const byId = id => document.getElementById(id);
const stage = byId('stage');

onMessage('frame', frame => {
  // Measured by tests, relative to the start of navigation
  if (state.frame === null) performance.mark('first frame');
  picture.show(frame.images);
  set('frame', frame.header);
  performancePanel.record(frame);
  byId('waiting').hidden = true;
});

// Panels

const panels = {
  object: panelObject, light: panelLight, material: panelMaterial, lights: panelLights, environment: panelEnvironment, view: panelView,
  scene: panelScene,
};
const panelOf = name => byId(`panel-${name}`);
const stale = new Set();
/** Updates panels before the next paint. */
function refresh(...names) {
  for (const name of names) {
    if (stale.has(name)) continue;
    stale.add(name);
    // A callback for each panel, so that an exception of one stops no other
    requestAnimationFrame(() => {
      stale.delete(name);
      panels[name].update(panelOf(name));
    });
  }
}
// What is typed or dragged in a panel belongs to the scene that was shown before
onDocument(() => {
  for (const name of Object.keys(panels)) empty(panelOf(name));
  refresh(...Object.keys(panels));
});
on('selection', () => refresh('object', 'light', 'material', 'lights'));
on('scene', scene => {
  const file = fileOf(scene.name);
  document.title = `${file} – Sunfleck`;
  [byId('title').textContent, byId('title').title] = [file, scene.name];
  const [done, undone] = scene.steps;
  [byId('undo').disabled, byId('redo').disabled] = [done === 0, undone === 0];
  listCameras(scene);
  refresh('object', 'light', 'material', 'lights', 'environment', 'scene');
});
let lastView = '';
let problem = null;
let dismissProblem = null;
on('view', view => {
  if (view.problem !== problem) {
    dismissProblem?.();
    dismissProblem = view.problem === null ? null : toast(view.problem, 'problem');
    problem = view.problem;
  }
  const editor = isEditor();
  byId('control').hidden = editor || view.editor === null;
  showCamera();
  // Pose and animation time change with nearly every frame, but the panels do not show them
  const { change, pose, moment, ...rest } = view;
  const now = JSON.stringify([rest, pose.projection]);
  if (now === lastView) return;
  lastView = now;
  refresh('view', 'object', 'light', 'material', 'lights', 'environment');
});

function listCameras(scene) {
  const options = scene.cameras.map((camera, i) => new Option(camera.name || `Camera ${i + 1}`, String(i)));
  byId('cameras').replaceChildren(new Option('Free view', ''), ...options);
  byId('cameras').disabled = scene.cameras.length === 0;
  showCamera();
}

/** Names the camera of the scene whose view is shown, if it is one. */
function showCamera() {
  const now = state.view?.pose.world_from_view;
  const isShown = ({ pose }) => pose.world_from_view.every((x, i) => Math.abs(x - now[i]) < 1e-5 * (1 + Math.abs(x)));
  const index = now && state.scene ? state.scene.cameras.findIndex(isShown) : -1;
  byId('cameras').value = index < 0 ? '' : String(index);
}

// Buttons

byId('undo').onclick = () => send({ type: 'undo' });
byId('redo').onclick = () => send({ type: 'redo' });
byId('reset').onclick = reset;
byId('control').onclick = () => send({ type: 'control', take: true });
byId('cameras').onchange = event => {
  const camera = state.scene?.cameras[Number(event.target.value)];
  if (event.target.value !== '' && camera) goTo(camera.pose);
};
const togglePerformance = () => performancePanel.toggle(byId('performance'), byId('performance-toggle'));
byId('performance-toggle').onclick = togglePerformance;
const toggleHelp = () => (byId('help').open ? byId('help').close() : byId('help').showModal());
byId('help-open').onclick = toggleHelp;

// Theme, initially that of the system

function setTheme(name) {
  document.documentElement.dataset.theme = name;
}
const system = matchMedia('(prefers-color-scheme: light)');
setTheme(localStorage.getItem('theme') ?? (system.matches ? 'light' : 'dark'));
byId('theme').onclick = () => {
  const next = document.documentElement.dataset.theme === 'light' ? 'dark' : 'light';
  setTheme(next);
  localStorage.setItem('theme', next);
};

// Connection

let dismissLoss = null;
onMessage('hello', ({ again, restarted }) => {
  dismissLoss?.();
  byId('waiting').classList.add('over');
  byId('waiting-text').textContent = 'Rendering the first frame …';
  if (again) {
    byId('waiting').hidden = true;
    toast(restarted ? 'The server was restarted.' : 'Reconnected.');
  }
});
onMessage('lost', wasConnected => {
  byId('waiting').hidden = false;
  byId('waiting-text').textContent = 'The server does not answer. Reconnecting …';
  byId('waiting').classList.toggle('over', state.frame !== null);
  if (wasConnected) dismissLoss = toast('The connection to the server was lost.', 'problem');
});
onMessage('error', ({ message }) => {
  toast(message, 'error');
  // Restore panels and handles, which may show an edit or a setting that was refused
  if (state.scene) set('scene', indexed(state.scene));
  refresh('view');
});

decorate();
sides.start();
sashes.start();
tabs.start();
tree.start();
status.start();
picture.start(stage, byId('picture'));
overlay.start(stage, byId('overlay'));
pointer.start(stage);
picking.start();
orbitCenter.start();
split.start(stage);
legend.start();
timeline.start();
lost.start(stage, reset);
keys.start({
  help: toggleHelp, performance: togglePerformance, split: split.toggle, play: timeline.toggle, find: tree.find, open: () => byId('open').click(),
  objects: () => sides.toggle('objects'), panels: () => sides.toggle('panels'), region: sides.nextRegion,
});
files.start();
adding.start();
gizmoBar.start();
readout.start(stage);
saving.start();
unsaved.start();
recovery.start();
recent.start();
connect();

// Puts the parts together.

import * as files from './files.js';
import * as keys from './keys.js';
import * as legend from './legend.js';
import * as overlay from './overlay.js';
import * as panelLights from './panel-lights.js';
import * as panelMaterial from './panel-material.js';
import * as panelObject from './panel-object.js';
import * as panelScene from './panel-scene.js';
import * as panelView from './panel-view.js';
import * as performance_ from './performance.js';
import * as pointer from './pointer.js';
import * as split from './split.js';
import * as timeline from './timeline.js';
import { connect, onMessage, send } from './connection.js';
import { goTo, reset, turnAround } from './camera.js';
import { indexed, isEditor, nodeOf, on, set, state } from './state.js';
import { toast } from './controls.js';

const by = id => document.getElementById(id);
const stage = by('stage');
const picture = by('picture');

// The picture

/** Of the newest frame: one, or two that are compared. */
let images = [];
onMessage('frame', frame => {
  // How long that took, the browser knows
  if (state.frame === null) performance.mark('first frame');
  images = frame.images;
  draw();
  state.aspect = images[0].width / images[0].height;
  set('frame', frame.header);
  performance_.note(frame);
  by('waiting').hidden = true;
  status(frame.header);
});

on('divider', draw);

function draw() {
  if (images.length === 0) return;
  const ratio = Math.min(devicePixelRatio, 2);
  const [width, height] = [Math.round(stage.clientWidth * ratio), Math.round(stage.clientHeight * ratio)];
  if (picture.width !== width || picture.height !== height) [picture.width, picture.height] = [width, height];
  const context = picture.getContext('2d', { alpha: false });
  context.imageSmoothingQuality = 'high';
  const edge = Math.round(split.edge() * width);
  side(context, images[0], 0, edge);
  if (edge < width) side(context, images[1] ?? images[0], edge, width);
}

/** An image, as far as it lies between two columns. */
function side(context, image, from, to) {
  const { width, height } = context.canvas;
  const { width: w, height: h } = overlay.fit(width, height, image.width / image.height);
  context.save();
  context.beginPath();
  context.rect(from, 0, to - from, height);
  context.clip();
  if (w < width - 1 || h < height - 1) context.clearRect(0, 0, width, height);
  context.drawImage(image, (width - w) / 2, (height - h) / 2, w, h);
  context.restore();
}

function status(header) {
  const { samples, target, view_secs, mode, second } = header;
  const rate = performance_.fps();
  const speed = rate === null ? '' : ` · ${rate.toFixed(rate < 10 ? 1 : 0)} fps`;
  const part = second ? Math.min(samples / target, second.samples / second.target) : samples / target;
  const seconds = view_secs + (second?.view_secs ?? 0);
  const counts = second ? `${samples} | ${second.samples} of ${target === second.target ? target : `${target} | ${second.target}`}` : `${samples} of ${target}`;
  by('status-text').textContent =
    mode === 'moving' ? `moving${speed}` : `${counts} samples · ${seconds.toFixed(1)} s${part >= 1 ? ' · done' : ''}`;
  by('progress').firstElementChild.style.width = `${mode === 'moving' ? 0 : Math.min(100, 100 * part)}%`;
}

// As large as the stage

let resizing = null;
function resize() {
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    const ratio = Math.min(devicePixelRatio, 2);
    const size = [stage.clientWidth, stage.clientHeight].map(x => Math.max(1, Math.round(x * ratio)));
    if (isEditor() && state.view && (size[0] !== state.view.size[0] || size[1] !== state.view.size[1])) send({ type: 'set', settings: { size } });
    draw();
    overlay.redraw();
  }, 60);
}
new ResizeObserver(resize).observe(stage);

// Panels

const panels = { object: panelObject, material: panelMaterial, lights: panelLights, view: panelView, scene: panelScene };
const stale = new Set();
function refresh(...names) {
  if (stale.size === 0) {
    requestAnimationFrame(() => {
      for (const name of stale) panels[name].update(by(`panel-${name}`));
      stale.clear();
    });
  }
  names.forEach(name => stale.add(name));
}
on('selection', () => refresh('object', 'material', 'scene'));
on('scene', scene => {
  if (state.selection && !nodeOf(state.selection.node)) set('selection', null);
  const file = scene.name.split(/[\\/]/).pop();
  document.title = `${file} – Sunfleck`;
  [by('title').textContent, by('title').title] = [file, scene.name];
  const [done, undone] = scene.steps;
  [by('undo').disabled, by('redo').disabled] = [done === 0, undone === 0];
  cameras(scene);
  refresh('object', 'material', 'lights', 'scene');
});
let lastView = '';
let problem = null;
on('view', view => {
  if (view.problem !== null && view.problem !== problem) toast(view.problem, 'error');
  problem = view.problem;
  const editor = isEditor();
  by('control').hidden = editor || view.editor === null;
  by('who').textContent = view.clients > 1 ? `${view.clients} browsers${editor ? '' : ', watching'}` : '';
  resize();
  // The pose and the moment change with nearly every frame, and hardly any panel shows them
  const { change, pose, moment, ...rest } = view;
  const now = JSON.stringify([rest, pose.projection]);
  if (now === lastView) return;
  lastView = now;
  refresh('view', 'object', 'material', 'lights');
});
on('gizmo', mode => {
  for (const button of by('gizmo-modes').children) button.setAttribute('aria-checked', String(button.dataset.mode === mode));
});
on('selection', selection => (by('gizmo-modes').hidden = selection === null || !isEditor()));

function cameras(scene) {
  const options = scene.cameras.map((camera, i) => new Option(camera.name || `camera ${i + 1}`, String(i)));
  by('cameras').replaceChildren(new Option('free', ''), ...options);
  by('cameras').disabled = scene.cameras.length === 0;
}

// Picking

onMessage('picked', ({ picked }) => {
  const focus = pointer.takeFocusWish();
  if (picked === null) return set('selection', null);
  turnAround(picked.position);
  set('selection', picked);
  if (focus) keys.focusSelection();
});

// Buttons

by('undo').onclick = () => send({ type: 'undo' });
by('redo').onclick = () => send({ type: 'redo' });
by('reset').onclick = reset;
by('control').onclick = () => send({ type: 'control', take: true });
by('cameras').onchange = event => {
  const camera = state.scene?.cameras[Number(event.target.value)];
  if (event.target.value !== '' && camera) goTo(camera.pose);
};
on('moved', () => (by('cameras').value = ''));
by('gizmo-modes').onclick = event => event.target.dataset.mode && set('gizmo', event.target.dataset.mode);
const performancePanel = () => performance_.toggle(by('performance'), by('performance-toggle'));
by('performance-toggle').onclick = performancePanel;
const help = () => (by('help').open ? by('help').close() : by('help').showModal());
by('help-open').onclick = help;
by('panels-toggle').onclick = () => {
  const closed = by('panels').classList.toggle('closed');
  by('panels-toggle').setAttribute('aria-expanded', String(!closed));
};

// Dark or light: as the system says, until somebody says otherwise

function theme(name) {
  document.documentElement.dataset.theme = name;
}
const system = matchMedia('(prefers-color-scheme: light)');
theme(localStorage.getItem('theme') ?? (system.matches ? 'light' : 'dark'));
by('theme').onclick = () => {
  const next = document.documentElement.dataset.theme === 'light' ? 'dark' : 'light';
  theme(next);
  localStorage.setItem('theme', next);
};

// The connection

onMessage('hello', ({ again, restarted }) => {
  by('waiting').classList.add('over');
  by('waiting-text').textContent = 'Rendering the first frame …';
  if (again) {
    by('waiting').hidden = true;
    toast(restarted ? 'The server was started anew, and we are connected again. Changes made before are gone.' : 'Connected again.');
  }
});
onMessage('lost', before => {
  by('waiting').hidden = false;
  by('waiting-text').textContent = 'The server does not answer. Trying again …';
  by('waiting').classList.toggle('over', state.frame !== null);
  if (before) toast('The connection to the server was lost.', 'error');
});
onMessage('error', ({ message }) => {
  toast(message, 'error');
  // An edit that was refused is not shown: things are as the server said last
  if (state.scene) set('scene', indexed(state.scene));
});

overlay.start(stage, by('overlay'));
pointer.start(stage);
split.start(stage);
legend.start();
timeline.start();
keys.start({ help, performance: performancePanel, split: split.toggle, play: timeline.toggle });
files.start();
connect();

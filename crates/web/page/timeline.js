// The animations of the scene: play, pause, any moment.
//
// The next moment is asked for when the frame of the one before is there: what the renderer cannot follow is skipped, and time stays true.

import { isEditor, on, state } from './state.js';
import { send, stampInput } from './connection.js';

const by = id => document.getElementById(id);
/** The one that is chosen: its id; and when it was at its beginning, by this page's clock, while it plays. */
let chosen = null;
let began = null;
let asked = 0;

export function start() {
  by('play').onclick = toggle;
  by('rest').onclick = () => {
    began = null;
    show(null, false);
  };
  by('moment').addEventListener('input', () => {
    began = null;
    show(Number(by('moment').value), false);
  });
  by('animation').onchange = () => {
    const before = chosen;
    began = null;
    if (state.view?.moment) send({ type: 'moment', animation: before, secs: null, plays: true, input: null });
    chosen = Number(by('animation').value);
    range();
    show(0, false);
  };
  on('scene', list);
  on('view', told);
  on('frame', header => {
    if (began !== null && (header.input ?? 0) >= asked) next();
  });
}

/** Whether there was anything to play or to pause. */
export function toggle() {
  if (chosen === null || !isEditor()) return false;
  if (began !== null) {
    began = null;
    show(Number(by('moment').value), false);
  } else {
    began = performance.now() - 1000 * Number(by('moment').value);
    next();
  }
  return true;
}

const duration = () => state.scene?.animations.find(({ id }) => id === chosen)?.duration_secs ?? 0;

function next() {
  const length = duration();
  show(length > 0 ? ((performance.now() - began) / 1000) % length : 0, true);
}

function show(secs, plays) {
  asked = stampInput();
  send({ type: 'moment', animation: chosen, secs, plays, input: asked });
  place(secs ?? 0, plays);
}

/** The page's own hand is faster than what the server says of it. */
function told({ moment }) {
  by('timeline').querySelectorAll('button, select, input').forEach(field => (field.disabled = !isEditor()));
  if (isEditor() && (began !== null || by('moment').matches(':active'))) return;
  if (moment) chosen = moment.animation;
  place(moment?.secs ?? 0, moment?.plays ?? false);
}

function place(secs, plays) {
  by('moment').value = String(secs);
  by('moment-text').textContent = `${secs.toFixed(2)} of ${duration().toFixed(2)} s`;
  by('moment').setAttribute('aria-valuetext', by('moment-text').textContent);
  by('play').textContent = plays ? '❚❚' : '▶';
  by('play').setAttribute('aria-label', plays ? 'Pause' : 'Play');
}

function range() {
  by('moment').max = String(duration());
  by('animation').value = String(chosen);
}

let known = '';
function list(scene) {
  const { animations } = scene;
  by('timeline').hidden = animations.length === 0;
  by('stage').classList.toggle('timed', animations.length > 0);
  const now = JSON.stringify([scene.name, animations]);
  if (now === known) return;
  known = now;
  [began, chosen] = [null, animations[0]?.id ?? null];
  by('animation').replaceChildren(...animations.map(({ id, name }, i) => new Option(name || `animation ${i + 1}`, String(id))));
  by('animation').hidden = animations.length < 2;
  range();
  place(0, false);
}

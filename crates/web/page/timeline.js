// Timeline of animations: play, pause, seek.
//
// While playing, the next time is sent when the frame of the previous one has arrived, so that a slow renderer skips
// frames and keeps real time.

import { isEditor, on, onDocument, state } from './state.js';
import { send, stampInput } from './connection.js';

const byId = id => document.getElementById(id);
/** Id of the selected animation. */
let selected = null;
/** Time of the page's clock at which the animation was at 0 s, while it plays; else null. */
let startTime = null;
/** Number of the latest input that was sent. */
let lastInput = 0;

export function start() {
  byId('play').onclick = toggle;
  byId('rest').onclick = () => {
    startTime = null;
    show(null, false);
  };
  byId('moment').addEventListener('input', () => {
    startTime = null;
    show(Number(byId('moment').value), false);
  });
  byId('animation').onchange = () => {
    const previous = selected;
    startTime = null;
    if (state.view?.moment) send({ type: 'moment', animation: previous, secs: null, plays: true, input: null });
    selected = Number(byId('animation').value);
    updateRange();
    show(0, false);
  };
  onDocument(() => (lastAnimations = ''));
  on('scene', onScene);
  on('view', onView);
  on('frame', header => {
    if (startTime !== null && (header.input ?? 0) >= lastInput) showNext();
  });
}

/** Plays or pauses; returns whether there is an animation to play. */
export function toggle() {
  if (selected === null || !isEditor()) return false;
  if (startTime !== null) {
    startTime = null;
    show(Number(byId('moment').value), false);
  } else {
    startTime = performance.now() - 1000 * Number(byId('moment').value);
    showNext();
  }
  return true;
}

const duration = () => state.scene?.animations.find(({ id }) => id === selected)?.duration_secs ?? 0;

/** Shows the current time of the playing animation. */
function showNext() {
  const length = duration();
  show(length > 0 ? ((performance.now() - startTime) / 1000) % length : 0, true);
}

/** Sends a time of the animation; null for the rest pose. */
function show(secs, plays) {
  lastInput = stampInput();
  send({ type: 'moment', animation: selected, secs, plays, input: lastInput });
  updateFields(secs ?? 0, plays);
}

/** Follows the server, unless the user of this page plays or seeks. */
function onView({ moment }) {
  byId('timeline').querySelectorAll('button, select, input').forEach(field => (field.disabled = !isEditor()));
  if (isEditor() && (startTime !== null || byId('moment').matches(':active'))) return;
  if (moment) selected = moment.animation;
  updateFields(moment?.secs ?? 0, moment?.plays ?? false);
}

/** Updates the fields of the timeline. */
function updateFields(secs, plays) {
  byId('moment').value = String(secs);
  byId('moment-text').textContent = `${secs.toFixed(2)} of ${duration().toFixed(2)} s`;
  byId('moment').setAttribute('aria-valuetext', byId('moment-text').textContent);
  byId('play').textContent = plays ? '❚❚' : '▶';
  byId('play').setAttribute('aria-label', plays ? 'Pause' : 'Play');
}

/** Updates the range of the slider and the menu of animations. */
function updateRange() {
  byId('moment').max = String(duration());
  byId('animation').value = String(selected);
}

let lastAnimations = '';
function onScene(scene) {
  const { animations } = scene;
  byId('timeline').hidden = animations.length === 0;
  byId('stage').classList.toggle('timed', animations.length > 0);
  const now = JSON.stringify(animations);
  if (now === lastAnimations) return;
  lastAnimations = now;
  [startTime, selected] = [null, animations[0]?.id ?? null];
  byId('animation').replaceChildren(...animations.map(({ id, name }, i) => new Option(name || `Animation ${i + 1}`, String(id))));
  byId('animation').hidden = animations.length < 2;
  updateRange();
  updateFields(0, false);
}

// Status bar: what the image shows, how fast it is, and what renders it.

import { frameRate } from './frame-rate.js';
import { isEditor, on, state } from './state.js';

/** Time after which the rate of rays is no longer shown when rendering has stopped, in milliseconds. */
const IDLE_AFTER = 1000;
/** Time after which a frame of a movement is no longer called moving, in milliseconds. */
const STILL_AFTER = 400;

const byId = id => document.getElementById(id);
/** Time at which the newest frame arrived. */
let shownAt = null;

export function start() {
  on('frame', () => {
    shownAt = performance.now();
    show();
  });
  on('view', show);
  on('connected', show);
  // The text changes with the age of the frame, too
  setInterval(show, 250);
}

const pixels = ([width, height]) => `${width} × ${height}`;

/** Whether a frame has fewer pixels than the finished image. Rounding is not a lower resolution. */
const isReduced = ({ size }, full) => Boolean(size && full && size[0] < 0.97 * full[0]);

/** Whether the light of a frame has fewer pixels than the frame. */
const hasReducedLight = ({ light_divisor }) => light_divisor > 1;

/** Describes the size of a frame: whether it or its light is coarser than the finished image; empty if unknown. */
function sizeText(header, full) {
  if (!header.size) return '';
  const finished = isReduced(header, full) ? ` of ${pixels(full)}` : '';
  const light = hasReducedLight(header) ? `, light at 1/${header.light_divisor}` : '';
  return `${pixels(header.size)}${finished}${light}`;
}

/**
 * Describes what the image shows.
 *
 * * `age` — milliseconds since the frame arrived.
 * * `fps` — frames per second of the movement, or null.
 * * `full` — size of the finished image, or null.
 */
export function frameText(header, { age, fps, full }) {
  const { samples, target, view_secs, mode, second } = header;
  const isDenoised = (header.denoised ?? null) !== null || (second?.denoised ?? null) !== null;
  const size = sizeText(header, full);
  const denoised = isDenoised ? 'denoised' : '';
  const join = parts => parts.filter(Boolean).join(' · ');
  if (mode === 'moving') {
    if (age > STILL_AFTER) return join([size ? `preview, ${size}` : 'preview', denoised, 'rendering']);
    return join(['moving', size, denoised, fps === null ? '' : `${fps.toFixed(fps < 10 ? 1 : 0)} fps`]);
  }
  if (mode === 'settling') return join(['refining', size, denoised]);
  const isDone = samples >= target && (!second || second.samples >= second.target);
  const targets = second && second.target !== target ? `${target} | ${second.target}` : `${target}`;
  const counts = second ? `${samples} | ${second.samples} of ${targets} samples` : `${samples} of ${target} samples`;
  const seconds = view_secs + (second?.view_secs ?? 0);
  const coarse = isReduced(header, full) || hasReducedLight(header) ? size : '';
  return join([coarse, counts, denoised, `${seconds.toFixed(1)} s`, isDone ? 'done' : '']);
}

/** Explains the two numbers of a comparison. */
const comparisonText = ({ samples, second }) =>
  `Samples per pixel of the left image (${samples}) and of the right one (${second.samples}). Both get the same rendering time.`;

function show() {
  const { frame, view, connected } = state;
  const now = performance.now();
  const write = (id, text) => {
    if (byId(id).textContent !== text) byId(id).textContent = text;
  };
  const age = now - (shownAt ?? now);
  const text = frame ? frameText(frame, { age, fps: frameRate(), full: view?.image_size ?? null }) : '';
  write('status-text', connected ? text : 'not connected');
  byId('status-text').title = connected && frame?.second ? comparisonText(frame) : '';
  write('status-problem', view?.problem ?? '');
  write('who', view?.clients > 1 ? `${view.clients} browsers${isEditor() ? '' : ', view only'}` : '');
  if (!frame) return;
  // The rate is that of the newest frame: when rendering has stopped, there is none
  const isIdle = frame.mode === 'rest' && frame.samples >= frame.target && age > IDLE_AFTER;
  write('status-rays', isIdle || !frame.rays ? '' : `${(frame.rays / Math.max(frame.frame_secs, 1e-6) / 1e6).toFixed(1)} Mrays/s`);
  write('status-device', frame.by ?? '');
  showProgress(frame);
}

function showProgress({ mode, samples, target, second }) {
  const part = mode !== 'rest' ? 0 : Math.min(samples / target, second ? second.samples / second.target : 1);
  const percent = Math.min(100, 100 * part);
  byId('progress').firstElementChild.style.width = `${percent}%`;
  byId('progress').setAttribute('aria-valuenow', String(Math.round(percent)));
}

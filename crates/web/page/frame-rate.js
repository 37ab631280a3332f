// Rate of frames: of the current movement, or of the frames at rest.

import { on } from './state.js';

/** Number of intervals of which the rate is the mean. */
const COUNT = 20;

/** Recent intervals between frames of one mode without a pause, in milliseconds. */
let intervals = [];
/** Mode and time of the newest frame. */
let last = null;
/** Milliseconds between the newest frame and the one before; null after a pause in which none was rendered. */
let since = null;

on('frame', ({ mode, frame_secs: seconds }) => {
  const now = performance.now();
  since = last === null || now - last.time > 1000 + 3000 * seconds ? null : now - last.time;
  if (since === null || mode !== last.mode) intervals = [];
  else intervals = [...intervals, since].slice(-COUNT);
  last = { mode, time: now };
});

/** Milliseconds between the newest frame and the one before; null after a pause. */
export const interval = () => since;

/** Frames per second; null if unknown. */
export const frameRate = () =>
  intervals.length < 2 ? null : (1000 * intervals.length) / intervals.reduce((sum, interval) => sum + interval);

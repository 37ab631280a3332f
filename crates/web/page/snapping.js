// Steps to which drags of handles snap, and the text that tells how far one has gone.

import { degreesOf, roundedUp } from './math.js';
import { sceneSize } from './size.js';
import { state } from './state.js';

/** Steps of rotations, of the angles of cones, and of scale factors. */
export const ANGLE_STEP = Math.PI / 12;
export const CONE_STEP = Math.PI / 36;
export const SCALE_STEP = 0.1;

/** Whether a drag snaps: if snapping is on, Ctrl switches it off for a while, and the other way round. */
export const snaps = ctrl => Boolean(state.snap) !== ctrl;

/** Step of movements in metres: 1, 2 or 5 times a power of ten, about a hundredth of the scene. */
export const moveStep = () => roundedUp(Math.max(sceneSize(), 1e-4) / 200, [1, 2, 5, 10]);

/** Rounds to a multiple of a step; null rounds nothing. */
export const snapped = (x, step) => (step ? Math.round(x / step) * step : x);

const number = x => String(Number(x.toPrecision(3)) || 0).replace('-', '−');
export const metres = x => `${number(x)} m`;
export const degrees = radians => `${String(Math.round(10 * degreesOf(radians)) / 10 || 0).replace('-', '−')}°`;
export const percent = factor => `${Math.round(factor * 100)} %`;

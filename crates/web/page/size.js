// Sizes: of the whole scene, and of boxes as text.

import { diagonalOf, sub } from './math.js';
import { state } from './state.js';

/** Diagonal of the scene's bounding box in metres; that of a unit cube before there is a scene. */
export const sceneSize = () => diagonalOf(state.scene?.bounds ?? [[0, 0, 0], [1, 1, 1]]);

/** Names the size of a box. */
export const sizeText = ([low, high]) => `${sub(high, low).map(side => Number(side.toPrecision(3))).join(' × ')} m`;

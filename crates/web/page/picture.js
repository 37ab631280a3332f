// The rendered image, which fills its area.

import { send } from './connection.js';
import { fit, redraw } from './overlay.js';
import { dividerPosition } from './split.js';
import { isEditor, on, state } from './state.js';

let stage, canvas;
/** Images of the newest frame: one, or two that are compared. */
let images = [];
let resizeTimer = null;

export function start(stageElement, canvasElement) {
  [stage, canvas] = [stageElement, canvasElement];
  on('divider', draw);
  on('view', resize);
  new ResizeObserver(() => {
    // The old image keeps its proportions until there is one of the new size
    draw();
    resize();
  }).observe(stage);
}

/** Shows the images of a frame. */
export function show(newest) {
  images = newest;
  draw();
  state.aspect = images[0].width / images[0].height;
}

function draw() {
  if (images.length === 0) return;
  const ratio = Math.min(devicePixelRatio, 2);
  const [width, height] = [Math.round(stage.clientWidth * ratio), Math.round(stage.clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d', { alpha: false });
  context.imageSmoothingQuality = 'high';
  const dividerX = Math.round(dividerPosition() * width);
  drawColumns(context, images[0], 0, dividerX);
  if (dividerX < width) drawColumns(context, images[1] ?? images[0], dividerX, width);
}

/** Draws the part of an image between two columns of the canvas. */
function drawColumns(context, image, from, to) {
  const { width, height } = context.canvas;
  const { width: w, height: h } = fit(width, height, image.width / image.height);
  context.save();
  context.beginPath();
  context.rect(from, 0, to - from, height);
  context.clip();
  if (w < width - 1 || h < height - 1) context.clearRect(0, 0, width, height);
  context.drawImage(image, (width - w) / 2, (height - h) / 2, w, h);
  context.restore();
}

/** Tells the server the size of the area, after changes have ended. */
function resize() {
  clearTimeout(resizeTimer);
  resizeTimer = setTimeout(() => {
    const ratio = Math.min(devicePixelRatio, 2);
    const size = [stage.clientWidth, stage.clientHeight].map(x => Math.max(1, Math.round(x * ratio)));
    if (isEditor() && state.view && (size[0] !== state.view.size[0] || size[1] !== state.view.size[1])) send({ type: 'set', settings: { size } });
    redraw();
  }, 60);
}

// Panel of performance: stage times as a stacked plot, the time between frames as a line, and numbers.

import { element } from './controls.js';
import { frameRate, interval } from './frame-rate.js';

/** Number of frames in the plot. */
const HISTORY = 140;
/** Names of stages, as in frame headers, and their colours, in the order of a frame. */
const STAGES = [
  ['lights', '#b197fc'], ['trace', '#4dabf7'], ['shade', '#38d9a9'], ['trace and shade', '#22b8cf'], ['shadow rays', '#a9e34b'],
  ['GPU', '#748ffc'],
  ['film', '#ffd43b'], ['reuse', '#e599f7'], ['denoise', '#c2956b'], ['edges', '#66d9e8'], ['tone curve', '#ffa94d'], ['encode', '#ff6b6b'], ['decode', '#f783ac'],
];
/** Recent frames: ms since the previous one, ms of each stage, header, bytes. */
const frames = [];
const latencies = [];
let shown = false;

export function toggle(panel, button) {
  shown = !shown;
  panel.hidden = !shown;
  button.setAttribute('aria-pressed', String(shown));
  if (shown && frames.length > 0) draw();
}

/** Records a frame. */
export function record({ header, bytes, latency, decode }) {
  const stages = new Map(header.stages.map(([name, seconds]) => [name, seconds * 1000]));
  stages.set('decode', decode);
  frames.push({ since: interval(), stages, header, bytes });
  if (frames.length > HISTORY) frames.shift();
  if (latency !== null) latencies.push(latency);
  if (latencies.length > HISTORY) latencies.shift();
  if (shown) draw();
}

const percentile = (values, p) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(p * values.length))];
const ms = x => (x === undefined || x === null ? '–' : x < 1000 ? `${x.toFixed(x < 10 ? 1 : 0)} ms` : `${(x / 1000).toFixed(1)} s`);

function draw() {
  const canvas = document.getElementById('plot');
  const context = canvas.getContext('2d');
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  const totals = frames.map(f => Math.max(f.since ?? 0, [...f.stages.values()].reduce((a, b) => a + b, 0)));
  // Limit the scale to a percentile, so that a single long frame does not flatten the others
  const top = Math.max(25, percentile(totals, 0.97) * 1.15);
  const y = value => height - (Math.min(value, top) / top) * height;
  const bar = width / HISTORY;
  const left = i => width - (frames.length - i) * bar;
  frames.forEach((frame, i) => {
    let below = 0;
    for (const [name, color] of STAGES) {
      const value = frame.stages.get(name) ?? 0;
      context.fillStyle = color;
      context.fillRect(left(i), y(below + value), Math.max(1, bar - 0.5), y(below) - y(below + value));
      below += value;
    }
  });
  drawGrid(context, top, y);
  context.beginPath();
  frames.forEach(({ since }, i) => since && context.lineTo(left(i) + bar / 2, y(since)));
  [context.strokeStyle, context.lineWidth] = ['#ffffffd0', 2];
  context.stroke();
  listStages();
  listNumbers();
}

/** Draws grid lines with times. */
function drawGrid(context, top, y) {
  context.font = '20px system-ui';
  let before = Infinity;
  for (const line of [1000 / 60, 50, 100, 250, 500, 1000, 2000, 5000].filter(line => line < top && line > top / 12)) {
    const at = y(line);
    if (before - at < 30) continue;
    before = at;
    context.fillStyle = '#ffffff40';
    context.fillRect(0, at, context.canvas.width, 1);
    context.fillStyle = '#ffffffc0';
    context.fillText(`${Math.round(line)} ms`, 4, at - 4);
  }
}

/** Lists the stages with colour and mean time. */
function listStages() {
  const recent = frames.slice(-20);
  const rows = STAGES.flatMap(([name, color]) => {
    const mean = recent.reduce((sum, f) => sum + (f.stages.get(name) ?? 0), 0) / recent.length;
    if (mean === 0) return [];
    const swatch = element('i');
    swatch.style.background = color;
    return [element('li', {}, swatch, element('span', { textContent: name }), element('b', { textContent: ms(mean) }))];
  });
  const interval = element('li', {}, element('i', { className: 'line' }), element('span', { textContent: 'between frames' }), element('b', { textContent: ms(frames.at(-1).since) }));
  document.getElementById('stages').replaceChildren(...rows, interval);
}

/** Lists the numbers of the newest frame. */
function listNumbers() {
  const { header, bytes } = frames.at(-1);
  const rate = frameRate();
  const rows = [
    ['Frames per second', rate === null ? '–' : rate.toFixed(1)],
    ['Rendered on', header.by],
    ['Rays', `${(header.rays / Math.max(header.frame_secs, 1e-6) / 1e6).toFixed(2)} M/s`],
    ['Virtual lights', header.vpls ? header.vpls.toLocaleString('en') : '–'],
    ['Input latency', ms(percentile(latencies, 0.5))],
    ['… 95th percentile', ms(percentile(latencies, 0.95))],
    ['Frame size', `${(bytes / 1024).toFixed(0)} KiB`],
    ['Server memory', header.memory_bytes ? `${(header.memory_bytes / 2 ** 20).toFixed(0)} MiB` : '–'],
  ];
  document.getElementById('numbers').replaceChildren(
    ...rows.flatMap(([name, value]) => [element('dt', { textContent: name }), element('dd', { textContent: value })]),
  );
}

// What it costs: where the time of each frame went as a stacked plot, the time between frames as a line, and numbers.

import { element } from './controls.js';

const KEPT = 140;
/** As the server names them, in the order of a frame; those that it does not know get the last colour. */
const STAGES = [
  ['lights', '#b197fc'], ['trace', '#4dabf7'], ['shade', '#38d9a9'], ['trace and shade', '#22b8cf'], ['shadow rays', '#a9e34b'],
  ['GPU', '#748ffc'],
  ['film', '#ffd43b'], ['tone curve', '#ffa94d'], ['encode', '#ff6b6b'], ['decode', '#f783ac'],
];
/** Of each frame: ms since the one before, ms of each stage. */
const frames = [];
const latencies = [];
let last = null;
let shown = false;

export function toggle(panel, button) {
  shown = !shown;
  panel.hidden = !shown;
  button.setAttribute('aria-pressed', String(shown));
  if (shown && frames.length > 0) draw();
}

export function note({ header, bytes, latency, decode }) {
  const now = performance.now();
  // The time in which nothing was wanted is no slow frame
  const wanted = 1000 + 3000 * header.frame_secs;
  const since = last === null || now - last > wanted ? null : now - last;
  last = now;
  const stages = new Map(header.stages.map(([name, seconds]) => [name, seconds * 1000]));
  stages.set('decode', decode);
  frames.push({ since, stages, header, bytes });
  if (frames.length > KEPT) frames.shift();
  if (latency !== null) latencies.push(latency);
  if (latencies.length > KEPT) latencies.shift();
  if (shown) draw();
}

/** Frames a second, over the last second or so. */
export function fps() {
  const recent = frames.slice(-20).map(f => f.since).filter(Boolean);
  return recent.length < 2 ? null : 1000 / (recent.reduce((a, b) => a + b) / recent.length);
}

const percentile = (values, p) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(p * values.length))];
const ms = x => (x === undefined || x === null ? '–' : x < 1000 ? `${x.toFixed(x < 10 ? 1 : 0)} ms` : `${(x / 1000).toFixed(1)} s`);

function draw() {
  const canvas = document.getElementById('plot');
  const context = canvas.getContext('2d');
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  const totals = frames.map(f => Math.max(f.since ?? 0, [...f.stages.values()].reduce((a, b) => a + b, 0)));
  // A single long frame shall not flatten all others
  const top = Math.max(25, percentile(totals, 0.97) * 1.15);
  const y = value => height - (Math.min(value, top) / top) * height;
  const bar = width / KEPT;
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
  lines(context, top, y);
  context.beginPath();
  frames.forEach(({ since }, i) => since && context.lineTo(left(i) + bar / 2, y(since)));
  [context.strokeStyle, context.lineWidth] = ['#ffffffd0', 2];
  context.stroke();
  stages();
  numbers();
}

/** Times to compare with. */
function lines(context, top, y) {
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

/** What the colours mean, and how long each took of late. */
function stages() {
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

function numbers() {
  const { header, bytes } = frames.at(-1);
  const rate = fps();
  const rows = [
    ['Frames a second', rate === null ? '–' : rate.toFixed(1)],
    ['Rendered by', header.by],
    ['Rays', `${(header.rays / Math.max(header.frame_secs, 1e-6) / 1e6).toFixed(2)} M/s`],
    ['Point lights', header.vpls ? header.vpls.toLocaleString('en') : '–'],
    ['Input to picture', ms(percentile(latencies, 0.5))],
    ['… for 95 %', ms(percentile(latencies, 0.95))],
    ['Size of the frame', `${(bytes / 1024).toFixed(0)} KiB`],
    ['Server memory', header.memory_bytes ? `${(header.memory_bytes / 2 ** 20).toFixed(0)} MiB` : '–'],
  ];
  document.getElementById('numbers').replaceChildren(
    ...rows.flatMap(([name, value]) => [element('dt', { textContent: name }), element('dd', { textContent: value })]),
  );
}

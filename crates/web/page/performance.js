// What it costs: a plot of the time between frames, and numbers.

import { element } from './controls.js';

const KEPT = 140;
/** Of each frame: ms since the one before, ms of rendering. */
const frames = [];
const latencies = [];
let last = null;
let shown = false;

export function toggle(panel, button) {
  shown = !shown;
  panel.hidden = !shown;
  button.setAttribute('aria-pressed', String(shown));
}

export function note({ header, bytes, latency }) {
  const now = performance.now();
  // The time in which nothing was wanted is no slow frame
  const wanted = 1000 + 3000 * header.frame_secs;
  const since = last === null || now - last > wanted ? null : now - last;
  last = now;
  frames.push({ since, render: header.frame_secs * 1000, header, bytes });
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
const ms = x => (x === undefined || x === null ? '–' : `${x.toFixed(x < 10 ? 1 : 0)} ms`);

function draw() {
  const canvas = document.getElementById('plot');
  const context = canvas.getContext('2d');
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  const values = frames.map(f => f.since ?? 0);
  const top = Math.max(50, ...values) * 1.1;
  const y = value => height - (value / top) * height;
  context.font = '20px system-ui';
  for (const line of [1000 / 60, 1000 / 30, 100, 250, 500, 1000, 2000].filter(line => line < top)) {
    if (line < top / 8) continue;
    [context.strokeStyle, context.fillStyle] = ['#ffffff33', '#ffffff99'];
    context.fillRect(0, y(line), width, 1);
    context.fillText(`${Math.round(line)} ms`, 4, y(line) - 4);
  }
  const bar = width / KEPT;
  frames.forEach((frame, i) => {
    const x = width - (frames.length - i) * bar;
    context.fillStyle = frame.header.mode === 'moving' ? '#74b9ff' : '#ffd166';
    context.fillRect(x, y(values[i]), Math.max(1, bar - 1), height);
    context.fillStyle = '#0006';
    context.fillRect(x, y(Math.min(frame.render, values[i])), Math.max(1, bar - 1), 2);
  });
  numbers();
}

function numbers() {
  const { header, bytes } = frames.at(-1);
  const rate = fps();
  const rows = [
    ['Frames a second', rate === null ? '–' : rate.toFixed(1)],
    ['Frame, rendering', ms(header.frame_secs * 1000)],
    ['Frame, encoding', ms(header.encode_secs * 1000)],
    ['Rays', `${(header.rays / Math.max(header.frame_secs, 1e-6) / 1e6).toFixed(2)} M/s`],
    ['Input to picture, median', ms(percentile(latencies, 0.5))],
    ['… 95 %', ms(percentile(latencies, 0.95))],
    ['Size of the frame', `${(bytes / 1024).toFixed(0)} KiB`],
    ['Memory of the server', header.memory_bytes ? `${(header.memory_bytes / 2 ** 20).toFixed(0)} MiB` : '–'],
  ];
  document.getElementById('numbers').replaceChildren(
    ...rows.flatMap(([name, value]) => [element('dt', { textContent: name }), element('dd', { textContent: value })]),
  );
}

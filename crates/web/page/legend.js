// Legend of the false colours of the channel `reflections`.

import { element } from './controls.js';
import { on, state } from './state.js';

export function start() {
  for (const key of ['view', 'hello']) on(key, update);
}

function update() {
  const box = document.getElementById('legend');
  const { view, hello } = state;
  const visible = [view, view?.second].some(method => method?.channel === 'reflections');
  box.hidden = !visible || !hello;
  if (box.hidden) return;
  const knots = hello.tables.reflections;
  const colors = knots.map(([, rgb], i) => `rgb(${rgb.join(' ')}) ${((100 * i) / (knots.length - 1)).toFixed(1)}%`);
  const bar = element('div', { className: 'scale' });
  bar.style.background = `linear-gradient(to right, ${colors.join(', ')})`;
  const numbers = knots.map(([levels], i) => element('span', { textContent: i === knots.length - 1 ? `${levels}+` : String(levels) }));
  box.replaceChildren(element('strong', { textContent: 'Levels of reflection' }), bar, element('div', { className: 'ticks' }, ...numbers));
}

// Menu of recent and built-in scenes.

import { element, fill } from './controls.js';
import { onMessage, send } from './connection.js';
import { connectMenu } from './menu.js';
import { recoverable } from './recovery.js';
import { mayOpen } from './unsaved.js';

export function start() {
  const button = document.getElementById('recent');
  const menu = element('div', { id: 'recent-menu', className: 'menu', hidden: true });
  menu.setAttribute('aria-label', 'Recent and built-in scenes');
  button.setAttribute('aria-controls', menu.id);
  menu.setAttribute('role', 'menu');
  document.body.append(menu);
  connectMenu(button, menu);
  onMessage('files', ({ recent, unsaved, built_in }) => {
    button.disabled = recent.length + built_in.length === 0;
    fill(menu, recent.length > 0 ? heading('Recent scenes') : null, ...recent.map(recentItem), built_in.length > 0 ? heading('Built-in scenes') : null, ...built_in.map(builtInItem));
    recoverable(unsaved);
  });
}

const heading = text => element('strong', { textContent: text, role: 'presentation' });

const recentItem = ({ number, name, detail, exists }) => {
  const row = item(name, exists ? detail : `${detail} – missing`, { type: 'recent', number });
  row.classList.add('recent');
  row.classList.toggle('off', !exists);
  return row;
};

const builtInItem = ({ name, summary }) => item(name, summary, { type: 'built-in', name });

/** Returns an item that opens a scene by a request. */
function item(name, detail, request) {
  const row = element('button', { type: 'button', title: detail, role: 'menuitem' }, element('span', { textContent: name }), element('small', { textContent: detail }));
  row.onclick = async () => (await mayOpen()) && send(request);
  return row;
}

// Menu of recent scenes.

import { element, fill } from './controls.js';
import { onMessage, send } from './connection.js';
import { connectMenu } from './menu.js';
import { recoverable } from './recovery.js';
import { mayOpen } from './unsaved.js';

export function start() {
  const button = document.getElementById('recent');
  const menu = element('div', { id: 'recent-menu', className: 'menu', hidden: true });
  menu.setAttribute('aria-label', 'Recent scenes');
  button.setAttribute('aria-controls', menu.id);
  menu.setAttribute('role', 'menu');
  document.body.append(menu);
  connectMenu(button, menu);
  onMessage('files', ({ recent, unsaved }) => {
    button.disabled = recent.length === 0;
    fill(menu, ...recent.map(item));
    recoverable(unsaved);
  });
}

function item({ number, name, detail, exists }) {
  const where = element('small', { textContent: exists ? detail : `${detail} – missing` });
  const row = element('button', { type: 'button', className: exists ? '' : 'off', title: detail }, element('span', { textContent: name }), where);
  row.setAttribute('role', 'menuitem');
  row.onclick = async () => (await mayOpen()) && send({ type: 'recent', number });
  return row;
}

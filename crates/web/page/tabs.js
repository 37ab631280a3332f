// Tabs of the panels at the right. A selection in the image or in the tree opens the tab of the object.

import { on } from './state.js';

const list = () => document.getElementById('tabs');
const all = () => [...list().querySelectorAll('[role="tab"]')];

export function start() {
  for (const tab of all()) tab.onclick = () => open(tab.id);
  list().addEventListener('keydown', event => {
    const tabs = all();
    const at = tabs.indexOf(event.target);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(to + tabs.length) % tabs.length];
    open(next.id);
    next.focus();
  });
  let before = null;
  on('selection', selection => {
    const node = selection?.node ?? null;
    if (node !== null && node !== before) open('tab-object');
    before = node;
  });
}

/** Shows the panel of a tab. */
function open(id) {
  for (const tab of all()) {
    const chosen = tab.id === id;
    tab.setAttribute('aria-selected', String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    const panel = document.getElementById(tab.getAttribute('aria-controls'));
    if (chosen && panel.hidden) panel.parentElement.scrollTop = 0;
    panel.hidden = !chosen;
  }
}

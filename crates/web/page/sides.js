// The tree at the left and the panels at the right: they can be closed, and on a phone they are sheets over the image.

import { set } from './state.js';

const byId = id => document.getElementById(id);
const phone = matchMedia('(max-width: 720px)');
/** Ids of the sides and of the buttons that open them. */
const SIDES = { objects: 'objects-toggle', panels: 'panels-toggle' };

export function start() {
  for (const side of Object.keys(SIDES)) {
    byId(SIDES[side]).onclick = () => toggle(side);
    byId(side).querySelector('.close-sheet').onclick = () => {
      show(side, false);
      byId(SIDES[side]).focus();
    };
    byId(side).addEventListener('keydown', event => {
      if (event.key === 'Escape' && phone.matches && !event.defaultPrevented) byId(side).querySelector('.close-sheet').click();
    });
  }
  phone.addEventListener('change', showDefaults);
  showDefaults();
}

function showDefaults() {
  for (const side of Object.keys(SIDES)) show(side, !phone.matches);
}

const isOpen = side => !byId(side).classList.contains('closed');

export const toggle = side => show(side, !isOpen(side));

/** Opens or closes a side; on a phone, only one is open. */
export function show(side, opened) {
  if (opened && phone.matches) Object.keys(SIDES).filter(other => other !== side).forEach(other => show(other, false));
  byId(side).classList.toggle('closed', !opened);
  byId(SIDES[side]).setAttribute('aria-expanded', String(opened));
  set('side', opened ? side : null);
}

/** Moves the focus to the next region of the page: header, tree, image, panels, status bar. */
export function nextRegion(backward) {
  const regions = [
    document.querySelector('header button:not(:disabled):not([hidden])'),
    isOpen('objects') && byId('tree'),
    byId('stage'),
    isOpen('panels') && document.querySelector('#tabs [aria-selected="true"]'),
    byId('objects-toggle'),
  ].filter(Boolean);
  const holders = regions.map(region => region.closest('header, #objects, #stage, #panels, footer'));
  const at = holders.findIndex(holder => holder.contains(document.activeElement));
  const step = backward ? -1 : 1;
  regions[at < 0 ? 0 : (at + step + regions.length) % regions.length].focus();
}

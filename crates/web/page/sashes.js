// Edges of the tree and of the panels, by which their widths are changed; each browser keeps its own.

import { on } from './state.js';

const byId = id => document.getElementById(id);
const SIDES = ['objects', 'panels'];
/** Smallest widths in CSS pixels, the largest, and the step of the arrow keys. */
const LEAST = { objects: 180, panels: 300 };
const [MOST, STEP] = [640, 16];
/** Space that is left for the image. */
const IMAGE = 240;

export function start() {
  restore();
  // The space for them has changed
  addEventListener('resize', restore);
  on('side', restore);
  for (const side of SIDES) {
    const sash = byId(side).querySelector('.sash');
    const change = width => localStorage.setItem(`width of ${side}`, String(setWidth(side, width)));
    sash.addEventListener('pointerdown', event => {
      event.preventDefault();
      sash.focus();
      sash.setPointerCapture(event.pointerId);
    });
    sash.addEventListener('pointermove', event => {
      if (!sash.hasPointerCapture(event.pointerId)) return;
      const box = byId(side).getBoundingClientRect();
      change(side === 'objects' ? event.clientX - box.left : box.right - event.clientX);
    });
    sash.addEventListener('keydown', event => {
      const wider = side === 'objects' ? 'ArrowRight' : 'ArrowLeft';
      const narrower = side === 'objects' ? 'ArrowLeft' : 'ArrowRight';
      const step = { [wider]: STEP, [narrower]: -STEP }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      change(byId(side).offsetWidth + step);
    });
    sash.addEventListener('dblclick', () => {
      localStorage.removeItem(`width of ${side}`);
      document.documentElement.style.removeProperty(`--${side}`);
    });
    new ResizeObserver(describe).observe(byId(side));
  }
  addEventListener('resize', describe);
}

/** Tells assistive technology the widths and their limits. */
function describe() {
  for (const side of SIDES) {
    const values = { valuenow: byId(side).offsetWidth, valuemin: LEAST[side], valuemax: mostOf(side) };
    for (const [name, value] of Object.entries(values)) byId(side).querySelector('.sash').setAttribute(`aria-${name}`, String(value));
  }
}

/** Sets the widths that the user has chosen, as far as there is space for them. */
function restore() {
  for (const side of SIDES) {
    const kept = Number(localStorage.getItem(`width of ${side}`));
    if (kept) setWidth(side, kept);
  }
}

/** Returns the largest width of a side: the image keeps its space beside the other one. */
function mostOf(side) {
  const other = byId(side === 'objects' ? 'panels' : 'objects').offsetWidth;
  return Math.max(LEAST[side], Math.min(MOST, innerWidth - other - IMAGE));
}

/** Sets the width of a side within its limits, and returns it. */
function setWidth(side, width) {
  const clean = Math.round(Math.max(LEAST[side], Math.min(mostOf(side), width)));
  document.documentElement.style.setProperty(`--${side}`, `${clean}px`);
  return clean;
}

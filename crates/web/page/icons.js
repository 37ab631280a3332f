// Icons as inline SVG, 24 × 24 units, drawn with the colour of the text.

const SVG = 'http://www.w3.org/2000/svg';

/** Paths of the icons; drawn as lines. */
const PATHS = {
  open: 'M3 7a2 2 0 0 1 2-2h4l2 2h7a2 2 0 0 1 2 2v1M3 7v10a2 2 0 0 0 2 2h12.5l3.5-9H6.5L4 18',
  add: 'M12 5v14M5 12h14',
  recent: 'M12 7v5l3.5 2M4.5 9A8 8 0 1 1 4 12M4 4.5V9h4.5',
  save: 'M12 4v11M7.5 10.5 12 15l4.5-4.5M4 18v2h16v-2',
  undo: 'M8.5 14 4 9.5 8.5 5M4 9.5h10a5.5 5.5 0 0 1 0 11h-3',
  redo: 'M15.5 14 20 9.5 15.5 5M20 9.5H10a5.5 5.5 0 0 0 0 11h3',
  camera: 'M3 8.5A1.5 1.5 0 0 1 4.5 7h9A1.5 1.5 0 0 1 15 8.5v7a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 3 15.5zM15 11l6-3.5v9L15 13',
  reset: 'M4 11.5 12 4.5l8 7M6.5 9.5V19h11V9.5M10.5 19v-5h3v5',
  compare: 'M4 5h16v14H4zM12 3v18',
  performance: 'M4 20V4M4 20h16M8 16v-4M12 16V7M16 16v-6',
  theme: 'M12 3.5a8.5 8.5 0 1 0 0 17zM12 3.5a8.5 8.5 0 0 1 0 17',
  help: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1 1-1.1 1.8M12 16.7v.1',
  objects: 'M5 4v13.5h5M5 9h5M12 7.5h7v3h-7zM12 16h7v3h-7z',
  properties: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  search: 'M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l5 5',
  close: 'M6 6l12 12M18 6 6 18',
  mesh: 'M12 3.5 20 8v8l-8 4.5L4 16V8zM4 8l8 4.5L20 8M12 12.5v8',
  group: 'M3.5 7a2 2 0 0 1 2-2h4l2 2.5h7a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z',
  light: 'M9.5 18h5M10.5 21h3M9.5 18c0-2.5-3-3.8-3-7.3a5.5 5.5 0 0 1 11 0c0 3.5-3 4.8-3 7.3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2.5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3 7 7M17 17l1.7 1.7M5.3 18.7 7 17M17 7l1.7-1.7',
  spot: 'M9 4h6l1.5 5h-9zM7 13l-2.5 7M12 13v7M17 13l2.5 7',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  'eye-off': 'M4 4l16 16M9.5 6A8.7 8.7 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a16 16 0 0 1-2.9 3.6M6 7.6A15 15 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 3.8-.9M9.9 9.9a3 3 0 0 0 4.2 4.2',
  'branch-open': 'M6.5 9.5 12 15l5.5-5.5',
  'branch-closed': 'M9.5 6.5 15 12l-5.5 5.5',
};

/** Creates an icon; it is hidden from screen readers, since its button or row has a name. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  for (const [key, value] of Object.entries({ viewBox: '0 0 24 24', class: `icon icon-${name}`, 'aria-hidden': 'true' })) svg.setAttribute(key, value);
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}

/** Adds the icons to the buttons of the page that name one in `data-icon`. */
export function decorate() {
  for (const holder of document.querySelectorAll('[data-icon]')) holder.prepend(icon(holder.dataset.icon));
}

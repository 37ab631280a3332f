// The socket: text both ways, frames towards us. It comes back by itself when the server does.

import { indexed, set, state } from './state.js';

const VERSION = 3;
const handlers = new Map();
let socket = null;
let attempts = 0;
let inputs = 0;
/** Inputs that have not yet been seen in a frame: number and time. */
const waiting = [];
/** Pictures of the newest frame by their numbers: what comes again is not decoded again. */
let decoded = new Map();
/** Frames are shown in the order in which they came. */
let seen = Promise.resolve();

/** Calls `handler` with messages of a type; frames have the type `frame`. */
export function onMessage(type, handler) {
  handlers.set(type, handler);
}

export function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/** A number for an input, to see how long it takes until a frame shows it. */
export function stampInput() {
  inputs += 1;
  if (waiting.length < 200) waiting.push({ number: inputs, time: performance.now() });
  return inputs;
}

/** Milliseconds from the oldest input that a frame shows to now; null if it shows none of ours. */
function latency(header) {
  let oldest = null;
  while (waiting.length > 0 && waiting[0].number <= (header.input ?? 0)) {
    const { time } = waiting.shift();
    oldest ??= time;
  }
  return oldest === null ? null : performance.now() - oldest;
}

export function connect() {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  socket = new WebSocket(`${scheme}://${location.host}/socket`);
  socket.binaryType = 'arraybuffer';
  socket.onmessage = ({ data }) => (typeof data === 'string' ? hear(JSON.parse(data)) : (seen = seen.then(() => see(data), () => see(data))));
  socket.onclose = () => {
    const before = state.connected;
    set('connected', false);
    handlers.get('lost')?.(before);
    attempts += 1;
    setTimeout(connect, Math.min(3000, 200 * 1.5 ** attempts));
  };
}

function hear(message) {
  if (message.type === 'hello') {
    if (message.version !== VERSION) return location.reload();
    const restarted = state.hello !== null && state.hello.server !== message.server;
    const again = state.hello !== null;
    attempts = 0;
    waiting.length = 0;
    // Another server counts anew
    decoded = new Map();
    set('hello', message);
    set('connected', true);
    handlers.get('hello')?.({ again, restarted });
  } else if (message.type === 'scene') {
    set('scene', indexed(message));
  } else if (message.type === 'view') {
    set('view', message);
  } else {
    handlers.get(message.type)?.(message);
  }
}

/** `SFv2`, length of the header, header, JPEGs. */
async function see(data) {
  const view = new DataView(data);
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length)));
  const arrived = performance.now();
  const from = socket;
  try {
    const images = await decode(header, data, 8 + length);
    const decode_ms = performance.now() - arrived;
    handlers.get('frame')?.({ header, images, bytes: data.byteLength, decode: decode_ms, latency: latency(header) });
  } finally {
    // Only now the next one may come: a slow page gets fewer frames, not older ones
    if (from === socket) send({ type: 'shown', frame: header.frame });
  }
}

/** The pictures of a frame: one, or two that are compared. */
async function decode(header, data, offset) {
  const parts = header.pictures.map(({ number, bytes }) => {
    offset += bytes;
    return { number, part: new Uint8Array(data, offset - bytes, bytes) };
  });
  const image = ({ number, part }) => decoded.get(number) ?? createImageBitmap(new Blob([part], { type: 'image/jpeg' }));
  const images = await Promise.all(parts.map(image));
  const newest = new Map(parts.map(({ number }, i) => [number, images[i]]));
  for (const [number, old] of decoded) if (!newest.has(number)) old.close();
  decoded = newest;
  return images;
}

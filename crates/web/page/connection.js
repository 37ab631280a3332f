// The socket: text both ways, frames towards us. It comes back by itself when the server does.

import { indexed, set, state } from './state.js';

const VERSION = 1;
const handlers = new Map();
let socket = null;
let attempts = 0;
let inputs = 0;
/** Inputs that have not yet been seen in a frame: number and time. */
const waiting = [];

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
  socket.onmessage = ({ data }) => (typeof data === 'string' ? hear(JSON.parse(data)) : see(data));
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

/** `SFv1`, length of the header, header, JPEG. */
async function see(data) {
  const view = new DataView(data);
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length)));
  const arrived = performance.now();
  const from = socket;
  try {
    const image = await createImageBitmap(new Blob([new Uint8Array(data, 8 + length)], { type: 'image/jpeg' }));
    const bytes = data.byteLength;
    handlers.get('frame')?.({ header, image, bytes, arrived, latency: latency(header) });
  } finally {
    // Only now the next one may come: a slow page gets fewer frames, not older ones
    if (from === socket) send({ type: 'shown', frame: header.frame });
  }
}

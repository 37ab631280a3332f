// WebSocket to the server: sends requests, receives messages and frames, and reconnects after a loss.

import { indexed, set, state } from './state.js';

const VERSION = 4;
/** Requests that change neither the scene nor which one is open. */
const READING = new Set(['shown', 'camera', 'reset', 'pick', 'silhouette', 'free-space', 'focus', 'control', 'command-line', 'save']);
const handlers = new Map();
/** Number of requests that may have changed the scene. */
let changes = 0;
/** Questions without an answer so far, by number, the oldest first: `type`, and what to do with an answer. */
const asked = new Map();
/** Number of questions so far. */
let questions = 0;
/** Answers that may come before those of earlier questions of the type. */
const OUT_OF_ORDER = new Set(['not-saved', 'command-line', 'no-command-line']);
let socket = null;
let attempts = 0;
let inputs = 0;
/** Inputs that no frame has shown yet: number and time. */
const pendingInputs = [];
/** Decoded images of the newest frame by number, so that unchanged ones are not decoded again. */
let decoded = new Map();
/** Chain of promises that shows frames in the order of their arrival. */
let frameQueue = Promise.resolve();

/** Sets the handler of a type of messages; frames have the type `frame`. */
export function onMessage(type, handler) {
  handlers.set(type, handler);
}

export function send(message) {
  if (!READING.has(message.type)) changes += 1;
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/**
 * Sends a request with a number, which its answer repeats. Returns a promise of the answer. If none comes, it is null
 * once the connection is lost, and what `overtaken` returns for the first later answer to a request of the type.
 */
export function ask(message, overtaken = () => null) {
  if (socket?.readyState !== WebSocket.OPEN) return Promise.resolve(null);
  questions += 1;
  const number = questions;
  send({ ...message, number });
  return new Promise(settle => asked.set(number, { type: message.type, overtaken, settle }));
}

/** Settles the question that a message answers, after earlier ones of the type, whose answers were lost. */
function settle(message) {
  const question = asked.get(message.number);
  if (!question) return;
  asked.delete(message.number);
  for (const [number, earlier] of OUT_OF_ORDER.has(message.type) ? [] : [...asked]) {
    if (number > message.number || earlier.type !== question.type) continue;
    asked.delete(number);
    earlier.settle(earlier.overtaken(message));
  }
  question.settle(message);
}

export const changesSent = () => changes;

/** Returns a new number for an input, by which its latency is measured. */
export function stampInput() {
  inputs += 1;
  if (pendingInputs.length < 200) pendingInputs.push({ number: inputs, time: performance.now() });
  return inputs;
}

/** Milliseconds since the oldest input that a frame shows first; null if there is none. */
function latency(header) {
  let oldest = null;
  while (pendingInputs.length > 0 && pendingInputs[0].number <= (header.input ?? 0)) {
    const { time } = pendingInputs.shift();
    oldest ??= time;
  }
  return oldest === null ? null : performance.now() - oldest;
}

export function connect() {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  socket = new WebSocket(`${scheme}://${location.host}/socket`);
  socket.binaryType = 'arraybuffer';
  socket.onmessage = ({ data }) => (typeof data === 'string' ? handleText(JSON.parse(data)) : (frameQueue = frameQueue.then(() => handleFrame(data), () => handleFrame(data))));
  socket.onclose = () => {
    const wasConnected = state.connected;
    set('connected', false);
    for (const question of asked.values()) question.settle(null);
    asked.clear();
    handlers.get('lost')?.(wasConnected);
    attempts += 1;
    setTimeout(connect, Math.min(3000, 200 * 1.5 ** attempts));
  };
}

/** Stores a text message in the state, or passes it to its handler. */
function handleText(message) {
  if (message.type === 'hello') {
    if (message.version !== VERSION) return location.reload();
    const restarted = state.hello !== null && state.hello.server !== message.server;
    const again = state.hello !== null;
    attempts = 0;
    pendingInputs.length = 0;
    // A restarted server numbers images from the start
    decoded = new Map();
    set('hello', message);
    set('connected', true);
    handlers.get('hello')?.({ again, restarted });
  } else if (message.type === 'scene') {
    set('scene', indexed(message));
  } else if (message.type === 'view') {
    set('view', message);
  } else {
    settle(message);
    handlers.get(message.type)?.(message);
  }
}

/** Decodes and shows a frame: `SFv2`, length of the header, header, JPEGs. */
async function handleFrame(data) {
  const view = new DataView(data);
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length)));
  const arrived = performance.now();
  const sender = socket;
  try {
    const images = await decode(header, data, 8 + length);
    const decodeMs = performance.now() - arrived;
    handlers.get('frame')?.({ header, images, bytes: data.byteLength, decode: decodeMs, latency: latency(header) });
  } finally {
    // Acknowledge only now, so that a slow page skips frames instead of falling behind
    if (sender === socket) send({ type: 'shown', frame: header.frame });
  }
}

/** Decodes the images of a frame: one, or two that are compared. */
async function decode(header, data, offset) {
  const rows = header.pictures.map(({ number, bytes }) => {
    offset += bytes;
    return { number, jpeg: new Uint8Array(data, offset - bytes, bytes) };
  });
  const image = ({ number, jpeg }) => decoded.get(number) ?? createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' }));
  const images = await Promise.all(rows.map(image));
  const newest = new Map(rows.map(({ number }, i) => [number, images[i]]));
  for (const [number, old] of decoded) if (!newest.has(number)) old.close();
  decoded = newest;
  return images;
}

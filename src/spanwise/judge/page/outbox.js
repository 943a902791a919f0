// Unsaved gestures, kept in the browser's database until the server has stored them.

import { api, notice, session } from "./app.js";

const CLIENT = Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
const WAITS = [200, 500, 1000, 2000, 5000, 10000];
const LASTING = new Set([400, 403, 404, 413]);
const channel = new BroadcastChannel("spanwise-judge");

let database = null, count = 0, waiting = [], busy = false, failures = 0, timer = 0;
let most = 50; // maximum number of gestures in a request
let since = 0; // time of the oldest unsaved gesture
let problem = ""; // the reason why it is unsaved
const listeners = { ack: () => {}, refused: () => false, status: () => {}, changed: () => {} };

export const clientName = CLIENT;
export const listen = (kind, act) => { listeners[kind] = act; };

function asked(request) {
  return new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

export async function open() {
  const request = indexedDB.open("spanwise-judge", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("outbox", { keyPath: "key" });
  database = await asked(request);
  navigator.locks.request(`tab-${CLIENT}`, () => new Promise(() => {}));
  channel.onmessage = ({ data }) => listeners.changed(data);
  addEventListener("online", () => send());
  addEventListener("pagehide", flush);
  setInterval(tell, 1000);
  await sweep();
  setInterval(sweep, 15000);
}

// Gestures left by closed windows are sent by the next window.
async function sweep() {
  const { held } = await navigator.locks.query();
  const alive = new Set(held.map((lock) => lock.name));
  const kept = await asked(database.transaction("outbox").objectStore("outbox").getAll());
  const orphans = kept.filter((one) => one.judge === session.judge && one.store === session.me.store && !alive.has(`tab-${one.event.client}`));
  const known = new Set(waiting.map((one) => one.key));
  const found = orphans.filter((one) => !known.has(one.key)).sort((a, b) => a.at - b.at || a.event.n - b.event.n);
  if (found.length) { waiting.push(...found); tell(); await send(); }
}

let unsettled = 0;
function counted(change) { // published on the root element of the page
  unsettled += change;
  document.documentElement.dataset.unsaved = String(unsettled);
}

export function next(event) { // an event with its identifier
  counted(1);
  const made = { ...event, client: CLIENT, n: count++, at: Date.now() / 1000 };
  return made;
}

export function store(made) {
  const item = { key: `${CLIENT}:${made.n}`, judge: session.judge, store: session.me.store, at: Date.now(), event: made };
  waiting.push(item);
  if (!since) since = Date.now();
  database.transaction("outbox", "readwrite").objectStore("outbox").put(item);
  tell();
  send();
}

export const pending = (topic, doc) => waiting.map((one) => one.event).filter((one) => one.topic === topic && one.doc === doc);

async function send() {
  if (busy || !waiting.length) return;
  busy = true;
  clearTimeout(timer);
  const batch = waiting.slice(0, most);
  let answer = null;
  try {
    answer = await api("/api/events", { events: batch.map((one) => wire(one.event)) });
  } catch { answer = null; }
  busy = false;
  if (LASTING.has(answer?.status)) { // a permanently rejected event must not block the others
    if (batch.length === 1) settle(batch[0], { error: answer.content.error || `the server answered ${answer.status}` });
    most = batch.length === 1 ? 50 : 1;
  } else if (!answer || !answer.content.results) {
    failures += 1;
    timer = setTimeout(send, WAITS[Math.min(failures, WAITS.length) - 1]);
    problem = answer ? answer.content.error || `the server answered ${answer.status}` : "the server does not respond";
    tell();
    return;
  } else {
    batch.forEach((one, place) => settle(one, answer.content.results[place]));
  }
  failures = 0;
  problem = "";
  since = waiting.length ? Date.now() : 0;
  tell();
  if (waiting.length) send();
}

const wire = ({ client, n, topic, doc, kind, layer, start, end, value, check, base, at }) =>
  Object.fromEntries(Object.entries({ client, n, topic, doc, kind, layer, start, end, value, check, base, at })
    .filter(([, part]) => part !== undefined));

function settle(one, result) {
  waiting = waiting.filter((other) => other.key !== one.key);
  database.transaction("outbox", "readwrite").objectStore("outbox").delete(one.key);
  if (one.event.client === CLIENT) counted(-1);
  if (result.error) {
    session.statuses.delete(`${one.event.topic} ${one.event.doc}`); // the status may be wrong
    if (!listeners.refused(one.event, result.error)) notice(one.event, result.error);
  }
  else listeners.ack(one.event, result.seq);
  channel.postMessage({ topic: one.event.topic, doc: one.event.doc, client: CLIENT });
}

function flush() {
  if (!waiting.length) return;
  const events = waiting.slice(0, 50).map((one) => wire(one.event));
  fetch("/api/events", {
    method: "POST", keepalive: true, body: JSON.stringify({ events }),
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${session.token}` },
  }).catch(() => {});
}

function tell() {
  const age = since ? (Date.now() - since) / 1000 : 0;
  listeners.status({ waiting: waiting.length, age, problem });
}

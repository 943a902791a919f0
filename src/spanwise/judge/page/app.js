// Entry point of the page: session, routes, and helpers of all modules.

import * as outbox from "./outbox.js";
import { header, home, topic, help } from "./screens.js";
import { desk } from "./desk.js";
import { documentScreen } from "./document.js";
import { practice } from "./practice.js";

export const session = { token: "", judge: "", me: null, statuses: new Map(), names: new Map(), practised: new Set() };

export async function gotPool(number) { // includes changes of this window that are not stored yet
  const pool = await got(`/api/t/${number}/pool`);
  for (const one of pool.documents) session.names.set(`${number} ${one.number}`, one.id);
  for (const one of pool.documents) one.status = session.statuses.get(`${number} ${one.number}`) ?? one.status;
  return pool;
}
export const page = () => document.getElementById("page");

export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function say(text) { // for screen readers
  const live = document.getElementById("live");
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}

export function notice({ topic, doc }, error) { // about a document that is no longer displayed
  const place = `/t/${topic}/d/${doc}`, back = link(place, {}, session.names.get(`${topic} ${doc}`) ?? "a document");
  const made = el("p", { class: "told", role: "alert", "data-place": place }, el("span", {}, "Rejected: ", back, `: ${error}`),
    el("button", { class: "button", type: "button", onclick: () => made.remove() }, "Close"));
  const all = document.getElementById("notices");
  for (const old of Array.from(all.children)) if (old.dataset.place === place) old.remove();
  back.addEventListener("click", () => made.remove());
  all.append(made);
}

export async function api(address, body) {
  const options = { headers: { Authorization: `Bearer ${session.token}` }, cache: "no-store" };
  if (body) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(address, options);
  let content = {};
  try { content = await answer.json(); } catch { content = { error: await answer.text().catch(() => "") }; }
  return { status: answer.status, content };
}

export async function got(address) {
  const { status, content } = await api(address);
  if (status !== 200) throw new Error(content.error || `the server returned status ${status}`);
  return content;
}

export function go(address, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", address); else history.pushState(null, "", address);
  return show();
}

export function link(address, attributes, ...children) {
  return el("a", {
    href: address, ...attributes,
    onclick: (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
      event.preventDefault();
      go(address);
    },
  }, ...children);
}

let leave = () => {}, turn = 0, last = Promise.resolve();
export function show() { // sequential, because two open documents would both handle keys
  const mine = ++turn;
  last = last.then(() => (mine === turn ? showNow() : null));
  return last;
}

async function showNow() {
  leave();
  leave = () => {};
  const path = location.pathname;
  try {
    const place = path.match(/^\/t\/(\d+)(?:\/d\/(\d+))?$/), next = path.match(/^\/t\/(\d+)\/next$/);
    if (next) { await nextOf(Number(next[1])); return; }
    if (place?.[2] !== undefined) leave = await documentScreen(Number(place[1]), Number(place[2]));
    else if (place) await topic(Number(place[1]));
    else if (path === "/help") await help();
    else if (path === "/practice") leave = await practice();
    else if (path === "/desk" || session.me.role === "owner") await desk();
    else await home();
  } catch (error) {
    page().replaceChildren(header(), el("main", { class: "narrow" }, el("h1", {}, "This page cannot be shown"), el("p", { class: "lead" }, error.message),
      el("p", {}, link("/", {}, "Back to all topics"))));
  }
}

async function nextOf(number) { // the next unjudged document, else the topic
  const { documents } = await gotPool(number);
  const left = documents.find((one) => !["done", "skipped"].includes(one.status));
  history.replaceState(null, "", left ? `/t/${number}/d/${left.number}` : `/t/${number}`);
  await showNow();
}

export const settings = {
  get: (name, otherwise) => JSON.parse(localStorage.getItem(`judge.${name}`) ?? "null") ?? otherwise,
  set: (name, value) => localStorage.setItem(`judge.${name}`, JSON.stringify(value)),
};

function takeToken() {
  const given = location.hash.match(/^#k=([\w-]+)$/);
  if (given) {
    sessionStorage.setItem("judge.token", given[1]);
    localStorage.setItem("judge.token", given[1]);
    history.replaceState(null, "", location.pathname + location.search);
  }
  session.token = sessionStorage.getItem("judge.token") ?? localStorage.getItem("judge.token") ?? "";
  if (session.token) sessionStorage.setItem("judge.token", session.token);
}

async function start() {
  takeToken();
  const { status, content } = await api("/api/me").catch(() => ({ status: 0, content: {} }));
  if (status !== 200) {
    page().replaceChildren(el("main", { class: "narrow" }, el("h1", {}, status === 401 ? "Link not valid" : "The server does not respond"),
      el("p", { class: "lead" }, content.error ?? "Start the server again and reload this page. No judgement is lost.")));
    return;
  }
  session.judge = content.judge;
  session.me = content;
  await outbox.open();
  addEventListener("popstate", show);
  await show();
}

addEventListener("hashchange", () => { if (location.hash.startsWith("#k=")) location.reload(); });
start();

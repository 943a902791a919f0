// The organiser's screen: assignment and closing of topics, progress and agreement of assessors.

import { api, el, got, page, say } from "./app.js";
import { clientName } from "./outbox.js";
import { header } from "./screens.js";

let count = 0;

export async function desk() {
  const all = await got("/api/desk");
  const decide = async (what) => {
    const { status, content } = await api("/api/desk", { client: clientName, n: count++, ...what });
    say(status === 200 ? "saved" : content.error);
    await desk();
  };
  page().replaceChildren(header("Organiser"), el("main", { class: "narrow" },
    el("h1", {}, "Organiser"),
    el("p", { class: "lead" }, `${all.judges.length} assessors, ${all.topics.length} topics, ${all.events} events in the log.`),
    topics(all, decide), speed(all), agreement(all),
    el("h2", {}, "Judgements"),
    el("p", {}, el("button", { class: "button strong", type: "button", onclick: save }, "Download finished judgements")),
    el("p", { class: "small" }, "JSON lines of all assessors. For other formats use spanwise judge export.")));
  document.title = "Organiser – spanwise judge";
}

function table(caption, heads, rows) {
  const head = heads.map((one) => el("th", { scope: "col" }, one));
  const body = rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row" }, first), ...rest.map((one) => el("td", {}, one))));
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body)));
}

function topics(all, decide) {
  const rows = all.topics.map((one) => {
    const finished = (judge) => all.progress.find((row) => row.judge === judge && row.topic === one.id);
    const cells = all.judges.map((judge) => {
      const mine = one.assigned.includes(judge), row = finished(judge);
      const box = el("input", { type: "checkbox", "aria-label": `assign ${one.id} to ${judge}`, onchange: () => assign(all, one, judge, box.checked, decide) });
      box.checked = mine;
      return el("span", {}, box, row && mine ? ` ${row.finished} of ${row.documents}` : "");
    });
    const freeze = el("button", { class: "button", type: "button", "aria-pressed": String(one.frozen), onclick: () => decide({ kind: "freeze", topic: one.number, on: !one.frozen }) }, one.frozen ? "Reopen" : "Close");
    return [`${one.id} ${one.title ?? ""}`, ...cells, el("span", { class: "pair" }, el("span", {}, stateOf(one, all)), freeze)];
  });
  return table("Topics", ["topic", ...all.judges, "state"], rows);
}

function stateOf(topic, all) {
  if (topic.frozen) return "closed";
  const rows = topic.assigned.map((judge) => all.progress.find((row) => row.judge === judge && row.topic === topic.id));
  if (rows.length && rows.every((row) => row && row.finished >= row.documents)) return "complete";
  if (rows.some((row) => row && (row.finished || row.minutes))) return "in progress";
  return topic.given ? "assigned" : "open to all";
}

// An unassigned topic is open to all assessors, so removing one means assigning it to the others.
async function assign(all, topic, judge, on, decide) {
  const others = all.judges.filter((one) => one !== judge && topic.assigned.includes(one));
  if (!on && !others.length) { say("a topic needs at least one assessor"); await desk(); return; }
  for (const one of others) await api("/api/desk", { client: clientName, n: count++, kind: "assign", topic: topic.number, judge: one, on: true });
  await decide({ kind: "assign", topic: topic.number, judge, on });
}

function speed(all) {
  const rows = all.judges.map((judge) => {
    const mine = all.progress.filter((row) => row.judge === judge);
    const sum = (name) => mine.reduce((total, row) => total + row[name], 0);
    const each = sum("finished") ? (sum("minutes") / sum("finished")).toFixed(1) : "–";
    const lessons = Object.values(all.practised[judge] ?? {});
    const right = lessons.length ? (lessons.reduce((total, one) => total + one, 0) / lessons.length).toFixed(2) : "–";
    return [judge, ...["finished", "relevant", "skipped"].map((name) => String(sum(name))), sum("minutes").toFixed(0), each, right];
  });
  return table("Assessors", ["assessor", "finished", "with relevant text", "skipped", "minutes", "minutes per document", "practice score"], rows);
}

function agreement(all) {
  if (!all.agreement.length) return el("p", { class: "small" }, "Agreement is shown once two assessors have finished the same document.");
  const shown = (value) => (value === null ? "–" : value.toFixed(3));
  return table("Agreement by characters", ["assessors", "overlap", "F1", "kappa"], all.agreement.map((one) => [`${one.a} – ${one.b}`, shown(one.overlap), shown(one.f1), shown(one.kappa)]));
}

async function save() {
  const { lines } = await got("/api/desk/export");
  const address = URL.createObjectURL(new Blob([lines], { type: "application/x-ndjson" }));
  el("a", { href: address, download: "judged.jsonl" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

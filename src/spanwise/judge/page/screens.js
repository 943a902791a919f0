// All screens except the document: topics, one topic, help.

import { api, el, got, gotPool, link, page, session, settings, go } from "./app.js";
import { KEYS } from "./keys.js";
import { written } from "./plain.js";

const WORDS = { new: "new", open: "opened", touched: "in progress", done: "done", skipped: "skipped" };

export function header(...trail) {
  const crumbs = trail.map((one) => el("span", { class: "crumb" }, one));
  return el("header", { class: "top" },
    el("nav", { "aria-label": "Breadcrumbs" }, link("/", { class: "home" }, "spanwise judge"), ...crumbs),
    el("span", { class: "who" }, session.judge),
    link("/help", { class: "quiet" }, "Help"));
}

function bar(counts, label) {
  const total = counts.left + counts.relevant + counts.nothing + counts.skipped || 1;
  const parts = ["relevant", "nothing", "skipped"].map((kind) => {
    const made = el("span", { class: `part ${kind}` });
    made.style.width = `${(100 * counts[kind]) / total}%`;
    return made;
  });
  return el("div", { class: "bar", role: "img", "aria-label": label }, ...parts);
}

export async function home() {
  const me = await got("/api/me");
  session.me = me;
  const cards = me.topics.map((one) => {
    const total = one.left + one.relevant + one.nothing + one.skipped;
    const words = `${total - one.left} of ${total} judged, ${one.relevant} with relevant text`;
    return el("li", {}, link(`/t/${one.number}`, { class: "card" },
      el("span", { class: "id" }, one.id), el("strong", { dir: "auto" }, one.title ?? "(no title)"),
      bar(one, words), el("span", { class: "small" }, [words, ...progress(one)].join(", "))));
  });
  const left = me.topics.reduce((sum, one) => sum + one.left, 0);
  const resume = me.last
    ? link(`/t/${me.last.topic}/d/${me.last.doc}`, { class: "button strong" }, "Resume") : null;
  page().replaceChildren(header(), el("main", { class: "narrow" },
    el("h1", {}, "My topics"),
    el("p", { class: "lead" }, left ? `${left} documents are left to judge.` : "All documents are judged. Thank you."),
    resume, newcomer(me), el("ul", { class: "cards" }, ...cards)));
  document.title = "My topics – spanwise judge";
}

function newcomer(me) { // link to the practice, which mode document does not need
  if (me.mode === "document" || me.role !== "judge" || me.practised >= 3) return null;
  return el("p", { class: "told" }, me.practised ? "Complete the practice: " : "New assessors: ", link("/practice", {}, "practise on three short documents with known answers"), ".");
}

function progress(one) { // of other assessors only the number of finished documents
  return [
    one.minutes >= 1 ? `minutes spent: ${Math.round(one.minutes)}` : "",
    one.others ? `finished by others: ${one.others}` : "",
    one.frozen ? "closed" : ""].filter(Boolean);
}

const ORDERS = {
  mine: ["default order", () => 0],
  name: ["by name", (a, b) => (a.id < b.id ? -1 : 1)],
  length: ["shortest first", (a, b) => a.chars - b.chars],
};

export async function topic(number) {
  const pool = await gotPool(number);
  const rows = (filter, sort) => pool.documents.filter((one) => filter === "all" || (filter === "left") === (one.status !== "done" && one.status !== "skipped"))
    .sort(ORDERS[sort][1]).map((one) => el("li", {}, link(`/t/${number}/d/${one.number}`, { class: "row" },
      el("span", { class: `state ${one.status}` }, WORDS[one.status]),
      el("span", { class: "grow" }, one.added ? `${one.id} (added by me)` : one.id),
      el("span", { class: "small" }, one.relevant ? `${one.relevant.toLocaleString()} characters relevant` : one.status === "done" ? "nothing relevant" : ""),
      el("span", { class: "small" }, `${one.chars.toLocaleString()} characters`))));
  const list = el("ul", { class: "rows" });
  const fill = () => list.replaceChildren(...rows(choice.value, order.value));
  const order = el("select", { "aria-label": "Order", onchange: fill }, ...Object.entries(ORDERS).map(([value, [words]]) => el("option", { value }, words)));
  const choice = el("select", { "aria-label": "Filter", onchange: fill },
    el("option", { value: "left" }, "left to judge"), el("option", { value: "all" }, "all"));
  if (!pool.documents.some((one) => one.status !== "done" && one.status !== "skipped")) choice.value = "all";
  fill();
  const next = pool.documents.find((one) => one.status !== "done" && one.status !== "skipped");
  const start = next ? link(`/t/${number}/d/${next.number}`, { class: "button strong" }, "Judge the next document") : null;
  page().replaceChildren(header(link(`/t/${number}`, { "aria-current": "page" }, pool.id)), el("main", { class: "narrow" },
    el("h1", { dir: "auto" }, pool.topic.title ?? pool.id), ...statement(pool.topic), ...guidelines(), pool.minutes >= 1 ? el("p", { class: "small" }, `Minutes spent: ${Math.round(pool.minutes)}`) : null, pool.frozen ? el("p", { class: "told" }, "This topic is closed. Documents can be read but not judged.") : start,
    el("div", { class: "between" }, el("h2", {}, "Documents"), el("span", {}, choice, " ", order)), list, pool.frozen ? null : adding(number)));
  document.title = `${pool.topic.title ?? pool.id} – spanwise judge`;
}

function adding(number) { // a document that no system returned
  const found = el("ul", { class: "rows" }), message = el("p", { class: "small", role: "status" });
  const add = async (id) => {
    const { status, content } = await api(`/api/t/${number}/documents`, { id });
    if (status === 200) go(`/t/${number}/d/${content.number}`); else message.textContent = content.error;
  };
  const look = async () => {
    const { found: some, read, documents, more } = await got(`/api/t/${number}/find?q=${encodeURIComponent(wanted.value)}`);
    const rest = more ? "There are more matches: enter more of the name or title."
      : read < documents ? `The search covered all ${documents.toLocaleString()} names and ${read.toLocaleString()} titles.`
        : some.length ? "" : "No document has these letters in its name or title.";
    found.replaceChildren(...some.map(([id, title]) => el("li", {}, el("button", { class: "button", type: "button", onclick: () => add(id) }, el("span", { dir: "auto" }, title ? `${id} – ${title}` : id)))));
    message.textContent = rest;
  };
  const wanted = el("input", { type: "search", id: "wanted", onkeydown: (event) => { if (event.key === "Enter") look(); } });
  return el("details", {}, el("summary", {}, "Add a document"), el("p", {}, el("label", { for: "wanted" }, "Part of its name or title "), wanted, " ",
    el("button", { class: "button", type: "button", onclick: look }, "Search")), message, found);
}

export function statement(fields) {
  const parts = [["narrative", "What is relevant"], ["description", "Description"], ["keywords", "Keywords"], ["ontopic_keywords", "Keywords"]];
  return parts.filter(([name]) => fields[name]).map(([name, title]) =>
    el("section", { class: `statement ${name}` }, el("h2", {}, title), el("p", { dir: "auto" }, fields[name])));
}

export function guidelines() {
  const text = session.me?.guidelines;
  return text ? [el("details", { class: "statement" }, el("summary", {}, "Guidelines"), ...written(text))] : [];
}

export async function help() {
  const single = el("input", { type: "checkbox", id: "single" });
  single.checked = settings.get("keys", true);
  single.addEventListener("change", () => settings.set("keys", single.checked));
  const table = el("table", {}, el("caption", {}, "Keys in a document"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Key"), el("th", { scope: "col" }, "Action"))),
    el("tbody", {}, ...KEYS.map(([keys, act]) => el("tr", {}, el("td", {}, ...keys.map((key) => el("kbd", {}, key))), el("td", {}, act)))));
  page().replaceChildren(header("Help"), el("main", { class: "narrow" },
    el("h1", {}, "How to judge"),
    el("ol", { class: "steps" },
      el("li", {}, "Read the statement of what is relevant, to the right of the text. It takes precedence over the title."),
      el("li", {}, "Highlight all relevant text, and nothing else. Judge each part on its own merit, even if you have read the same elsewhere."),
      el("li", {}, "Set the best entry point: where you would begin to read."),
      el("li", {}, "Finish. If nothing is relevant, press 0 to finish and go to the next document.")),
    el("p", {}, link("/practice", {}, "Practise on three short documents")),
    el("p", {}, "Every action is saved at once. The bar at the bottom shows the time of the last save. Undo is unlimited."),
    el("p", {}, single, el("label", { for: "single" }, " Use single letters as keys")),
    table,
    el("p", {}, el("button", { class: "button", onclick: () => (history.length > 1 ? history.back() : go("/")) }, "Back"))));
  document.title = "Help – spanwise judge";
}

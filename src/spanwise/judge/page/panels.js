// Panels around the text: outline, topic, highlights, note, keywords, and the bar at the bottom.

import { el, api, say } from "./app.js";
import { added, assess, disputes, highlighted, inconsistencies, saidOf } from "./fold.js";
import { UNITS } from "./moving.js";
import { guidelines, statement } from "./screens.js";
import { Words } from "./words.js";

const ELEMENTS = 50; // maximum number shown for assessment at once
const REASONS = ["I cannot tell", "not in a language I read", "the document is broken", "too long to read", "I know the author"];

export class Panels {
  constructor(screen) {
    this.screen = screen;
    this.words = new Words(screen);
    this.supportShown = false;
    this.from = 0; // first element shown for assessment
    this.strip = el("div", { class: "strip", "aria-hidden": "true" });
  }

  // Left and right ------------------------------------------------------------------------------

  outline() {
    const { text } = this.screen;
    this.heads = text.headings.map((one) => {
      const made = el("a", { href: `#s=${one.start}-${one.start}`, class: `d${Math.min(3, one.depth)}`, onclick: (event) => {
        event.preventDefault();
        this.screen.select(text.unit(one.start, "block"));
        this.screen.pane.focus({ preventScroll: true });
      } }, one.text);
      return { made, start: one.start };
    });
    return el("nav", { class: "outline", "aria-label": "Outline", tabindex: "0" }, el("ol", {}, ...this.heads.map((one) => el("li", {}, one.made))));
  }

  side() {
    const { screen } = this;
    const narrow = matchMedia("(max-width: 46rem)").matches; // there the statement is above the text and closed
    this.topicBox = el("details", { class: "topic", open: !narrow }, el("summary", { dir: "auto" }, screen.pool.topic.title ?? screen.pool.id), ...statement(screen.pool.topic), ...guidelines());
    this.told = el("div", { class: "told", hidden: true });
    this.marks = el("ul", { class: "marks", "aria-label": "My highlights" });
    this.marksTitle = el("h2", {}, "My highlights");
    this.extra = el("div");
    this.noteField = el("textarea", { id: "note", "aria-label": "Note on this document", dir: "auto", maxlength: "10000", placeholder: "For yourself and the adjudicator", oninput: () => { clearTimeout(this.writing); this.writing = setTimeout(() => this.keepNote(), 800); }, onchange: () => this.keepNote() });
    this.finder = el("input", { type: "search", id: "finder", onkeydown: (event) => { if (event.key === "Enter") this.findNext(event.shiftKey ? -1 : 1); }, oninput: () => this.find() });
    this.lanes = el("div");
    const side = el("aside", { class: "side", "aria-label": "Topic and highlights", tabindex: "0" }, this.told, this.topicBox, this.lanes, this.extra,
      screen.mode === "document" ? null : el("section", {}, this.marksTitle, this.marks),
      this.words.section(),
      el("section", {}, el("h2", {}, el("label", { for: "finder" }, "Find")), this.finder),
      el("section", {}, el("h2", {}, el("label", { for: "note" }, "Note")), this.noteField));
    this.words.colour();
    return side;
  }

  keepNote() { // after a pause, and on leaving the field
    clearTimeout(this.writing);
    if (this.noteField.value !== this.screen.state.note) this.screen.act({ kind: "note", value: this.noteField.value });
  }

  find() {
    const wanted = this.finder.value;
    this.found = wanted ? this.screen.text.find(new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu")) : [];
    this.screen.painter.paint("find", this.found);
  }
  findNext(by) { this.find(); this.screen.jump(this.found, by); say(`${this.found.length} ${this.found.length === 1 ? "match" : "matches"}${this.found.length ? `; ${this.screen.words()}` : ""}`); }

  // The bar at the bottom -----------------------------------------------------------------------

  bottom() {
    const { screen } = this;
    const button = (label, act, title, more = {}) => el("button", { class: "button", type: "button", title, onmousedown: (event) => event.preventDefault(), onclick: () => { act(); screen.pane.focus({ preventScroll: true }); }, ...more }, label);
    const marking = screen.mode === "document" ? [] : [
      button("Highlight", () => screen.highlight(), "h"), button("Remove", () => screen.unhighlight(), "u"), button("Entry point", () => screen.bep(), "b")];
    this.done = button("Finish", () => screen.finish(), "f", { class: "button strong" });
    this.tap = el("button", { class: "button", type: "button", "aria-pressed": "false", title: "tap the first sentence, then the last", onclick: () => {
      screen.tapping = !screen.tapping; this.tap.setAttribute("aria-pressed", String(Boolean(screen.tapping)));
    } }, "Tap");
    this.unit = el("select", { "aria-label": "Selection unit", onchange: () => screen.setUnit(this.unit.value) }, ...UNITS.map((one) => el("option", { value: one }, one)));
    this.saved = el("span", { class: "saved" }, "");
    this.statusWord = el("strong", {});
    this.blocked = el("span", { class: "blocked", role: "alert" });
    this.reading = el("span", { class: "optional", title: "time spent on this document, without pauses" });
    const here = screen.pool.documents.findIndex((one) => one.number === screen.number) + 1;
    return el("footer", { class: "bottom" }, el("div", { class: "acts", role: "group", "aria-label": "Actions" }, ...marking, button("Nothing relevant", () => screen.nothing(), "0"), this.done,
      button("Undo", () => screen.undo(), "z"), button("Redo", () => screen.redo(), "Z"),
      button("Skip", () => screen.skip(), "s"), matchMedia("(pointer: coarse)").matches ? this.tap : null,
      screen.view.support.length ? button("Retrieved", () => this.toggleSupport(), "p") : null,
      button("Next", () => screen.next(), "3")),
      el("span", { class: "status" }, this.blocked, this.statusWord, el("span", {}, `${here} of ${screen.pool.documents.length}`), this.reading, this.unit, this.saved));
  }

  saving({ waiting, age, problem }) {
    if (!this.saved || !waiting) { if (this.saved) this.saved.className = "saved"; return; }
    this.saved.className = age > 10 ? "saved red" : age > 2 ? "saved amber" : "saved";
    const why = problem && age > 2 ? `: ${problem}` : "";
    this.saved.textContent = age > 10 ? `${waiting} unsaved${why}. Keep this tab open` : age > 0.5 ? `${waiting} unsaved${why}` : "saving";
  }
  timed(seconds) { this.reading.textContent = seconds < 60 ? "" : `${Math.floor(seconds / 60)} min`; }
  savedNow() { this.saved.className = "saved"; this.saved.textContent = `saved ${new Date().toLocaleTimeString([], { hour12: false })}`; }

  tell(text, ...more) { this.told.replaceChildren(text, ...more); this.told.hidden = false; }
  selection() {}

  changes(spans, entry) { // marks and lists the changes of another window
    const { screen } = this;
    const jump = ([s, e]) => el("li", {}, el("button", { class: "jump", type: "button", dir: "auto", onclick: () => screen.select([s, e]) }, `${screen.text.slice(s, Math.min(e, s + 60)).replace(/\s+/g, " ").trim()}${e - s > 60 ? "…" : ""}`));
    this.tell(`${this.told.textContent}. Changes are marked in the text${entry ? "; the entry point has changed" : ""}:`, el("ul", { class: "marks" }, ...spans.slice(0, 20).map(jump)));
  }

  // Update after a change ------------------------------------------------------------------------

  update() {
    const { screen } = this, { state } = screen;
    const spans = highlighted(state);
    this.statusWord.textContent = { new: "new", open: "opened", touched: "in progress", done: "finished", skipped: `skipped: ${state.reason}` }[state.status];
    this.done.textContent = state.status === "done" ? "Reopen" : "Finish";
    const left = state.status === "done" ? [] : inconsistencies(state, screen.mode, screen.view.paths);
    this.done.setAttribute("aria-disabled", String(left.length > 0));
    this.blocked.textContent = screen.problem || (spans.length ? left[0] ?? "" : "");
    this.unit.value = screen.unit;
    if (document.activeElement !== this.noteField) this.noteField.value = state.note;
    this.showExtra();
    if (!this.later) this.later = requestAnimationFrame(() => setTimeout(() => this.catchUp())); // after the text is drawn
  }

  catchUp() {
    this.later = 0;
    const spans = highlighted(this.screen.state);
    this.listMarks();
    let at = 0;
    this.heads.forEach(({ made, start }, row) => {
      const next = this.heads[row + 1]?.start ?? this.screen.view.chars;
      while (at < spans.length && spans[at][1] <= start) at += 1;
      made.classList.toggle("marked", at < spans.length && spans[at][0] < next);
    });
    this.showStrip(spans);
  }

  listMarks() {
    const { screen } = this;
    const every = Object.entries(screen.state.layers).flatMap(([layer, spans]) => spans.map(([start, end]) => ({ layer, start, end }))).sort((a, b) => a.start - b.start);
    this.marksTitle.textContent = every.length ? `My highlights (${every.length})` : "My highlights";
    const some = every.slice(0, 100).map(({ layer, start, end }) => {
      const words = screen.text.slice(start, Math.min(end, start + 80)).replace(/\s+/g, " ").trim();
      const label = screen.mode === "aspects" ? `${layer}: ` : "";
      return el("li", {}, el("button", { class: "jump", type: "button", dir: "auto", onclick: () => { screen.select([start, end]); screen.pane.focus({ preventScroll: true }); } },
        `${label}${words}${end - start > 80 ? "…" : ""} `, el("span", { class: "small", dir: "ltr" }, `${end - start} characters`)),
      el("button", { class: "button remove", type: "button", "aria-label": `Remove highlight: ${words.slice(0, 30)}`, onclick: () => { screen.act({ kind: "remove", layer, start, end }, "highlight removed"); screen.pane.focus({ preventScroll: true }); } }, "×"));
    });
    const bep = screen.state.bep;
    if (bep !== null) some.unshift(el("li", {}, el("button", { class: "jump entry", type: "button", onclick: () => screen.select([bep, bep]) }, "Entry point ", el("span", { class: "small" }, `at character ${bep}`)),
      el("button", { class: "button remove", type: "button", "aria-label": "Remove entry point", onclick: () => { screen.unbep(); screen.pane.focus({ preventScroll: true }); } }, "×")));
    if (every.length > 100) some.push(el("li", { class: "small" }, `and ${every.length - 100} more`));
    if (!some.length) some.push(el("li", { class: "small" }, "No highlights. Select text, then choose Highlight (h)."));
    this.marks.replaceChildren(...some);
  }

  showStrip(spans = highlighted(this.screen.state)) {
    const { chars } = this.screen.view;
    const piece = (start, end, kind) => {
      const made = el("i", { class: kind });
      made.style.top = `${(100 * start) / chars}%`;
      made.style.height = `${(100 * (end - start)) / chars}%`;
      return made;
    };
    const { bep } = this.screen.state;
    const lanes = (this.judged ?? []).flatMap((some, i) => some.slice(0, 300).map(([s, e]) => {
      const made = piece(s, e, `lane lane-${i % 6}`);
      made.style.right = `${0.6 + 0.4 * i}rem`;
      return made;
    }));
    this.strip.replaceChildren(...lanes, ...spans.slice(0, 300).map(([s, e]) => piece(s, e, "")), ...this.words.hits.slice(0, 100).map(([s, e]) => piece(s, e, "hit")), ...(bep === null ? [] : [piece(bep, bep, "bep")]));
  }

  showExtra() { // grades, aspects, exhaustivity
    const { screen } = this, { mode, state } = screen;
    const inside = this.extra.contains(document.activeElement), focused = document.activeElement;
    if (mode === "grades" || mode === "document") {
      this.extra.replaceChildren(el("fieldset", { class: "grades" }, el("legend", {}, "Grade of the document"), ...[0, 1, 2, 3].map((value) =>
        el("button", { class: "button", type: "button", "aria-pressed": String(state.grade === value), onclick: () => screen.grade(value) }, String(value)))));
    } else if (mode === "aspects") {
      this.extra.replaceChildren(el("fieldset", { class: "grades" }, el("legend", {}, "Aspect to highlight"), ...screen.me.aspects.map((name, i) =>
        el("button", { class: "button", type: "button", "aria-pressed": String(screen.layer === name), onclick: () => screen.aspect(i + 1) }, name))));
    } else if (mode === "exhaustivity") {
      this.extra.replaceChildren(...this.exhaustivity());
    }
    if (!inside) return; // keep the focus of the keyboard
    const same = (one) => one.name === focused.name && one.value === focused.value && one.textContent === focused.textContent;
    (Array.from(this.extra.querySelectorAll("button, input")).find(same) ?? screen.pane).focus({ preventScroll: true });
  }

  exhaustivity() {
    const { screen } = this;
    const every = assess(screen.state, screen.view.paths), grades = saidOf(screen.state, every);
    const open = every.map(([path]) => !grades(path));
    const first = open.indexOf(true), from = this.from < every.length ? this.from : 0;
    const turned = (label, to) => (to === from || to < 0 || to >= every.length ? null
      : el("button", { class: "button", type: "button", onclick: () => { this.from = to; this.showExtra(); } }, label));
    const pages = every.length > ELEMENTS && el("p", { class: "grades" }, turned(`Previous ${ELEMENTS}`, from - ELEMENTS), turned(`Next ${ELEMENTS}`, from + ELEMENTS),
      turned("First unassessed", first - (first % ELEMENTS)));
    return [el("h2", {}, every.length ? `Exhaustivity: ${open.filter(Boolean).length} of ${every.length} unassessed` : "Exhaustivity"), pages || "", ...every.slice(from, from + ELEMENTS).map(([path, whole], row) => {
      const now = grades(path);
      const option = (value, label) => {
        const input = el("input", { type: "radio", name: `exh-${row}`, value, onchange: () => screen.act({ kind: "exh", layer: path, value: String(value) }) });
        input.checked = now === value;
        return el("label", {}, input, ` ${label}`);
      };
      return el("fieldset", { class: "exh" }, el("legend", {}, path), option(2, "high"), option(1, "some"), whole ? null : option(-1, "too small"));
    })];
  }

  // Support, skipping, assessors --------------------------------------------------------------

  toggleSupport() {
    this.supportShown = !this.supportShown;
    if (this.supportShown) this.screen.act({ kind: "show", value: "support" });
    this.screen.painter.paint("support", this.supportShown ? this.screen.view.support.filter(([s, e]) => e > s && e <= this.screen.view.chars) : []);
    say(this.supportShown ? "retrieved parts shown" : "retrieved parts hidden");
  }

  askReason() {
    const { screen } = this;
    const finish = (reason) => { dialog.close(); if (screen.act({ kind: "skip", value: reason }, "skipped")) screen.nextUnjudged(); };
    const own = el("input", { type: "text", "aria-label": "Another reason", maxlength: "1000", placeholder: "another reason" });
    const dialog = el("dialog", { "aria-label": "Why skip this document?", onclose: () => dialog.remove() }, el("h2", {}, "Why skip this document?"),
      el("div", { class: "choices" }, ...REASONS.map((reason) => el("button", { class: "button", type: "button", onclick: () => finish(reason) }, reason))),
      el("div", { class: "between" }, own, el("button", { class: "button strong", type: "button", onclick: () => { if (own.value.trim()) finish(own.value.trim()); } }, "Skip")),
      el("p", {}, el("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel")));
    document.body.append(dialog);
    dialog.showModal();
  }

  dispute(by) { // for the adjudicator: disputes in order of their size
    const all = this.disputed ?? [];
    if (!all.length) return false;
    this.disputing = ((this.disputing ?? (by > 0 ? -1 : all.length)) + by + all.length) % all.length;
    this.screen.arrive(all[this.disputing].slice());
    return true;
  }

  async compare() {
    const { screen } = this;
    const { status, content } = await api(`/api/t/${screen.topic}/d/${screen.number}/compare`);
    if (status !== 200) { this.tell(content.error); return; }
    if (screen.abort.signal.aborted) return;
    const people = content.judges.filter((one) => one.status === "done"); // without assessors who skipped it
    const skipped = content.judges.filter((one) => one.status === "skipped").map((one) => el("p", { class: "small" }, `${one.judge} skipped this document: ${one.reason}`));
    if (!people.length) { this.lanes.replaceChildren(el("h2", {}, "Assessors"), ...skipped); return; }
    const sets = people.map((one) => highlighted(one));
    screen.painter.each("judge", 6, sets);
    this.judged = sets; // drawn as lanes at the margin
    this.lanes.parentElement.style.paddingInlineEnd = `${1 + 0.4 * Math.min(6, sets.length)}rem`;
    this.showStrip();
    const voted = (need) => (some) => { // text highlighted by at least so many assessors
      const cuts = [...new Set(some.flat(2))].sort((a, b) => a - b);
      return cuts.slice(1).map((end, i) => [cuts[i], end]).filter(([s, e]) => some.filter((one) => one.some(([a, b]) => a <= s && e <= b)).length >= need).reduce((all, [s, e]) => added(all, s, e), []);
    };
    const union = voted(1), common = voted(sets.length), most = voted(Math.floor(sets.length / 2) + 1);
    const layers = [...new Set(people.flatMap((one) => Object.keys(one.layers)))];
    const disagreements = layers.flatMap((name) => disputes(people, name)).sort((a, b) => b.end - b.start - (a.end - a.start));
    this.disputed = disagreements.map(({ start, end }) => [start, end]);
    const each = (together) => Object.fromEntries(layers.map((name) => [name, together(people.map((one) => (Object.hasOwn(one.layers, name) ? one.layers[name] : [])))]));
    const grades = people.map((one) => one.grade).filter((one) => one !== null).sort();
    const middle = grades[grades.length >> 1] ?? null;
    const take = (whose, wanted, bep = null, grade = middle, exhaustivity = {}) => () => {
      if (screen.view.frozen || screen.view.closed) { say("this document cannot be judged"); return; }
      for (const [layer, spans] of Object.entries(screen.state.layers)) for (const [start, end] of spans) screen.act({ kind: "remove", layer, start, end });
      for (const [layer, spans] of Object.entries(wanted)) for (const [start, end] of spans) screen.act({ kind: "add", layer, start, end, value: whose }); // the log records the source
      const first = highlighted(screen.state)[0]?.[0];
      if (first !== undefined) screen.act({ kind: "bep", start: bep ?? first });
      else if (screen.state.bep !== null) screen.act({ kind: "unbep" });
      const value = first === undefined && screen.mode === "grades" ? null : grade; // nothing highlighted, no grade
      if (screen.state.grade !== value) screen.act({ kind: "grade", value: value === null ? "" : String(value) });
      for (const [path, one] of Object.entries(exhaustivity).sort(([a], [b]) => a.length - b.length)) screen.act({ kind: "exh", layer: path, value: String(one) });
      say("applied");
    };
    const button = (label, act) => el("button", { class: "button", type: "button", onclick: act }, label);
    const name = (one, i) => el("span", { class: "lane-name" }, el("i", { class: `swatch lane-${i % 6}`, "aria-hidden": "true" }), ` ${one.judge}${one.grade === null ? "" : `: grade ${one.grade}`}`);
    const same = (part) => new Set(people.map((one) => one[part])).size === 1;
    const apart = [["grade", "on the grade"], ["bep", "on the entry point"]].filter(([part]) => !same(part)).map(([, words]) => words).join(" and ");
    this.lanes.replaceChildren(el("h2", {}, "Assessors"), el("p", { class: "grades small" }, ...people.map(name)), ...skipped, el("div", { class: "grades" }, ...people.map((one) => button(`Take ${one.judge}`, take(one.judge, one.layers, one.bep, one.grade, one.exhaustivity))),
      button("Union", take("union", each(union))), button("Intersection", take("intersection", each(common))), button("Majority", take("majority", each(most)))),
    el("h2", {}, disagreements.length ? `${disagreements.length} ${disagreements.length === 1 ? "passage" : "passages"} in dispute` : apart ? `The assessors disagree ${apart}` : "The assessors agree"),
    el("ul", { class: "marks" }, ...disagreements.slice(0, 50).map(({ start, end, layer, who }) => el("li", {}, el("button", { class: "jump", type: "button", onclick: () => screen.select([start, end]) },
      `${screen.mode === "aspects" ? `${layer}: ` : ""}${screen.text.slice(start, Math.min(end, start + 60)).replace(/\s+/g, " ")} `, el("span", { class: "small" }, `${end - start} characters, only ${who.join(", ")}`))))),
    ...people.filter((one) => one.note).map((one) => el("p", { class: "small" }, `${one.judge}: ${one.note}`)));
  }
}

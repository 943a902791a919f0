// Movement in a document by keys: cursor units, highlights and their ends, keyword matches.

import { highlighted } from "./fold.js";
import { say, settings } from "./app.js";
import { span } from "./text.js";

export const UNITS = ["letter", "word", "sentence", "block"];

export const moving = { // methods of a document's screen
  step(unit, by, extend) {
    const from = this.cursor ?? (this.here() === null ? null : [this.here(), this.here()]);
    const current = from ? span(from, this.view.chars, false) : null;
    const next = !current ? this.text.unit(0, unit) : current[0] === current[1] && !extend && by > 0 ? this.text.unit(current[0], unit)
      : this.text.step(by > 0 ? Math.max(current[0], current[1] - 1) : current[0], unit, by);
    if (!extend || !current) { this.anchor = null; this.arrive(next); return; }
    this.anchor ??= current;
    const all = [...this.anchor, ...next];
    this.arrive([Math.min(...all), Math.max(...all)]);
  },
  words() { // the text of the span at the cursor, for screen readers
    const [start, end] = span(this.cursor ?? [0, 0], this.view.chars, false);
    return this.text.slice(start, Math.min(end, start + 200)).replace(/\s+/g, " ").trim();
  },
  arrive(range) { this.select(range); say(this.words()); },
  nextUnit() { this.setUnit(UNITS[(UNITS.indexOf(this.unit) + 1) % UNITS.length]); },
  setUnit(unit) { this.unit = unit; this.exact = false; settings.set("unit", unit); this.panels.update(); say(`unit: ${unit}`); this.onselection(); },
  move(unit, by, extend) { // the text cursor; cursor[1] is the end that moves
    const [anchor, focus] = this.cursor ?? [0, 0];
    const { made } = this.text.nodes[this.text.at(focus)];
    if ((unit === "letter" || unit === "word") && getComputedStyle(made).direction === "rtl") by = -by; // arrows follow the direction of writing
    let to = focus;
    if (unit === "letter") to = focus + by;
    else if (unit === "word") { const [s, e] = this.text.step(focus, "word", by); to = by > 0 ? e : s; }
    else if (unit === "edge") { const one = this.text.nodes[this.text.at(focus)]; to = by > 0 ? one.end : one.start; }
    else to = this.line(focus, by) ?? this.text.step(focus, "block", by)[0];
    to = Math.max(0, Math.min(this.view.chars, to));
    this.select(extend ? [anchor, to] : [to, to]);
  },

  line(from, by) { // the position a line above or below, if it is visible
    const box = this.text.live(from, Math.min(from + 1, this.view.chars)).getClientRects()[0];
    for (let far = 0.5; box && far < 4; far += 0.5) {
      const place = document.caretPositionFromPoint?.(box.left + 1, by > 0 ? box.bottom + far * box.height : box.top - far * box.height);
      const to = place && this.pane.contains(place.offsetNode) ? this.text.position(place.offsetNode, place.offset) : null;
      if (to !== null && (to - from) * by > 0) return to;
    }
    return null;
  },

  tab(by, event) {
    if (event.target !== this.pane) return false;
    const spans = highlighted(this.state), here = this.here() ?? (by > 0 ? -1 : this.view.chars);
    const found = by > 0 ? spans.find(([start]) => start > here) : spans.findLast(([start]) => start < here);
    if (!found) return false;
    this.arrive(found);
    return true;
  },

  edge(which, by) { // of the highlight at the cursor
    const here = this.here();
    const found = (this.state.layers[this.layer] ?? []).find(([start, end]) => here !== null && start <= here && here < end);
    if (!found) { say("no highlight at the cursor"); return; }
    const [start, end] = found;
    const unit = this.unit;
    const at = which === "end" ? end : start;
    const unitAt = (position) => this.text.unit(Math.max(0, Math.min(position, this.view.chars - 1)), unit);
    const to = by > 0 ? (unitAt(at)[1] > at ? unitAt(at)[1] : this.text.step(at, unit, 1)[1]) : (unitAt(at - 1)[0] < at ? unitAt(at - 1)[0] : this.text.step(at, unit, -1)[0]);
    const grows = (which === "end") === (by > 0);
    const change = [Math.min(at, to), Math.max(at, to)];
    if (change[0] === change[1]) return;
    if (!this.act({ kind: grows ? "add" : "remove", layer: this.layer, start: change[0], end: change[1] })) return;
    const now = (this.state.layers[this.layer] ?? []).find(([s, e]) => s < end && e > start);
    if (now) this.select(now);
    say(now ? `highlight is now: ${this.words()}` : "highlight removed");
  },
  toggleCaret() { this.caret = !this.caret; if (this.caret && !this.cursor) this.select([0, 0]); say(`text cursor ${this.caret ? "on" : "off"}`); this.panels.update(); },
  keywordOn() { this.jump(this.panels.words.hits, 1); },
  keywordBack() { this.jump(this.panels.words.hits, -1); },
  jump(hits, by) {
    const here = this.here() ?? (by > 0 ? -1 : this.view.chars);
    const found = by > 0 ? hits.find(([start]) => start > here) ?? hits[0] : hits.findLast(([start]) => start < here) ?? hits.at(-1);
    if (found) this.arrive(found); else say("no match");
  },
};

// Gestures that differ in a unit and a direction.
for (const unit of ["block", "sentence"]) {
  for (const [way, by] of [["On", 1], ["Back", -1]]) {
    moving[`${unit}${way}`] = function () { if (unit !== "block" || !this.panels.dispute(by)) this.step(unit, by, false); };
    moving[`${unit}${way}Extend`] = function () { this.step(unit, by, true); };
    for (const which of ["start", "end"]) moving[`${which}${way}`] = function () { this.edge(which, by); };
  }
}

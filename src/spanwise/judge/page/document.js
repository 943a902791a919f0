// The screen of a document: its text, its events, and all gestures.

import { el, got, gotPool, go, link, page, say, session, settings } from "./app.js";
import { added, applied, folded, highlighted, inconsistencies, key, redoable, removed, undoable } from "./fold.js";
import { gestureOf } from "./keys.js";
import * as outbox from "./outbox.js";
import { Painter } from "./paint.js";
import { Panels } from "./panels.js";
import { header } from "./screens.js";
import { moving } from "./moving.js";
import { check, span, Text } from "./text.js";

const RELEVANT = "relevant", PAUSE = 120_000, READ_FIRST = 32; // characters checked at an entry point, as on the server

export async function documentScreen(topic, number) {
  const before = outbox.pending(topic, number);
  const [pool, view] = await Promise.all([gotPool(topic), got(`/api/t/${topic}/d/${number}`)]);
  view.pending = [...new Set([...before, ...outbox.pending(topic, number)])]; // include events that are not stored yet
  const screen = new DocumentScreen(topic, number, pool, view);
  screen.open();
  return () => screen.close();
}

export class DocumentScreen {
  constructor(topic, number, pool, view) {
    Object.assign(this, { topic, number, pool, view });
    this.me = session.me;
    this.mode = this.me.mode;
    const known = new Set(view.events.map(key));
    this.events = [...view.events, ...(view.pending ?? []).filter((one) => !known.has(key(one)))];
    this.state = folded(this.events);
    // Number up to which all events are known. Own events do not raise it: events of other windows
    // with lower numbers may not have arrived yet.
    this.seen = view.events.reduce((most, one) => Math.max(most, one.seq), 0);
    this.layer = this.mode === "aspects" ? this.me.aspects[0] : RELEVANT;
    this.unit = settings.get("unit", "word");
    this.cursor = null; // a span [start, end], whose end moves
    this.caret = false;
    this.proposed = false;
    this.problem = "";
    this.digests = Promise.resolve();
    this.lost = []; // events whose redo was rejected
    this.abort = new AbortController();
  }

  open() {
    this.text = new Text(this.view);
    this.pane = el("div", { class: "text", tabindex: "0", role: "document", "aria-label": `Text of ${this.view.id}` });
    this.text.render(this.pane);
    this.painter = new Painter(this.text);
    this.panels = new Panels(this);
    this.flag = el("div", { class: "flag", hidden: true, "aria-hidden": "true" }, "BEP");
    this.pane.append(this.flag);
    page().replaceChildren(
      header(this.above(), el("span", { "aria-current": "page" }, this.view.id)),
      el("div", { class: "desk" },
        this.panels.outline(), el("main", { class: "reading" }, el("h1", { class: "unseen" }, this.view.id), this.pane), this.panels.side()),
      this.panels.strip, this.panels.bottom());
    document.title = `${this.view.id} – ${this.pool.topic.title ?? this.pool.id}`;
    const signal = this.abort.signal;
    document.addEventListener("keydown", (event) => this.onkey(event), { signal });
    document.addEventListener("selectionchange", () => this.onselection(), { signal });
    for (const kind of ["pointerdown", "pointermove", "pointerup"]) this.pane.addEventListener(kind, (event) => this.onpointer(event), { signal });
    this.pane.addEventListener("click", (event) => this.onclick(event), { signal });
    const replace = () => requestAnimationFrame(() => requestAnimationFrame(() => this.placeFlag()));
    for (const kind of ["resize", "scroll"]) addEventListener(kind, replace, { signal, passive: true });
    addEventListener("focus", () => this.refresh(), { signal });
    outbox.listen("ack", (event, seq) => this.acknowledged(event, seq));
    outbox.listen("refused", (event, error) => this.refused(event, error));
    outbox.listen("status", (status) => this.panels.saving(status));
    outbox.listen("changed", (what) => { if (what.topic === this.topic && what.doc === this.number) this.refresh(); });
    this.begun = { at: Date.now(), seconds: this.view.seconds ?? 0 }; // time while the window is visible and used
    this.clock = setInterval(() => this.tick(), 1000);
    for (const kind of ["pointermove", "keydown", "wheel", "touchmove"]) addEventListener(kind, () => { this.awake = Date.now(); }, { signal, passive: true });
    this.poll = setInterval(() => { if (!document.hidden) this.refresh(); }, 4000);
    if (!this.events.length && !this.view.frozen && !this.view.closed) this.act({ kind: "open" });
    if (this.view.closed) this.panels.tell("This topic is closed. Documents can be read but not judged.");
    if (this.view.frozen) this.panels.tell("The text of this document has changed since the pool was made. It can be read but not judged.");
    if (this.me.role === "adjudicator") this.panels.compare().catch((error) => this.panels.tell(error.message));
    this.update();
    replace(); // positions are known only after drawing
    this.pane.focus({ preventScroll: true });
    const at = location.hash.match(/^#s=(\d+)-(\d+)$/) ?? location.search.match(/^\?at=(\d+)$/);
    if (at) this.select([at[1], at[2] ?? at[1]].map((place) => Math.min(Number(place), this.view.chars)));
  }

  tick() {
    if (!document.hidden && Date.now() - (this.awake ?? this.begun.at) < PAUSE) this.begun.seconds += 1;
    this.panels.timed(this.begun.seconds);
  }

  above() { return link(`/t/${this.topic}`, {}, this.pool.topic.title ?? this.pool.id); }

  close() {
    this.panels.keepNote();
    clearInterval(this.poll);
    clearInterval(this.clock);
    this.abort.abort();
    for (const kind of ["ack", "refused", "changed"]) outbox.listen(kind, () => false);
  }

  // Events ------------------------------------------------------------------------------------

  act(gesture, words) { // words: announced to screen readers on success
    if (this.view.frozen || this.view.closed) { say("this document cannot be judged"); return false; }
    const event = this.named(gesture);
    this.events.push(event);
    const finished = this.state.status === "done" && event.kind !== "reopen";
    this.state = event.kind === "undo" || event.kind === "redo" ? folded(this.events) : applied(this.state, event);
    if (event.kind === "open") this.state = folded(this.events);
    this.problem = finished && this.state.status === "touched" ? "the document was changed after it was finished; finish it again" : "";
    this.proposed = false;
    this.digests = this.digests.then(async () => {
      if (event.kind === "add" || event.kind === "remove") event.check = await check(this.text.slice(event.start, event.end));
      if (event.kind === "bep") event.check = await check(this.text.slice(event.start, Math.min(event.start + READ_FIRST, this.view.chars)));
      this.keep(event);
    });
    this.painter.paint("changed", []);
    this.update();
    if (words) say(words);
    return true;
  }

  named(gesture) { return outbox.next({ topic: this.topic, doc: this.number, base: this.seen, ...gesture }); }
  keep(event) { outbox.store(event); }

  acknowledged(event, seq) {
    const mine = this.events.find((one) => key(one) === key(event));
    if (mine) { mine.seq = seq; this.inOrder(false); }
    this.panels.savedNow();
  }

  refused(event, error) {
    if (event.topic !== this.topic || event.doc !== this.number) return false;
    this.events = this.events.filter((one) => key(one) !== key(event));
    if (event.kind === "redo") this.lost.push(event.value);
    this.state = folded(this.events);
    this.problem = error;
    this.panels.tell(`Rejected: ${error}`);
    say(`rejected: ${error}`);
    this.update();
    this.refresh().then(() => { if (event.kind === "done" || event.kind === "redo") this.differences(event.base); });
    return true;
  }

  differences(base) { // shows changes of other windows that this one had not received
    const seen = folded(this.events.filter((one) => (one.seq ?? 0) <= base || one.client === outbox.clientName));
    const was = highlighted(seen), now = highlighted(this.state), without = (some, others) => others.reduce((rest, [s, e]) => removed(rest, s, e), some);
    const changed = without(was, now).reduce((all, [s, e]) => added(all, s, e), without(now, was));
    this.painter.paint("changed", changed);
    if (changed.length || seen.bep !== this.state.bep) this.panels.changes(changed, seen.bep !== this.state.bep);
  }

  async refresh() { // fetches events of other windows; the log's order counts
    let answer;
    try { answer = await got(`/api/t/${this.topic}/d/${this.number}/events?since=${this.seen}`); } catch { return; }
    const known = new Map(this.events.map((one) => [key(one), one]));
    let fresh = false;
    for (const one of answer.newer) {
      this.seen = Math.max(this.seen, one.seq);
      const mine = known.get(key(one));
      if (mine) mine.seq = one.seq; else { this.events.push(one); fresh = true; }
    }
    this.inOrder(fresh);
  }

  inOrder(fresh) { // events that are not stored yet come last
    const place = (one) => one.seq ?? Number.MAX_SAFE_INTEGER;
    const sorted = this.events.slice().sort((a, b) => place(a) - place(b));
    if (!fresh && sorted.every((one, row) => one === this.events[row])) return;
    this.events = sorted;
    this.state = folded(sorted);
    this.update();
  }

  // Display ------------------------------------------------------------------------------------

  update() {
    session.statuses.set(`${this.topic} ${this.number}`, this.state.status);
    if (this.mode === "aspects") this.painter.each("aspect", 8, this.me.aspects.map((name) => this.state.layers[name] ?? []));
    else this.painter.paint(RELEVANT, this.state.layers[RELEVANT] ?? []);
    this.paintCursor();
    this.placeFlag();
    this.panels.update();
  }

  paintCursor() { this.painter.paint("cursor", this.cursor ? [span(this.cursor, this.view.chars)] : []); }

  placeFlag() {
    const place = this.state.bep ?? (this.proposed ? highlighted(this.state)[0]?.[0] : undefined);
    this.flag.hidden = place === undefined || place === null;
    if (this.flag.hidden) return;
    this.flag.className = this.state.bep === null ? "flag hollow" : "flag";
    const end = Math.min(place + 1, this.view.chars);
    const box = this.text.live(place, end).getClientRects()[0];
    const holder = this.text.nodes[this.text.at(place)].made.getBoundingClientRect();
    this.flag.style.top = `${(box ?? holder).top - this.pane.getBoundingClientRect().top}px`;
  }

  show([start, end]) {
    this.text.unfold(start, end);
    const one = this.text.nodes[this.text.at(start)];
    const box = this.text.live(start, Math.max(start + 1, Math.min(end, start + 200))).getClientRects()[0] ?? one.made.getBoundingClientRect();
    if (box.top < 70 || box.bottom > innerHeight - 90) {
      one.made.scrollIntoView({ block: "nearest" });
      const again = this.text.live(start, start + 1).getClientRects()[0] ?? one.made.getBoundingClientRect();
      scrollBy(0, again.top - innerHeight / 3);
    }
  }

  // Selection ----------------------------------------------------------------------------------

  select(range, { keep = false } = {}) {
    this.cursor = range;
    if (!keep) getSelection().removeAllRanges();
    this.painter.paint("preview", []);
    this.paintCursor();
    if (range) this.show(span(range, this.view.chars));
    this.panels.selection();
  }

  onpointer(event) { // Alt while dragging selects letters
    if (event.type === "pointermove" && !event.buttons) return;
    this.exact = event.altKey;
    if (event.type === "pointerup") this.onselection();
  }
  snapped(range) { return this.text.snapped(range, this.exact ? "letter" : this.unit); }

  onselection() {
    const found = this.text.selected();
    if (!found) { this.painter.paint("preview", []); return; }
    this.cursor = null;
    this.paintCursor();
    const snapped = this.snapped(found);
    this.painter.paint("preview", snapped[0] !== found[0] || snapped[1] !== found[1] ? [snapped] : []);
    this.panels.selection();
  }

  onclick(event) {
    if (!getSelection().isCollapsed) return;
    const place = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    const position = place ? this.text.position(place.offsetNode, place.offset) : null;
    if (position === null) return;
    if (this.tapping) { // first sentence, then last
      const unit = this.text.unit(position, this.unit === "letter" ? "word" : this.unit === "word" ? "sentence" : this.unit);
      this.select(this.tapping === true ? unit : [Math.min(unit[0], this.tapping[0]), Math.max(unit[1], this.tapping[1])]);
      this.tapping = this.tapping === true ? unit : true;
    } else if (event.shiftKey && this.clicked !== undefined) {
      this.select(this.text.snapped([Math.min(position, this.clicked), Math.max(position, this.clicked)], this.unit));
    } else { this.clicked = position; this.select([position, position]); }
    this.panels.selection();
  }

  chosen() { // the selection, else the span of the cursor, else the sentence there
    const selected = this.text.selected();
    if (selected) return this.snapped(selected);
    if (!this.cursor) return null;
    const [start, end] = span(this.cursor, this.view.chars, false);
    return end > start ? [start, end] : this.text.unit(start, "sentence");
  }

  here() { return this.text.selected()?.[0] ?? (this.cursor ? Math.min(...this.cursor) : null); }

  // Gestures -----------------------------------------------------------------------------------

  onkey(event) {
    const inField = event.target.closest?.("input, textarea, select, dialog");
    const found = gestureOf(event, { single: settings.get("keys", true), caret: this.caret, mode: this.mode });
    if (!found || event.isComposing) return;
    const [name, ...more] = found;
    if (inField && name !== "escape") return;
    if (name === "tab" && !this.tab(...more, event)) return;
    if (name !== "tab" && this[name]?.(...more) === false) return;
    if (name !== "escape") event.preventDefault();
  }

  highlight() { this.mark("add"); }
  unhighlight() { this.mark("remove"); }

  mark(kind, range = this.chosen()) {
    if (!range || range[0] >= range[1] || this.mode === "document") { say("select text first"); return; }
    const [start, end] = range;
    const words = this.text.slice(start, end).split(/\s+/).filter(Boolean).length;
    if (!this.act({ kind, layer: this.layer, start, end }, `${kind === "add" ? "highlighted" : "removed"} ${words} ${words === 1 ? "word" : "words"}${this.text.under(start)}`)) return;
    this.text.unfold(start, end);
    getSelection().removeAllRanges();
    this.painter.paint("preview", []);
    if (this.cursor) this.cursor = [start, end];
    this.paintCursor();
  }

  take() {
    if (!this.cursor && !this.text.selected()) this.select(this.text.unit(0, "sentence"));
    const range = this.chosen();
    this.mark("add", range);
    this.select(this.text.step(range[1] - 1, "sentence", 1));
  }

  bep() {
    if (this.mode === "document" || !this.view.chars) { say("no entry point here"); return; }
    const spans = highlighted(this.state);
    const here = this.here();
    if (here === null && !spans.length) { say("select a position first"); return; }
    if (here === null && !this.proposed && this.state.bep === null) {
      this.proposed = true;
      this.placeFlag();
      this.panels.update();
      say("entry point proposed at the first highlight; press b again to set it");
      return;
    }
    const start = Math.min(here ?? spans[0][0], this.view.chars - 1);
    this.act({ kind: "bep", start }, `best entry point set${this.text.under(start)}`);
  }

  unbep() { if (this.state.bep === null) say("there is no entry point"); else this.act({ kind: "unbep" }, "best entry point removed"); }

  finish() {
    if (this.state.status === "done") { this.act({ kind: "reopen" }, "reopened"); return; }
    const left = inconsistencies(this.state, this.mode, this.view.paths);
    if (left.length) { // keeps the bar at the bottom one line high
      this.problem = left.length > 2 ? `${left[0]}; and ${left.length - 1} more` : left.join("; ");
      this.panels.update(); say(`cannot finish: ${this.problem}`); return;
    }
    this.act({ kind: "done" }, "finished");
  }

  nothing() {
    if (this.mode === "document") { this.gradeAndGo(0); return; }
    if (highlighted(this.state).length) { this.problem = "text is highlighted: finish with f"; this.panels.update(); say(this.problem); return; }
    if (this.state.bep !== null) this.act({ kind: "unbep" });
    if (this.state.grade) this.act({ kind: "grade", value: "0" });
    if (this.state.status !== "done" && !this.act({ kind: "done" })) return;
    say("nothing relevant; next document");
    this.nextUnjudged();
  }

  grade(value) { return value <= 3 && (this.mode === "grades" || this.mode === "document") && this.act({ kind: "grade", value: String(value) }, `grade ${value}`); }
  gradeAndGo(value) { if (this.grade(value) && this.act({ kind: "done" })) this.nextUnjudged(); }
  aspect(number) { if (this.me.aspects[number - 1]) { this.layer = this.me.aspects[number - 1]; this.panels.update(); say(`aspect ${this.layer}`); } }

  undo() {
    const one = undoable(this.events);
    if (!one) { say("nothing to undo"); return; }
    this.act({ kind: "undo", value: key(one) }, "undone");
  }

  redo() {
    const name = redoable(this.events, this.lost);
    if (!name) { say("nothing to redo"); return; }
    this.act({ kind: "redo", value: name }, "redone");
  }

  async leaveTo(address) { await this.digests; go(address); }
  neighbour(by, unjudged) {
    const all = this.pool.documents, here = all.findIndex((one) => one.number === this.number);
    for (let at = here + by; at >= 0 && at < all.length; at += by) {
      if (!unjudged || !["done", "skipped"].includes(all[at].status)) return all[at].number;
    }
    return null;
  }
  goTo(number) { if (number === null) { say("no other document"); this.leaveTo(`/t/${this.topic}`); } else this.leaveTo(`/t/${this.topic}/d/${number}`); }
  next() { this.goTo(this.neighbour(1, false)); }
  previous() { this.goTo(this.neighbour(-1, false)); }
  up() { this.leaveTo(`/t/${this.topic}`); }
  async nextUnjudged() { // continues at the start of the list
    await this.digests;
    const place = this.pool.documents.find((one) => one.number === this.number);
    if (place) place.status = this.state.status;
    const ahead = this.neighbour(1, true);
    const left = ahead ?? this.pool.documents.find((one) => one.number !== this.number && !["done", "skipped"].includes(one.status))?.number;
    this.goTo(left ?? null);
  }
  previousUnjudged() { this.goTo(this.neighbour(-1, true)); }
  help() { this.leaveTo("/help"); }

  find() { this.panels.finder.focus(); }
  note() { this.panels.noteField.focus(); }
  topicStatement() { const box = this.panels.topicBox; box.open = !box.open; say(`topic ${box.open ? "shown" : "hidden"}`); }
  support() { this.panels.toggleSupport(); }
  skip() { this.panels.askReason(); }
  escape() { // leaves a dialog or field first, keeping the selection
    const here = document.activeElement, field = here?.closest?.("input, textarea, select");
    if (here?.closest?.("dialog")) return false;
    here?.blur?.();
    this.pane.focus({ preventScroll: true });
    if (field) return false;
    this.tapping = false;
    this.select(null);
    this.painter.paint("find", []);
    return false;
  }
}

Object.assign(DocumentScreen.prototype, moving);

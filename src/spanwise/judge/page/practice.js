// Practice on three short documents with known answers, which are no judgements.

import { api, el, go, got, link, page, say, session } from "./app.js";
import { DocumentScreen } from "./document.js";
import { highlighted, inconsistencies } from "./fold.js";
import { clientName } from "./outbox.js";
import { header } from "./screens.js";

let count = 0, again = false;

export async function practice() {
  const { topic, documents } = await got("/api/practice");
  const next = documents.find((one) => !session.practised.has(one.number) && (again || !one.done));
  if (!next) { over(); return () => {}; }
  const view = { ...next, events: [], support: [], paths: [], frozen: false, closed: false };
  const screen = new Lesson("practice", next.number, { id: "practice", topic, documents }, view);
  screen.open();
  screen.panels.tell(next.hint);
  return () => screen.close();
}

function over() {
  page().replaceChildren(header("Practice"), el("main", { class: "narrow" }, el("h1", {}, "Practice completed"),
    el("p", { class: "lead" }, "You can start judging. Help lists the keys; in a document, press ?."),
    el("p", {}, link("/", { class: "button strong" }, "My topics"), " ",
      el("button", { class: "button", type: "button", onclick: () => { again = true; session.practised.clear(); go("/practice"); } }, "Repeat"))));
  document.title = "Practice – spanwise judge";
}

class Lesson extends DocumentScreen {
  constructor(...all) { super(...all); this.mode = "highlight"; this.layer = "relevant"; }
  above() { return link("/practice", {}, "Practice"); }
  named(gesture) { const n = count++; return { ...gesture, topic: this.topic, doc: this.number, client: "practice", n, seq: n + 1 }; }
  keep() {} // the answer is sent on finishing
  async refresh() {}
  skip() { say("practice documents cannot be skipped"); }
  support() {}

  finish() {
    if (this.answered) { this.goTo(); return; }
    if (!inconsistencies(this.state, this.mode).length) this.answer();
    super.finish();
  }
  nothing() {
    if (this.answered || highlighted(this.state).length) { super.nothing(); return; }
    this.act({ kind: "done" });
    this.answer();
  }

  async answer() {
    this.answered = true;
    const sent = { client: clientName, n: 1e9 + count++, number: this.number, spans: highlighted(this.state), bep: this.state.bep };
    const { status, content } = await api("/api/practice", sent).catch(() => ({ status: 0, content: { error: "the server does not respond" } }));
    if (status !== 200) { this.answered = false; this.act({ kind: "reopen" }); this.panels.tell(`Rejected: ${content.error}`); return; }
    session.practised.add(this.number);
    this.painter.paint("judge-0", content.known);
    const percent = Math.round(100 * content.overlap);
    const words = percent >= 98 ? "Correct." : content.known.length ? `${percent} % correct: relevant text is underlined.` : "Nothing here is relevant.";
    const entry = content.bep === null || content.distance === 0 ? "" : " The correct entry point is the beginning of the first relevant sentence.";
    this.panels.tell(`${words}${entry} Continue with Next (3).`);
    say(`${words}${entry}`);
  }

  goTo() { if (this.answered) this.leaveTo("/practice"); else this.panels.tell("Finish this document first: press f, or 0 if nothing is relevant."); }
  up() { this.leaveTo("/"); }
}

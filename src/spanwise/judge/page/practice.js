// The tour: three short documents with known answers. Nothing of it is a judgement.

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
  page().replaceChildren(header("Practice"), el("main", { class: "narrow" }, el("h1", {}, "That was the practice"),
    el("p", { class: "lead" }, "Now you know all that is needed. The keys are under Help, or press ? in a document."),
    el("p", {}, link("/", { class: "button strong" }, "To my topics"), " ",
      el("button", { class: "button", type: "button", onclick: () => { again = true; session.practised.clear(); go("/practice"); } }, "Once more"))));
  document.title = "Practice – spanwise judge";
}

class Lesson extends DocumentScreen {
  constructor(...all) { super(...all); this.mode = "highlight"; this.layer = "relevant"; }
  above() { return link("/practice", {}, "Practice"); }
  named(gesture) { const n = count++; return { ...gesture, topic: this.topic, doc: this.number, client: "practice", n, seq: n + 1 }; }
  keep() {} // the answer is sent when it is finished
  async refresh() {}
  skip() { say("nothing is skipped in the practice"); }
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
    const { status, content } = await api("/api/practice", sent).catch(() => ({ status: 0, content: { error: "the server does not answer" } }));
    if (status !== 200) { this.answered = false; this.act({ kind: "reopen" }); this.panels.tell(`Not taken: ${content.error}`); return; }
    session.practised.add(this.number);
    this.painter.paint("judge-0", content.known);
    const percent = Math.round(100 * content.overlap);
    const words = percent >= 98 ? "Right." : content.known.length ? `${percent} % as it was meant: what is relevant is underlined.` : "Nothing here is relevant.";
    const entry = content.bep === null || content.distance === 0 ? "" : " The entry point was meant at the beginning of the first relevant sentence.";
    this.panels.tell(`${words}${entry} Go on with Next (3).`);
    say(`${words}${entry}`);
  }

  goTo() { if (this.answered) this.leaveTo("/practice"); else this.panels.tell("Finish this one first: f, or 0 if nothing is relevant."); }
  up() { this.leaveTo("/"); }
}

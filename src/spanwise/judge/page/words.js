// Keywords: each line is a group of words or a regular expression, with its own style.

import { api, el, settings } from "./app.js";
import { KEYWORDS } from "./paint.js";

const literal = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\\\*/g, "\\p{L}*");

export class Words {
  constructor(screen) {
    this.screen = screen;
    this.hits = [];
    this.turn = 0;
    this.key = `words.${screen.me.store}.${screen.pool.id}`;
    this.field = el("textarea", { id: "words", rows: "3", dir: "auto", "aria-describedby": "words-said", onchange: () => { settings.set(this.key, this.field.value); this.colour(); } });
    this.field.value = this.kept();
    this.wrong = el("p", { class: "small wrong", role: "status" });
  }

  section() {
    return el("section", {}, el("h2", {}, el("label", { for: "words" }, "Keywords")), this.field, this.wrong,
      el("p", { class: "small", id: "words-said" }, "Keywords are underlined in the text; each line has its own style. Separate words with commas; * matches any letters; a line between slashes is a regular expression."));
  }

  kept() { // the saved keywords, else those of the topic
    const saved = settings.get(this.key, null);
    if (saved !== null) return saved;
    const { title = "", ontopic_keywords: on = "", keywords = "" } = this.screen.pool.topic;
    const words = (text) => [...new Set(text.split(/[\s,;"']+/).filter((one) => one.length > 3))].join(", ");
    return [words(title), words(`${on} ${keywords}`)].filter(Boolean).join("\n");
  }

  async colour() {
    const mine = ++this.turn, lines = this.field.value.split("\n"), wrong = [];
    const spans = await Promise.all(lines.map((line, row) => this.found(line.trim()).catch((error) => { wrong.push(`Line ${row + 1}: ${error.message}`); return []; })));
    if (mine !== this.turn || this.screen.abort.signal.aborted) return;
    KEYWORDS.forEach((name, style) => this.screen.painter.paint(name, spans.filter((_, row) => row % KEYWORDS.length === style).flat()));
    this.hits = spans.flat().sort((a, b) => a[0] - b[0]);
    this.wrong.textContent = wrong.join(" ");
    this.screen.panels.showStrip();
  }

  async found(line) {
    const pattern = line.match(/^\/(.+)\/$/)?.[1];
    if (pattern) { // matched by the server, which can stop slow expressions
      const { status, content } = await api(`/api/t/${this.screen.topic}/d/${this.screen.number}/matches`, { pattern });
      if (status !== 200) throw new Error(content.error);
      return content.spans;
    }
    const parts = line.split(",").map((one) => one.trim()).filter(Boolean).map(literal);
    return parts.length ? this.screen.text.find(new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join("|")})(?![\\p{L}\\p{N}])`, "giu")) : [];
  }
}

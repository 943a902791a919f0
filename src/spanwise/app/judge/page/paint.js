// Colour without touching the text: the browser's own highlights, one for each layer.

const LAYERS = { relevant: 1, support: 2, keyword: 3, find: 4, preview: 5, cursor: 6 };
const aspects = Array.from({ length: 8 }, (_, i) => `aspect-${i}`);
const judges = Array.from({ length: 6 }, (_, i) => `judge-${i}`);
export const able = typeof CSS !== "undefined" && "highlights" in CSS;

export class Painter {
  constructor(text) {
    this.text = text;
    for (const name of [...Object.keys(LAYERS), ...aspects, ...judges]) this.clear(name);
  }

  clear(name) { if (able) CSS.highlights.delete(name); }

  paint(name, spans) {
    if (!able) return;
    if (!spans.length || !this.text.nodes.length) { this.clear(name); return; }
    const made = new Highlight(...spans.map(([start, end]) => this.text.range(start, end)));
    made.priority = LAYERS[name] ?? 2;
    made.type = "highlight";
    CSS.highlights.set(name, made);
  }
}

// Colours by the browser's CSS highlights, one for each layer; the text is not changed.

export const KEYWORDS = ["keyword", "keyword-1", "keyword-2", "keyword-3"];
const LAYERS = { relevant: 1, support: 2, ...Object.fromEntries(KEYWORDS.map((name) => [name, 3])), changed: 4, find: 4, preview: 5, cursor: 6 };
const aspects = Array.from({ length: 8 }, (_, i) => `aspect-${i}`);
const judges = Array.from({ length: 6 }, (_, i) => `judge-${i}`);
export const able = typeof CSS !== "undefined" && "highlights" in CSS;

export class Painter {
  constructor(text) {
    this.text = text;
    this.known = new Map();
    for (const name of [...Object.keys(LAYERS), ...aspects, ...judges]) this.clear(name);
  }

  clear(name) { if (able && CSS.highlights.has(name)) CSS.highlights.delete(name); }

  each(kind, styles, sets) { // one style for each set; further sets share styles
    for (let i = 0; i < Math.min(styles, sets.length); i++) this.paint(`${kind}-${i}`, sets.filter((_, row) => row % styles === i).flat());
  }

  paint(name, spans) {
    if (!able) return;
    if (!spans.length || !this.text.nodes.length) { this.clear(name); return; }
    const known = this.known.get(name);
    const now = new Map(spans.map(([start, end]) => [`${start}-${end}`, [start, end]]));
    if (known && CSS.highlights.has(name)) { // only changes are drawn
      const made = CSS.highlights.get(name);
      for (const [key, range] of known) if (!now.has(key)) { made.delete(range); known.delete(key); }
      for (const [key, span] of now) if (!known.has(key)) { const range = this.text.range(...span); known.set(key, range); made.add(range); }
      return;
    }
    const ranges = new Map(Array.from(now, ([key, span]) => [key, this.text.range(...span)]));
    const made = new Highlight(...ranges.values());
    made.priority = LAYERS[name] ?? 2;
    made.type = "highlight";
    this.known.set(name, ranges);
    CSS.highlights.set(name, made);
  }
}

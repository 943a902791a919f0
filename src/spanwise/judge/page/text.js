// A document as text nodes, and the mapping between the page and positions in the text.
// Positions count code points; a page counts UTF-16. No text is ever parsed as markup.

import { el } from "./app.js";

const LONG = 3000, GROUP = 10;
const HIDDEN = /(^|:)(teiheader|metadata|bookinfo|articleinfo)$/i; // other front matter stays open

export class Text {
  constructor(view) {
    this.view = view;
    this.nodes = []; // {node, start, end, wide}: wide are the UTF-16 places of astral characters
    this.headings = [];
    this.index = new Map();
    this.words = new Intl.Segmenter(undefined, { granularity: "word" });
    this.sentencer = new Intl.Segmenter(undefined, { granularity: "sentence" });
    this.segments = new Map();
  }

  render(into) {
    const depth = this.depths(), holders = this.holders();
    let group = null, size = 0, inside = into;
    for (const [owner, start, text] of this.view.blocks) {
      if (!text.trim()) continue; // white space between blocks counts but is not shown
      const [, role, name] = this.view.elements[owner], holder = holders[owner] ?? into;
      if (holder !== inside) { inside = holder; group = null; if (holder !== into) into.append(holder); }
      let place = start;
      for (const piece of role === "verbatim" || text.length < LONG ? [text] : paragraphs(text)) {
        if (!group || size++ % GROUP === 0) { group = el("div", { class: "group" }); inside.append(group); }
        group.append(this.block(role, name, depth[owner], place, piece, owner));
        place += points(piece);
      }
    }
    if (!this.nodes.length) into.append(this.block("block", "", 0, 0, "", 0)); // shows that there is no text
    this.starts = this.nodes.map((one) => one.start);
  }

  holders() { // the foldable container of each element in metadata, labelled with its size
    const { elements, blocks, chars } = this.view, fold = elements.map(() => -1), found = [], sizes = new Map();
    elements.forEach(([parent, role], row) => { fold[row] = parent >= 0 && fold[parent] >= 0 ? fold[parent] : role === "fold" ? row : -1; });
    blocks.forEach(([owner, start], at) => sizes.set(fold[owner], (sizes.get(fold[owner]) ?? 0) + (blocks[at + 1]?.[1] ?? chars) - start));
    fold.forEach((top, row) => {
      if (top < 0) return;
      const name = elements[top][2];
      found[row] = top < row ? found[top] : el("details", { class: "fold", open: !HIDDEN.test(name) },
        el("summary", {}, `${name}: ${(sizes.get(top) ?? 0).toLocaleString()} characters`));
    });
    return found;
  }

  unfold(start, end) { // opens folded parts, so that highlights are visible
    for (let at = this.at(start); at < this.nodes.length && this.nodes[at].start < Math.max(end, start + 1); at++) {
      const holder = this.nodes[at].made.closest("details");
      if (holder) holder.open = true;
    }
  }

  depths() {
    const found = [];
    this.view.elements.forEach(([parent, role], row) => {
      found[row] = parent < 0 ? 0 : found[parent] + (role === "section" || role === "fold" ? 1 : 0);
    });
    return found;
  }

  block(role, name, depth, start, text, owner) {
    const tag = role === "heading" ? `h${Math.min(6, 2 + Math.max(0, depth - 1))}` : role === "verbatim" ? "pre" : "p";
    const node = document.createTextNode(text);
    const made = el(tag, { class: `b ${role}`, dir: "auto", "data-name": name }, node);
    const wide = astral(text);
    this.index.set(node, this.nodes.length);
    this.nodes.push({ node, start, end: start + text.length - wide.length, wide, made, owner });
    if (role === "heading") this.headings.push({ text: text.trim(), start, depth, made });
    return made;
  }

  under(position) { // the heading above a position, for screen readers
    const found = this.headings.findLast((one) => one.start <= position);
    return found ? ` in ${found.text.slice(0, 60)}` : "";
  }

  at(position) { // the last node that begins at or before a position
    return Math.max(0, upper(this.starts, position) - 1);
  }

  place(position, end = false) { // where a position is on the page; between blocks: the nearer edge
    let number = this.at(position);
    if (end && this.nodes[number].start === position && number > 0) number -= 1;
    let one = this.nodes[number];
    if (position > one.end && !end && this.nodes[number + 1]) { one = this.nodes[number + 1]; return { node: one.node, offset: 0 }; }
    const inside = Math.max(0, Math.min(position, one.end) - one.start);
    return { node: one.node, offset: inside + below(one.wide, inside) };
  }

  range(start, end) {
    const a = this.place(start), b = this.place(end, true);
    return new StaticRange({ startContainer: a.node, startOffset: a.offset, endContainer: b.node, endOffset: b.offset });
  }

  live(start, end) {
    const a = this.place(start), b = this.place(end, true), range = new Range();
    range.setStart(a.node, a.offset);
    range.setEnd(b.node, b.offset);
    return range;
  }

  position(container, offset, end = false) { // of a place on the page; null if outside the text
    const number = this.index.get(container);
    if (number !== undefined) {
      const one = this.nodes[number];
      return one.start + offset - one.wide.filter((place) => place < offset).length;
    }
    const probe = new Range();
    try { probe.setStart(container, offset); } catch { return null; }
    let low = 0, high = this.nodes.length; // the first node at or after the place
    while (low < high) {
      const middle = (low + high) >> 1;
      if (probe.comparePoint(this.nodes[middle].node, 0) < 0) low = middle + 1; else high = middle;
    }
    if (end) return low > 0 ? this.nodes[low - 1].end : null;
    return low < this.nodes.length ? this.nodes[low].start : null;
  }

  selected() { // the browser's selection as a span, in either direction
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const start = this.position(range.startContainer, range.startOffset);
    const end = this.position(range.endContainer, range.endOffset, true);
    return start !== null && end !== null && start < end ? [start, end] : null;
  }

  slice(start, end) {
    const { blocks } = this.view;
    this.froms ??= blocks.map(([, from]) => from);
    let found = "";
    for (let at = Math.max(0, upper(this.froms, start) - 1); at < blocks.length && blocks[at][1] < end; at++) {
      const [, from, text] = blocks[at], size = points(text);
      if (from + size <= start) continue;
      found += size === text.length
        ? text.slice(Math.max(0, start - from), end - from)
        : Array.from(text).slice(Math.max(0, start - from), end - from).join("");
    }
    return found;
  }

  bounds(number, unit) { // where the words or sentences of a block begin and end
    const cached = `${number} ${unit}`;
    if (!this.segments.has(cached)) {
      const one = this.nodes[number], found = [];
      const segmenter = unit === "word" ? this.words : this.sentencer;
      for (const { index, segment, isWordLike } of segmenter.segment(one.node.data)) {
        if (unit === "word" ? isWordLike || segment.trim() : segment.trim()) {
          const text = segment.trimEnd();
          const lead = text.length - text.trimStart().length;
          const from = index + lead, to = index + text.length;
          found.push([one.start + from - below16(one.wide, from), one.start + to - below16(one.wide, to)]);
        }
      }
      this.segments.set(cached, found);
    }
    return this.segments.get(cached);
  }

  unit(position, unit) { // the unit at a position
    if (unit === "letter") return [position, Math.min(position + 1, this.view.chars)];
    const number = this.at(position), one = this.nodes[number];
    if (unit === "block") return [one.start, one.end];
    const all = this.bounds(number, unit);
    return all.find(([, end]) => end > position) ?? all.at(-1) ?? [one.start, one.end];
  }

  step(position, unit, by) { // the unit after or before the one at a position
    if (unit === "letter") { const to = Math.max(0, Math.min(this.view.chars - 1, position + by)); return [to, to + 1]; }
    const number = this.at(position);
    if (unit !== "block") {
      const all = this.bounds(number, unit);
      const here = all.findIndex(([, end]) => end > position);
      const found = all[(here < 0 ? all.length : here) + by];
      if (found) return found;
    }
    const other = this.nodes[number + by];
    if (!other) return this.unit(position, unit);
    if (unit === "block") return [other.start, other.end];
    const all = this.bounds(number + by, unit);
    return (by > 0 ? all[0] : all.at(-1)) ?? [other.start, other.end];
  }

  snapped([start, end], unit) {
    if (unit === "letter") return [start, end];
    const first = this.unit(start, unit), last = this.unit(Math.max(start, end - 1), unit);
    return [Math.min(start, first[0] <= end ? first[0] : start), Math.max(end, last[1])];
  }

  find(pattern, most = 5000) { // where a pattern occurs, block by block
    const found = [];
    for (const one of this.nodes) {
      for (const match of one.node.data.matchAll(pattern)) {
        if (!match[0]) continue;
        const from = match.index, to = from + match[0].length;
        found.push([one.start + from - below16(one.wide, from), one.start + to - below16(one.wide, to)]);
        if (found.length >= most) return found;
      }
    }
    return found;
  }
}

function upper(sorted, value) { // how many are not above a value
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1; else high = middle;
  }
  return low;
}

function astral(text) {
  const found = [];
  if (!/[\ud800-\udbff]/.test(text)) return found;
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code >= 0xd800 && code < 0xdc00) found.push(place++);
  }
  return found;
}

const below16 = (wide, offset) => { let n = 0; while (n < wide.length && wide[n] < offset) n++; return n; };
const below = (wide, inside) => { let n = 0; while (n < wide.length && wide[n] - n < inside) n++; return n; };
const points = (text) => text.length - astral(text).length;

function paragraphs(text) { // a long text is cut after empty lines, else after lines, else anywhere
  let pieces = text.split(/(?<=\n[ \t\r]*\n)/);
  pieces = pieces.flatMap((piece) => (piece.length > LONG ? piece.split(/(?<=[.!?]\s)/) : [piece]));
  const found = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last !== undefined && last.length + piece.length < 600 && !last.endsWith("\n")) found[found.length - 1] += piece;
    else for (let at = 0; at < piece.length;) {
      let end = Math.min(at + LONG, piece.length);
      const code = piece.charCodeAt(end - 1);
      if (end < piece.length && code >= 0xd800 && code < 0xdc00) end += 1;
      found.push(piece.slice(at, end));
      at = end;
    }
  }
  return found;
}

// A span in order; an empty one that must be visible becomes the letter there.
export const span = ([a, b], chars, visible = true) => {
  const start = Math.min(a, b), end = Math.max(a, b);
  return visible && start === end ? [Math.min(start, Math.max(0, chars - 1)), Math.min(start + 1, chars)] : [start, end];
};

// A short hash of the text that a gesture refers to.
export async function check(text) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash).slice(0, 8), (b) => b.toString(16).padStart(2, "0")).join("");
}

// The subset of Markdown that guidelines use, rendered as elements without parsing markup.

import { el } from "./app.js";

export function written(text) { // headings, lists, paragraphs
  return text.replace(/\r\n?/g, "\n").split(/\n\s*\n/).flatMap(parts).filter(Boolean);
}

function parts(block) {
  const lines = block.split("\n").filter((line) => line.trim()), found = [];
  for (let at = 0; at < lines.length;) {
    const kind = kindOf(lines[at]), from = at++;
    if (kind === "head") { found.push(el("h3", { dir: "auto" }, ...inline(lines[from].replace(/^\s*#+\s*/, "")))); continue; }
    const items = [lines[from]];
    while (at < lines.length && kindOf(lines[at]) !== "head" && (kind === "text" ? kindOf(lines[at]) === "text" : true)) {
      if (kindOf(lines[at]) === "text") items[items.length - 1] += ` ${lines[at].trim()}`; // a continued line
      else if (kindOf(lines[at]) === kind) items.push(lines[at]);
      else break;
      at += 1;
    }
    if (kind === "text") found.push(el("p", { dir: "auto" }, ...inline(items[0].trim())));
    else found.push(el(kind, { dir: "auto" }, ...items.map((one) => el("li", {}, ...inline(one.replace(/^\s*([-*+]|\d+[.)])\s+/, ""))))));
  }
  return found;
}

const kindOf = (line) => (/^\s*#{1,6}\s/.test(line) ? "head" : /^\s*[-*+]\s/.test(line) ? "ul" : /^\s*\d+[.)]\s/.test(line) ? "ol" : "text");

function inline(text) { // **strong**, *emphasis*, `code`; everything else is text
  return text.split(/(\*\*[^*]+\*\*|\*[^*\s][^*]*\*|`[^`]+`)/).filter(Boolean).map((piece) => {
    if (/^\*\*[^*]+\*\*$/.test(piece)) return el("strong", {}, piece.slice(2, -2));
    if (/^\*[^*]+\*$/.test(piece)) return el("em", {}, piece.slice(1, -1));
    return /^`[^`]+`$/.test(piece) ? el("code", {}, piece.slice(1, -1)) : piece;
  });
}

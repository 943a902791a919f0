// Keys, compatible with X-Rai. A key names a method of the document's screen.

export const KEYS = [
  [["h", "u"], "highlight, un-highlight the selection (or the sentence at the cursor)"],
  [["b", "B"], "set the best entry point, remove it"],
  [["f"], "finish the document or reopen it"],
  [["0"], "nothing relevant: finish and go to the next document"],
  [["1", "2", "3"], "previous document, up to the topic, next document"],
  [["n", "N"], "next, previous unjudged document"],
  [["j", "k"], "next, previous block; with Shift: extend; for the adjudicator: next, previous dispute"],
  [[".", ","], "next, previous sentence; with Shift (: and ;): extend"],
  [["x"], "highlight this sentence and move on"],
  [["[", "]"], "move the end of the highlight at the cursor one unit back, forward"],
  [["{", "}"], "move its start one unit back, forward"],
  [["Tab", "Shift-Tab"], "next, previous highlight"],
  [["z", "Z"], "undo, redo (also Ctrl-Z, Ctrl-Y)"],
  [["g", "G"], "next, previous keyword"],
  [["/"], "find in the document"],
  [["c"], "text cursor on or off: arrows, Ctrl-arrows, Home, End; Shift extends"],
  [["v"], "selection unit: letter, word, sentence, block (Alt while dragging: letter)"],
  [["p"], "show the parts that systems retrieved"],
  [["m", "t"], "write a note, show the topic"],
  [["s"], "skip, with a reason"],
  [["Alt-0", "Alt-3"], "grade of the document; in mode aspects Alt-1 to Alt-9 choose the aspect"],
  [["?"], "help"],
  [["Esc"], "clear the selection, leave a field"],
];

const PLAIN = {
  h: "highlight", u: "unhighlight", b: "bep", B: "unbep", f: "finish", 0: "nothing", 1: "previous", 2: "up", 3: "next",
  n: "nextUnjudged", N: "previousUnjudged", j: "blockOn", k: "blockBack", J: "blockOnExtend", K: "blockBackExtend",
  ".": "sentenceOn", ",": "sentenceBack", ":": "sentenceOnExtend", ";": "sentenceBackExtend", ">": "sentenceOnExtend", "<": "sentenceBackExtend",
  x: "take", "[": "endBack", "]": "endOn", "{": "startBack", "}": "startOn", z: "undo", Z: "redo",
  g: "keywordOn", G: "keywordBack", "/": "find", c: "toggleCaret", v: "nextUnit", p: "support", m: "note", t: "topicStatement", s: "skip", "?": "help",
};

export function gestureOf(event, { single, caret, mode }) {
  const { ctrlKey, metaKey, altKey, shiftKey } = event;
  const latin = event.code?.match(/^Key([A-Z])$/)?.[1]; // for letters of other alphabets the position of the key counts
  const key = latin && /^[^\x00-\x7f]$/u.test(event.key) ? (shiftKey ? latin : latin.toLowerCase()) : event.key;
  if (key === "Escape") return ["escape"];
  if (ctrlKey || metaKey) {
    if (key === "z" || key === "Z") return [shiftKey ? "redo" : "undo"];
    if (key === "y") return ["redo"];
    if (caret && (key === "ArrowLeft" || key === "ArrowRight")) return ["move", "word", key === "ArrowRight" ? 1 : -1, shiftKey];
    return null;
  }
  if (altKey) {
    const digit = event.code?.match(/^Digit(\d)$/);
    return digit ? [mode === "aspects" ? "aspect" : "grade", Number(digit[1])] : null;
  }
  if (key === "Tab") return ["tab", shiftKey ? -1 : 1];
  if (caret) {
    const moves = { ArrowLeft: ["letter", -1], ArrowRight: ["letter", 1], ArrowUp: ["line", -1], ArrowDown: ["line", 1], Home: ["edge", -1], End: ["edge", 1] };
    if (moves[key]) return ["move", ...moves[key], shiftKey];
  }
  if (mode === "document" && /^[0-3]$/.test(key)) return ["gradeAndGo", Number(key)];
  return single && key.length === 1 && PLAIN[key] ? [PLAIN[key]] : null;
}

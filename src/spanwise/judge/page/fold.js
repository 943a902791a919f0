// The fold of gestures to a state, as on the server, so that the page shows changes at once.
// Spans are half open, sorted and disjoint; adjacent ones are merged.

export const EDITS = new Set(["add", "remove", "bep", "unbep", "grade", "exh"]);
export const UNDOABLE = new Set([...EDITS, "note", "done", "reopen", "skip"]);

export const key = (one) => `${one.client}:${one.n}`;

export function added(spans, start, end) {
  if (end <= start) return spans;
  const found = [];
  for (const [low, high] of spans) {
    if (high < start || low > end) found.push([low, high]);
    else { start = Math.min(start, low); end = Math.max(end, high); }
  }
  found.push([start, end]);
  return found.sort((a, b) => a[0] - b[0]);
}

export function removed(spans, start, end) {
  if (end <= start) return spans;
  const found = [];
  for (const [low, high] of spans) {
    if (low < start) found.push([low, Math.min(high, start)]);
    if (high > end) found.push([Math.max(low, end), high]);
  }
  return found;
}

const named = (some) => Object.assign(Object.create(null), some); // a layer can have any name, such as constructor

export const empty = (status = "new") =>
  ({ status, layers: named(), bep: null, grade: null, exhaustivity: {}, note: "", reason: "" });

const around = (path) => path.split("/").slice(2).map((_, i) => path.split("/").slice(0, i + 2).join("/")); // its ancestors
const exhaustivityOf = (values, path) => values[path] ?? (around(path).some((one) => values[one] === -1) ? -1 : 0);

function exhausted(values, path, value) {
  const found = { ...values, [path]: value };
  if (value === 2) for (const other of around(path)) found[other] = 2;
  else if (value !== -1) for (const other of around(path)) if (values[other] === -1) found[other] = 0;
  const again = value === 2 && values[path] === 2; // then it is supported by itself and not by descendants
  for (const [other, grade] of Object.entries(values)) {
    if (!other.startsWith(path + "/")) continue;
    if (value === -1) found[other] = -1;
    else if ((grade > value && value !== 0) || (again && grade === 2)) found[other] = 0;
  }
  if (values[path] === 2 && value !== 2) { // ancestors that only this element supported become unknown
    const others = Object.keys(found).filter((other) => found[other] === 2);
    for (const other of others) {
      if (path.startsWith(`${other}/`) && !others.some((one) => one.startsWith(`${other}/`) && !path.startsWith(`${one}/`))) found[other] = 0;
    }
  }
  return Object.fromEntries(Object.entries(found).filter(([, grade]) => grade !== 0));
}

export function applied(state, one) {
  switch (one.kind) {
    case "add": case "remove": {
      const change = one.kind === "add" ? added : removed;
      const layers = named(state.layers);
      layers[one.layer] = change(layers[one.layer] ?? [], one.start, one.end);
      if (!layers[one.layer].length) delete layers[one.layer];
      return { ...state, status: "touched", layers };
    }
    case "bep": return { ...state, status: "touched", bep: one.start };
    case "unbep": return { ...state, status: "touched", bep: null };
    case "grade": return { ...state, status: "touched", grade: one.value === "" ? null : Number(one.value) };
    case "exh": return { ...state, status: "touched", exhaustivity: exhausted(state.exhaustivity, one.layer, Number(one.value)) };
    case "note": return { ...state, note: one.value };
    case "done": return { ...state, status: "done", reason: "" };
    case "reopen": return { ...state, status: "touched", reason: "" };
    case "skip": return { ...state, status: "skipped", reason: one.value };
    default: return state;
  }
}

export function standing(events) {
  const taken = new Set();
  for (const one of events) {
    if (one.kind === "undo") taken.add(one.value);
    else if (one.kind === "redo") taken.delete(one.value);
  }
  return events.filter((one) => !taken.has(key(one)) && one.kind !== "undo" && one.kind !== "redo");
}

export function folded(events) {
  const kept = standing(events), state = kept.reduce(applied, empty(events.length ? "open" : "new"));
  return state.status === "done" && editedBefore(events, kept) ? { ...state, status: "touched" } : state;
}

function editedBefore(events, kept) { // whether an older edit was undone or redone after the finish, in another window
  const name = key(kept.findLast((one) => one.kind === "done")), place = events.findIndex((one) => key(one) === name);
  const since = Math.max(place, events.findLastIndex((one) => one.kind === "redo" && one.value === name));
  const edits = new Set(events.slice(0, place).filter((one) => EDITS.has(one.kind)).map(key));
  return events.slice(since).some((one) => (one.kind === "undo" || one.kind === "redo") && edits.has(one.value));
}

export function undoable(events) {
  const stands = standing(events).filter((one) => UNDOABLE.has(one.kind));
  return stands.at(-1) ?? null;
}

export function redoable(events, refused = []) {
  // The last gesture that was undone and not redone, unless a new one followed; gestures whose redo the
  // server rejected are passed over.
  let waiting = []; // two windows may undo the same gesture
  for (const one of events) {
    if (one.kind === "undo" || one.kind === "redo") waiting = waiting.filter((name) => name !== one.value);
    if (one.kind === "undo") waiting.push(one.value);
    else if (UNDOABLE.has(one.kind)) waiting = [];
  }
  return waiting.findLast((name) => !refused.includes(name)) ?? null;
}

export function highlighted(state) {
  const every = Object.values(state.layers);
  if (every.length < 2) return every[0] ?? [];
  let spans = [];
  for (const layer of every) for (const [s, e] of layer) spans = added(spans, s, e);
  return spans;
}

export function assess(state, paths) {
  const spans = highlighted(state), found = [];
  for (const [path, start, end] of paths) {
    const touching = spans.filter(([s, e]) => s < end && e > start);
    if (touching.length) found.push([path, touching.some(([s, e]) => start <= s && e <= end)]);
  }
  return found;
}

export function saidOf(state, asked) { // exhaustivity of an element; unknown if only elements without highlights support it
  const values = state.exhaustivity, leaning = new Set(), held = new Set(), known = new Set(asked.map(([path]) => path));
  const highest = Object.keys(values).filter((path) => values[path] === 2).sort((a, b) => b.split("/").length - a.split("/").length);
  for (const path of highest) {
    const stands = known.has(path) && (!leaning.has(path) || held.has(path));
    for (const other of around(path)) { leaning.add(other); if (stands) held.add(other); }
  }
  return (path) => (leaning.has(path) && !held.has(path) ? 0 : exhaustivityOf(values, path));
}

export function inconsistencies(state, mode, paths = []) {
  const marked = highlighted(state).length > 0, found = [];
  if (mode === "document") return state.grade === null ? ["give the document a grade"] : [];
  if (marked && state.bep === null) found.push("set the best entry point: text is highlighted");
  if (!marked && state.bep !== null) found.push("remove the best entry point: nothing is highlighted");
  if (mode === "grades" && marked && !state.grade) found.push("give a grade of 1 or more: text is highlighted");
  if (mode === "grades" && !marked && state.grade) found.push("set the grade to 0 or remove it: nothing is highlighted");
  if (mode === "exhaustivity") {
    const asked = assess(state, paths), grades = saidOf(state, asked);
    for (const [path, whole] of asked) {
      const grade = grades(path);
      if (grade === 0) found.push(`assess the exhaustivity of ${path}`);
      else if (grade === -1 && whole) found.push(`${path} contains a whole passage, so it cannot be too small`);
    }
  }
  return found;
}

export function disputes(people, layer) { // passages that only some assessors highlighted, with their names
  const sets = people.map((one) => (Object.hasOwn(one.layers, layer) ? one.layers[layer] : []));
  const cuts = [...new Set(sets.flat(2))].sort((a, b) => a - b), found = [];
  cuts.slice(1).forEach((end, i) => {
    const start = cuts[i], who = people.filter((_, row) => sets[row].some(([low, high]) => low <= start && end <= high)).map((one) => one.judge);
    const last = found.at(-1);
    if (!who.length || who.length === people.length) return;
    if (last?.end === start && last.who.join("\n") === who.join("\n")) last.end = end; else found.push({ start, end, layer, who });
  });
  return found;
}

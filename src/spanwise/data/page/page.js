"use strict";
(() => {
// Data lies in the page, compressed; every part is unpacked when it is first looked at.
const $ = (id) => document.getElementById(id);
const cache = new Map();
function data(name) {
  if (!cache.has(name)) cache.set(name, unpacked(name));
  return cache.get(name);
}
async function unpacked(name) {
  const holder = $("data-" + name);
  if (!holder) return null;
  const bytes = Uint8Array.from(atob(holder.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
// Everything that comes from files is put in as text, never as markup.
function make(tag, words, attributes = {}, ...children) {
  const node = document.createElement(tag);
  if (words !== null && words !== undefined) node.textContent = words;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
const shown = (x, digits = 4) => (x === null || x === undefined ? "–" : x.toFixed(digits));
const signed = (x) => (x === null || x === undefined ? "–" : (x > 0 ? "+" : x < 0 ? "−" : "") + Math.abs(x).toFixed(4));
const probability = (p) => (p === null || p === undefined ? "–" : p < 0.0001 ? "<0.0001" : p.toFixed(4));
function fill(select, names, chosen = 0) {
  select.replaceChildren(...names.map((name, n) => make("option", name, { value: n })));
  select.value = chosen;
}
let all;
const chosen = { sort: 0, picked: new Set() };

// Overview ------------------------------------------------------------------------------------
function differenceOf(run, measure) {
  const d = all.differences;
  for (let n = 0; n < d.run.length; n++)
    if (d.run[n] === run && d.measure[n] === measure)
      return { d: d.d[n], low: d.low[n], high: d.high[n], p: d.p[n], w: d.wins[n], t: d.ties[n], l: d.losses[n] };
  return null;
}
function whisker(mean, low, high, from, to) {
  const at = (x) => 4 + (92 * (x - from)) / (to - from || 1);
  const picture = svg("svg", { class: "whisker", viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" });
  picture.append(svg("line", { class: "axis", x1: 0, x2: 100, y1: 8, y2: 8 }));
  if (low !== null) picture.append(svg("line", { x1: at(low), x2: at(high), y1: 8, y2: 8, "vector-effect": "non-scaling-stroke" }));
  if (mean !== null) {
    const x = at(mean);
    picture.append(svg("line", { x1: x, x2: x, y1: 2, y2: 14, "vector-effect": "non-scaling-stroke", style: "stroke-width:4" }));
  }
  return picture;
}
function overview() {
  const m = Number($("measure").value), word = $("find").value.toLowerCase();
  const others = all.measures.map((_, n) => n).filter((n) => n !== m).slice(0, 4);
  const sorted = all.measures.map((_, n) => n).includes(chosen.sort) ? chosen.sort : m;
  const down = all.lowest.includes(sorted) ? 1 : -1;
  const order = all.runs.map((_, n) => n).sort((a, b) => {
    const x = all.means[a][sorted][0], y = all.means[b][sorted][0];
    return x === null ? 1 : y === null ? -1 : down * (x - y);
  });
  const ends = all.means.flatMap((row) => [row[m][0], row[m][1], row[m][2]]).filter((x) => x !== null);
  const from = Math.min(...ends), to = Math.max(...ends);
  const pairs = all.baseline !== null && all.runs.length > 1;
  const head = make("tr");
  const measured = (n, classes) => {
    const button = make("button", all.measures[n], { type: "button", class: n === sorted ? "on" : "", title: "Sort by " + all.measures[n] });
    button.addEventListener("click", () => { chosen.sort = n; overview(); $("runs").querySelector("button.on").focus(); });
    return make("th", null, { class: "n " + classes, scope: "col", "aria-sort": n !== sorted ? "none" : down > 0 ? "ascending" : "descending" }, button);
  };
  head.append(make("th", "run", { scope: "col" }), measured(m, ""), make("th", "interval", { scope: "col" }));
  if (pairs) head.append(make("th", "difference", { scope: "col", class: "n" }), make("th", "p, adjusted", { scope: "col", class: "n wide" }), make("th", "+ / = / −", { scope: "col", class: "n wide" }));
  others.forEach((n) => head.append(measured(n, "wide")));
  $("runs").tHead.replaceChildren(head);
  const best = (n) => (all.lowest.includes(n) ? Math.min : Math.max)(...all.means.map((row) => row[n][0]).filter((x) => x !== null));
  const tops = new Map([m, ...others].map((n) => [n, best(n)]));
  const rows = order.filter((n) => all.runs[n].toLowerCase().includes(word)).map((n) => {
    const row = make("tr", null, { class: n === all.baseline ? "base" : "" });
    const cell = (k, classes) => {
      const td = make("td", shown(all.means[n][k][0]), { class: "n " + classes + (all.runs.length > 1 && all.means[n][k][0] === tops.get(k) ? " best" : "") });
      if (all.marks[n][k]) td.append(make("sup", all.marks[n][k]));
      return td;
    };
    const [mean, low, high] = all.means[n][m];
    const label = low === null ? "no interval" : `${shown(low)} to ${shown(high)}`;
    const name = make("td", null, {}, ...(all.letters[n] ? [make("b", all.letters[n], { class: "letter" })] : []), all.runs[n]);
    const bounds = low === null ? "" : `${shown(low)} – ${shown(high)}`;
    row.append(name, cell(m, ""), make("td", null, { class: "bar", title: label }, make("div", null, {}, whisker(mean, low, high, from, to), make("span", bounds))));
    if (pairs) {
      const d = differenceOf(n, m);
      const sure = d && d.p !== null && d.p < all.alpha;
      const good = d && (all.lowest.includes(m) ? -d.d : d.d) > 0;
      row.append(
        make("td", d ? signed(d.d) : "", { class: "n " + (sure ? (good ? "up" : "down") : "quiet"), title: d && d.low !== null ? `${signed(d.low)} to ${signed(d.high)}` : "" }),
        make("td", d ? probability(d.p) : "", { class: "n wide" + (sure ? " best" : "") }),
        make("td", d ? `${d.w} / ${d.t} / ${d.l}` : "", { class: "n wide quiet" }));
    }
    others.forEach((k) => row.append(cell(k, "wide")));
    return row;
  });
  $("runs").tBodies[0].replaceChildren(...rows);
  $("legend").textContent = all.legend.join(" · ");
}

// Charts --------------------------------------------------------------------------------------
const views = new Map();
function themed() {
  const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue(name).trim();
  const words = { labelColor: get("--quiet"), titleColor: get("--quiet"), labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 };
  return {
    background: "transparent", font: "system-ui, sans-serif", view: { stroke: null },
    text: { fill: get("--quiet"), fontSize: 12 }, axis: { ...words, gridColor: get("--grid"), domainColor: get("--line"), tickColor: get("--line") }, legend: { ...words, labelColor: get("--ink") },
  };
}
async function draw(id, spec, values, height, onClick) {
  const holder = $(id);
  const whole = { ...structuredClone(spec), data: { values }, width: "container", height, autosize: { type: "fit-x", contains: "padding" } };
  const legend = whole.encoding.color?.legend;
  if (legend) { // as many columns as the longest name leaves room for
    const longest = Math.max(...values.map((v) => v.run.length), 1);
    legend.columns = Math.max(1, Math.min(4, Math.floor((holder.clientWidth - 60) / (longest * 7.5 + 40))));
    legend.labelLimit = holder.clientWidth - 60;
    const room = Math.floor(legend.labelLimit / 7); // names differ most at their ends
    legend.labelExpr = `length(datum.label) > ${room} ? slice(datum.label, 0, ${room >> 1}) + "…" + slice(datum.label, 1 - ${room >> 1}) : datum.label`;
  }
  views.get(id)?.finalize();
  const result = await window.vegaEmbed(holder, whole, { actions: false, renderer: "svg", ast: true, config: themed() });
  views.set(id, result);
  holder.dataset.ready = "yes";
  if (onClick) result.view.addEventListener("click", (_, item) => item && item.datum && onClick(item.datum));
}
const painters = {};
function redraw(name) { if (painters[name] && painters[name].seen) painters[name].paint(); }
function watch(section, paint) {
  painters[section] = { paint, seen: false };
  if (!$(section)) return;
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((e) => e.isIntersecting)) return;
    observer.disconnect();
    painters[section].seen = true;
    paint();
  }, { rootMargin: "200px" }).observe($(section));
}
// Vega keeps things under their names in plain objects, where this one is taken.
const safe = (name) => (name === "__proto__" ? name + " " : name);
async function curves() {
  const curve = (await data("curves"))[Number($("curve").value)];
  const values = [];
  for (const run of [...chosen.picked].sort((a, b) => a - b)) {
    const last = curve.points[run].findLastIndex(([y]) => y !== null);
    curve.places.forEach((x, n) => {
      const [y, low, high] = curve.points[run][n], end = n === last && last < curve.places.length - 1;
      if (y !== null) values.push({ run: safe(all.runs[run]), x, y, low: low ?? y, high: high ?? y, end });
    });
  }
  curve.spec.encoding.color.sort = null; // in the order of the overview
  await draw("curve-chart", curve.spec, values, 340);
}
async function valuesOf(measure) { return data("values-" + measure); }
async function differences() {
  const m = Number($("measure").value), a = Number($("run-a").value), b = Number($("run-b").value);
  const values = await valuesOf(m), rows = [];
  all.topics.forEach((topic, n) => {
    const x = values[a][n], y = values[b][n];
    if (x !== null && y !== null) rows.push({ topic: safe(topic), n, difference: x - y, run: x, baseline: y, side: x > y ? "better" : x < y ? "worse" : "same" });
  });
  rows.sort((x, y) => y.difference - x.difference);
  const count = (side) => rows.filter((row) => row.side === side).length;
  $("tally").textContent = `${all.measures[m]}: ${all.runs[a]} is higher on ${count("better")}, equal on ${count("same")}, lower on ${count("worse")} of ${rows.length} topics than ${all.runs[b]}.`;
  const spec = structuredClone(all.specs.differences);
  spec.encoding.y.title = "difference in " + all.measures[m];
  await draw("difference-chart", spec, rows, 240, (datum) => goTo(datum.n));
}
async function scatter() {
  const x = Number($("scatter-x").value), y = Number($("scatter-y").value), of = Number($("scatter-of").value);
  let names, pairs;
  if (of < 0) { names = all.runs; pairs = all.runs.map((_, n) => [all.means[n][x][0], all.means[n][y][0]]); }
  else {
    const [across, up] = [await valuesOf(x), await valuesOf(y)], base = all.baseline ?? 0;
    names = all.topics;
    const less = (row, n) => (of === base ? row[of][n] : row[of][n] === null || row[base][n] === null ? null : row[of][n] - row[base][n]);
    pairs = all.topics.map((_, n) => [less(across, n), less(up, n)]);
  }
  const rows = names.map((name, n) => ({ name, x: pairs[n][0], y: pairs[n][1] })).filter((p) => p.x !== null && p.y !== null);
  const signs = of >= 0 && of !== (all.baseline ?? 0);
  let odd = 0, total = 0;
  for (const p of rows) {
    p.label = rows.length <= all.labelled ? p.name : "";
    p.disagrees = signs ? p.x * p.y < 0 : rows.some((q) => (p.x - q.x) * (p.y - q.y) < 0);
    if (signs) { odd += p.disagrees; total += 1; }
    else for (const q of rows) if (q !== p) { odd += (p.x - q.x) * (p.y - q.y) < 0 ? 0.5 : 0; total += 0.5; }
  }
  $("agreement").textContent = signs
    ? `The measures disagree about the better run on ${odd} of ${total} topics (diamonds).`
    : `The measures put ${odd} of ${total} pairs in opposite order; what takes part in one is a diamond.`;
  const spec = structuredClone(all.specs.scatter);
  [["x", x], ["y", y]].forEach(([axis, m], n) => {
    spec.encoding[axis].title = (signs ? "difference in " : "") + all.measures[m];
    spec.layer[0].encoding.tooltip[n + 1].title = all.measures[m];
  });
  await draw("scatter-chart", spec, rows, 360);
}

// One topic -----------------------------------------------------------------------------------
function goTo(topic) {
  $("topic-name").value = topic;
  $("topic").scrollIntoView();
  oneTopic();
}
async function oneTopic() {
  const t = Number($("topic-name").value), m = Number($("measure").value);
  const sides = [Number($("left").value), Number($("right").value)].filter((n) => n >= 0);
  const asked = [t, m, ...sides].join();
  $("rankings").dataset.asked = asked;
  const said = await data("topic-" + t), values = await valuesOf(m);
  if ($("rankings").dataset.asked !== asked) return; // somebody chose again meanwhile
  hideCard();
  $("topic-words").textContent = said ? said.words.join(" ") : "The rankings are not in this report: it was made of results, or they could not be read.";
  $("rankings").replaceChildren(...[...new Set(sides)].map((run) => ranking(said, run, values[run][t], m)));
  $("documents").replaceChildren(...(said ? painted(said, sides[0]) : []));
  $("rankings").dataset.shown = asked;
}
function ranking(said, run, value, measure) {
  const box = make("div");
  box.append(make("h3", all.runs[run]), make("p", null, { class: "note" }, make("span", shown(value), { class: "value" }), ` ${all.measures[measure]}`));
  const mine = said && said.runs[run];
  if (!mine) { box.append(make("p", said ? "No results for this topic." : "", { class: "note" })); return box; }
  const head = said.header, name = head.indexOf("document"), part = head.indexOf("part");
  const extra = ["grade", "relevant", "gain", "new", "score"].map((h) => head.indexOf(h)).filter((n) => n > 0).slice(0, 2);
  const table = make("table", null, { class: "ranking" });
  const top = make("tr", null, {}, make("th", "#", { scope: "col" }), make("th", "document", { scope: "col" }));
  extra.forEach((n) => top.append(make("th", head[n], { scope: "col", class: "n" })));
  table.append(make("thead", null, {}, top));
  const body = make("tbody");
  mine.rows.forEach((cells) => {
    const hit = hitOf(head, cells);
    const row = make("tr", null, { tabindex: "0", class: hit ? "hit" : "" });
    row.append(make("td", cells[0]), make("td", cells[name] + (part > 0 ? " " + cells[part] : "")));
    extra.forEach((n) => row.append(make("td", cells[n], { class: "n" })));
    const show = () => card(row, head, cells, mine.words);
    row.addEventListener("mouseenter", show);
    row.addEventListener("focus", show);
    row.addEventListener("mouseleave", hideCard);
    row.addEventListener("blur", hideCard);
    body.append(row);
  });
  table.append(body);
  box.append(table);
  if (mine.more) box.append(make("p", `${mine.more} more results are not shown.`, { class: "note" }));
  return box;
}
function hitOf(head, cells) {
  const at = (word) => cells[head.indexOf(word)];
  if (head.includes("new")) return Number(at("new")) > 0;
  if (head.includes("gain")) return Number(at("gain")) > 0;
  if (head.includes("grade")) return Number(at("grade")) > 0;
  return head.includes("relevant") && at("relevant") !== "" && at("relevant") !== "0";
}
function card(row, head, cells, words) {
  const list = make("dl");
  head.forEach((name, n) => { if (cells[n] !== "") list.append(make("dt", name || " "), make("dd", cells[n])); });
  const box = $("card");
  box.replaceChildren(make("strong", all.explained + " at this rank"), list, ...words.map((line) => make("p", line)));
  box.hidden = false;
  const place = row.getBoundingClientRect(), width = box.offsetWidth;
  const left = Math.max(8, Math.min(place.left + place.width / 2, window.innerWidth - width - 8));
  const above = place.bottom + box.offsetHeight + 8 > window.innerHeight;
  box.style.left = left + window.scrollX + "px";
  box.style.top = (above ? place.top - box.offsetHeight - 6 : place.bottom + 6) + window.scrollY + "px";
}
function hideCard() { $("card").hidden = true; }

// Documents painted ---------------------------------------------------------------------------
const NEAR = 500, FAR = 700;
const KEY = [["rel", "relevant, not retrieved"], ["ret", "retrieved"], ["both", "relevant and retrieved"], ["twice", "read twice"], ["near", "near miss"]];
function painted(said, run) {
  const mine = said.runs[run];
  if (!mine || !(said.documents.length || said.left)) return [];
  const key = make("p", null, { class: "key" }, ...KEY.map(([kind, words]) => make("mark", words, { class: kind })), make("span", "▶ best entry point", { class: "entry" }));
  const title = make("h3", "Documents as " + all.runs[run] + " shows them");
  const first = (n) => mine.spans.find((s) => s[0] === n)?.[3] ?? Infinity;
  const order = said.documents.map((_, n) => n).sort((a, b) => first(a) - first(b) || a - b);
  let open = 3; // the first documents with something relevant in them show their text at once
  const boxes = order.map((n) => {
    const doc = said.documents[n], spans = mine.spans.filter((s) => s[0] === n);
    return documentBox(doc, spans, spans.length > 0 && doc.relevant.length > 0 && open-- > 0);
  }).filter(Boolean);
  if (said.left) boxes.push(make("p", `${said.left} more documents are not shown, to keep this page small.`, { class: "note" }));
  return [title, key, ...boxes];
}
function kinds(doc, spans) {
  const cuts = new Set([0, doc.length]);
  for (const [from, to] of doc.relevant) { cuts.add(from); cuts.add(to); }
  for (const [, from, to] of spans) { cuts.add(from); cuts.add(to); }
  if (doc.entry >= 0) cuts.add(doc.entry);
  const places = [...cuts].filter((x) => x >= 0 && x <= doc.length).sort((a, b) => a - b);
  const near = (from, to) => !doc.relevant.some(([a, b]) => a < to && from < b) && doc.relevant.some(([a, b]) => a - to <= NEAR && from - b <= NEAR);
  const pieces = [];
  for (let n = 0; n + 1 < places.length; n++) {
    const [from, to] = [places[n], places[n + 1]];
    const relevant = doc.relevant.some(([a, b]) => a <= from && to <= b);
    const over = spans.filter(([, a, b]) => a <= from && to <= b);
    let kind = relevant ? (over.length ? "both" : "rel") : over.length ? "ret" : "";
    if (over.length > 1) kind = "twice";
    else if (kind === "ret" && near(over[0][1], over[0][2])) kind = "near";
    const ranks = over.map((s) => s[3]);
    pieces.push({ from, to, kind, ranks, relevant });
  }
  return pieces;
}
function documentBox(doc, spans, opened) {
  if (!spans.length && !doc.relevant.length) return null;
  const pieces = kinds(doc, spans), box = make("details", null, { class: "document" });
  if (opened) box.open = true;
  const found = pieces.filter((p) => p.relevant && p.ranks.length).reduce((sum, p) => sum + p.to - p.from, 0);
  const wanted = doc.relevant.reduce((sum, [a, b]) => sum + b - a, 0);
  const ranks = spans.length ? "rank " + spans.map((s) => s[3]).join(", ") : "not retrieved";
  box.append(make("summary", doc.name + " ", {}, make("span", `${ranks} · ${found} of ${wanted} relevant characters shown`)));
  const strip = svg("svg", { class: "strip", viewBox: `0 0 ${doc.length} 22`, preserveAspectRatio: "none", role: "img", "aria-label": "where the marked text lies in the document" });
  const least = doc.length / 400;
  const block = (piece, y, height, kind) => strip.append(svg("rect", { x: piece.from, y, width: Math.max(piece.to - piece.from, least), height, style: `fill: var(--${kind})` }));
  for (const piece of pieces) {
    if (piece.kind) block(piece, 4, 14, piece.kind);
    if (piece.kind === "twice" && piece.relevant) block(piece, 4, 7, "both");
  }
  if (doc.entry >= 0) strip.append(svg("rect", { x: doc.entry, y: 0, width: least, height: 22, style: "fill: var(--bad)" }));
  box.append(strip);
  if (doc.text !== null) box.append(textOf(doc, pieces));
  return box;
}
function textOf(doc, pieces) {
  const box = make("div", null, { class: "text", tabindex: "0" }), points = Array.from(doc.text);
  const plain = (from, to) => points.slice(from, to).join("").replace(/\s*\n\s*\n\s*/g, "\n\n");
  const atWord = (place, step) => { // no word is torn, unless it is a very long one
    for (let n = 0; n < 50; n++) if (!/\S/.test(points[place + n * step] ?? " ")) return place + n * step;
    return place;
  };
  let end = "\n\n"; // how the text before ends: two pieces make no more than one blank line
  const cut = (from, to) => {
    let text = plain(from, to);
    if (end.endsWith("\n\n")) text = text.trimStart();
    else if (end.endsWith("\n")) text = text.replace(/^\s*\n\s*/, "\n");
    end = (end + text).slice(-2);
    return text;
  };
  for (const piece of pieces) {
    if (piece.from === doc.entry) box.append(make("span", "▶", { class: "entry", title: "best entry point" }));
    if (piece.kind) {
      const again = piece.kind === "twice" && piece.relevant;
      const words = new Map(KEY).get(piece.kind) + (again ? ", relevant" : "");
      box.append(make("mark", cut(piece.from, piece.to), { class: piece.kind + (again ? " both" : ""), title: words + (piece.ranks.length ? "; rank " + piece.ranks.join(", ") : "") }));
    } else if (piece.to - piece.from > FAR) {
      const [from, to] = [atWord(piece.from + 100, 1), atWord(piece.to - 100, -1)];
      const gap = make("button", `… ${to - from} characters …`, { type: "button", class: "gap" });
      gap.addEventListener("click", () => gap.replaceWith(plain(from, to)));
      box.append(cut(piece.from, from), gap, cut(to, piece.to));
    } else box.append(cut(piece.from, piece.to));
  }
  if (points.length < doc.length) box.append(make("span", ` … the document goes on for ${doc.length - points.length} characters`, { class: "quiet" }));
  return box;
}

// Beginning -----------------------------------------------------------------------------------
async function begin() {
  all = await data("all");
  fill($("measure"), all.measures);
  overview();
  document.documentElement.dataset.ready = "yes";
  $("measure").addEventListener("change", () => { chosen.sort = Number($("measure").value); overview(); redraw("differences"); redraw("topic"); });
  $("find").addEventListener("input", overview);
  const base = all.baseline ?? Math.min(1, all.runs.length - 1), other = all.runs.findIndex((_, n) => n !== base);
  if ($("curves")) {
    fill($("curve"), all.curves);
    all.runs.slice(0, 5).forEach((_, n) => chosen.picked.add(n));
    chosen.picked.add(base);
    $("picked").append(...all.runs.map((name, n) => {
      const box = make("input", null, { type: "checkbox" });
      box.checked = chosen.picked.has(n);
      box.addEventListener("change", () => { box.checked ? chosen.picked.add(n) : chosen.picked.delete(n); curves(); });
      return make("label", null, {}, box, name);
    }));
    $("curve").addEventListener("change", curves);
    watch("curves", curves);
  }
  if ($("differences")) {
    fill($("run-a"), all.runs, Math.max(other, 0));
    fill($("run-b"), all.runs, base);
    ["run-a", "run-b"].forEach((id) => $(id).addEventListener("change", differences));
    watch("differences", differences);
  }
  if ($("scatter")) {
    fill($("scatter-x"), all.measures, 0);
    fill($("scatter-y"), all.measures, 1);
    const of = $("scatter-of");
    of.append(make("option", "runs", { value: -1 }), ...all.runs.map((name, n) => make("option", "topics of " + name, { value: n })));
    of.value = all.runs.length > 2 ? -1 : Math.max(other, 0);
    ["scatter-x", "scatter-y", "scatter-of"].forEach((id) => $(id).addEventListener("change", scatter));
    watch("scatter", scatter);
  }
  fill($("topic-name"), all.topics);
  fill($("left"), all.runs, 0);
  $("right").append(make("option", "nothing", { value: -1 }), ...all.runs.map((name, n) => make("option", name, { value: n })));
  $("right").value = all.runs.length > 1 ? (base === 0 ? 1 : base) : -1;
  ["topic-name", "left", "right"].forEach((id) => $(id).addEventListener("change", oneTopic));
  const step = (by) => { const n = all.topics.length; $("topic-name").value = (Number($("topic-name").value) + by + n) % n; oneTopic(); };
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  watch("topic", oneTopic);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideCard(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => ["curves", "differences", "scatter"].forEach(redraw));
  const links = [...document.querySelectorAll("nav a")];
  const sections = [...document.querySelectorAll("main > section")], inView = new Set();
  const seen = new IntersectionObserver((entries) => {
    entries.forEach((e) => (e.isIntersecting ? inView.add(e.target) : inView.delete(e.target)));
    const here = sections.find((section) => inView.has(section)); // sections grow while they are drawn
    if (here) links.forEach((a) => a.classList.toggle("here", a.hash === "#" + here.id));
  }, { rootMargin: "-30% 0px -60% 0px" });
  sections.forEach((section) => seen.observe(section));
}
window.addEventListener("load", begin);
})();

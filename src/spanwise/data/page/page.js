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
// Numbers as the tables of the command show them: four digits, halves to even.
function shown(x) {
  if (x === null || x === undefined) return "–";
  const halves = x * 32; // only such numbers lie in the middle between two of four digits
  if (Number.isInteger(halves) && Math.abs(halves) % 2 === 1) {
    const below = Math.floor(x * 1e4);
    return ((below % 2 === 0 ? below : below + 1) / 1e4).toFixed(4);
  }
  return x.toFixed(4);
}
const counted = (n) => n.toLocaleString("en-US");
const SEPARATORS = /(?<=[-_./\\ ,:;+=|>)\]])/;
function named(name, tag = "span") { // broken only at separators
  const node = make(tag, null, { class: "name" });
  name.split(SEPARATORS).forEach((piece, n) => node.append(...(n ? [make("wbr"), piece] : [piece])));
  return node;
}
function fill(select, names, chosen = 0) {
  select.replaceChildren(...names.map((name, n) => make("option", name, { value: n })));
  select.value = chosen;
}
let all;

// Result --------------------------------------------------------------------------------------
function differenceOf(run, measure) {
  const found = all.differences.find((d) => d[0] === run && d[1] === measure);
  return found && { d: found[2], bounds: found[3], p: found[4], counts: found[5], sure: found[6] };
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
function ordered(m) {
  const down = all.lowest.includes(m) ? 1 : -1;
  return all.runs.map((_, n) => n).sort((a, b) => {
    const x = all.means[a][m][0], y = all.means[b][m][0];
    return x === null ? 1 : y === null ? -1 : down * (x - y);
  });
}
function valueCell(run, m, words = all.cells[run][m][0]) {
  const td = make("td", words, { class: "n" + (all.runs.length > 1 && all.best[m].includes(run) ? " best" : "") });
  if (all.marks[run][m]) td.append(make("sup", all.marks[run][m]));
  return td;
}
function overview() {
  const m = Number($("measure").value), word = $("find").value.toLowerCase();
  const ends = all.means.flatMap((row) => row[m]).filter((x) => x !== null);
  const from = Math.min(...ends), to = Math.max(...ends);
  const pairs = all.baseline !== null && all.runs.length > 1;
  const heads = [["run", ""], [all.measures[m], "n"], ["interval", ""]];
  if (pairs) heads.push(["difference", "n"], ["p, adjusted", "n"], ["+ / = / −", "n"]);
  const sorted = all.lowest.includes(m) ? "ascending" : "descending";
  $("runs").tHead.replaceChildren(make("tr", null, {}, ...heads.map(([head, kind], n) => make("th", head, { scope: "col", class: kind, ...(n === 1 ? { "aria-sort": sorted } : {}) }))));
  const rows = ordered(m).filter((n) => all.runs[n].toLowerCase().includes(word)).map((n) => {
    const row = make("tr", null, { class: n === all.baseline ? "base" : "" });
    const [mean, low, high] = all.means[n][m], bounds = all.cells[n][m][1];
    const name = make("td", null, {}, ...(all.letters[n] ? [make("b", all.letters[n], { class: "letter" })] : []), named(all.runs[n]));
    const value = valueCell(n, m);
    value.dataset.label = all.measures[m];
    row.append(name, value, make("td", null, { class: "bar" }, make("div", null, {}, whisker(mean, low, high, from, to), make("span", low === null ? "" : bounds))));
    if (pairs) {
      const d = differenceOf(n, m);
      const cell = (words, kind, label) => make("td", words, { class: "n " + kind, ...(d ? { "data-label": label } : {}) });
      const colour = !d || !d.sure ? "quiet" : d.sure > 0 ? "up" : "down";
      const first = cell(d ? d.d : "", colour, "difference");
      if (d) first.title = d.bounds;
      row.append(first, cell(d ? d.p : "", d && d.sure ? "best" : "", "p"), cell(d ? d.counts : "", "quiet", "+ / = / −"));
    }
    return row;
  });
  $("runs").tBodies[0].replaceChildren(...rows);
  $("legend").textContent = all.legend.join(" · ");
  if ($("every")) every(m);
}
function every(m) { // a row for each of what there is more of
  const across = all.measures.length > all.runs.length, order = ordered(m);
  const cell = (run, k) => {
    const td = valueCell(run, k);
    if (all.cells[run][k][1] !== "-") td.append(make("small", all.cells[run][k][1]));
    return td;
  };
  const name = (n, scope, kind) => make("th", null, { scope, class: kind }, ...(all.letters[n] ? [make("b", all.letters[n], { class: "letter" })] : []), named(all.runs[n]));
  const measure = (k, scope, kind) => make("th", null, { scope, class: kind }, named(all.measures[k]));
  const measures = all.measures.map((_, k) => k);
  const head = across ? order.map((n) => name(n, "col", "n")) : measures.map((k) => measure(k, "col", "n"));
  $("every").tHead.replaceChildren(make("tr", null, {}, make("th", across ? "measure" : "run", { scope: "col" }), ...head));
  $("every").tBodies[0].replaceChildren(...(across
    ? measures.map((k) => make("tr", null, {}, measure(k, "row", ""), ...order.map((n) => cell(n, k))))
    : order.map((n) => make("tr", null, {}, name(n, "row", ""), ...measures.map((k) => cell(n, k))))));
}

// Pictures ------------------------------------------------------------------------------------
const pen = document.createElement("canvas").getContext("2d");
function widthOf(words) { pen.font = "12px system-ui, sans-serif"; return pen.measureText(words).width; }
function label(words, x, y, attributes = {}) {
  const node = svg("text", { x, y, ...attributes });
  node.textContent = words;
  return node;
}
function ticksOf(low, high, wanted) {
  const rough = (high - low) / wanted || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) found.push(Number((n * step).toPrecision(12)));
  return found;
}
const plain = (x) => x.toLocaleString("en-US", { maximumSignificantDigits: 6 });
// An empty picture with axes: `x` and `y` have a title, a scale from value to place, and ticks.
function frame(id, height, right, x, y, words) {
  const holder = $(id), width = Math.max(holder.clientWidth, 300), left = 56, top = 26, bottom = height - 44;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": words });
  const place = { left, right: width - right, top, bottom };
  const across = (v) => place.left + (place.right - place.left) * x.share(v), up = (v) => bottom - (bottom - top) * y.share(v);
  for (const tick of y.ticks) {
    picture.append(svg("line", { class: tick === 0 ? "zero" : "gridline", x1: left, x2: place.right, y1: up(tick), y2: up(tick) }));
    picture.append(label(plain(tick), left - 7, up(tick) + 4, { "text-anchor": "end" }));
  }
  let free = -Infinity;
  for (const tick of x.ticks) {
    const at = across(tick), half = widthOf(plain(tick)) / 2;
    if (at - half < free + 6) continue;
    free = at + half;
    picture.append(svg("line", { class: "zero", x1: at, x2: at, y1: bottom, y2: bottom + 5 }), label(plain(tick), at, bottom + 18, { "text-anchor": "middle" }));
  }
  picture.append(svg("line", { class: "zero", x1: left, x2: place.right, y1: bottom, y2: bottom }));
  picture.append(label(y.title, 4, 13, { class: "title" }), label(x.title, place.right, height - 6, { class: "title", "text-anchor": "end" }));
  holder.replaceChildren(picture);
  return { picture, across, up, width, ...place };
}
function linear(title, low, high, wanted) {
  return { title, ticks: ticksOf(low, high, wanted), share: (v) => (v - low) / (high - low || 1) };
}
function styled(run) {
  const style = all.styles[run], colours = all.colours, dash = all.dashes[Math.floor(style / colours.length) % all.dashes.length];
  const colour = colours[style % colours.length];
  return { colour: colour === "#000000" ? "var(--ink)" : colour, dash: dash[1] ? dash.join(" ") : "none" };
}
// Places for labels of one line each, near where they should be, that do not collide.
function apart(wanted, gap, top, bottom) {
  const order = wanted.map((_, n) => n).sort((a, b) => wanted[a] - wanted[b] || a - b), places = [];
  let last = top - gap;
  for (const n of order) last = places[n] = Math.max(wanted[n], last + gap);
  last = bottom + gap;
  for (const n of [...order].reverse()) last = places[n] = Math.min(places[n], last - gap);
  return places;
}
const MOST_NAMED = 60;
async function curves() {
  const curve = (await data("curves"))[Number($("curve").value)];
  const drawn = all.runs.map((_, n) => n).filter((n) => curve.points[n].some(([y]) => y !== null));
  const points = (run) => curve.places.map((x, n) => [x, ...curve.points[run][n]]).filter(([, y]) => y !== null);
  const far = Math.max(...drawn.flatMap((run) => points(run).map(([x]) => x)));
  const near = curve.logarithmic ? curve.places[0] : Math.min(curve.places[0], 0);
  const ends = drawn.flatMap((run) => points(run).flatMap(([, y, , high]) => [high ?? y]));
  const lows = drawn.flatMap((run) => points(run).flatMap(([, y, low]) => [low ?? y]));
  const most = curve.bounds ? Math.min(curve.bounds[1], Math.max(...ends) * 1.03) : Math.max(...ends);
  const least = curve.bounds ? curve.bounds[0] : Math.min(0, ...lows);
  const x = curve.logarithmic
    ? { title: curve.x, ticks: curve.places.filter((v) => v <= far), share: (v) => Math.log(v / near) / Math.log(far / near || 2) }
    : linear(curve.x, near, far, 8);
  const total = Math.max($("curve-chart").clientWidth, 300), longest = Math.max(...drawn.map((n) => widthOf(all.runs[n])));
  const inside = longest + 26 <= total * 0.36, several = drawn.length <= MOST_NAMED;
  const height = Math.max(380, several ? drawn.length * 15 + 76 : 0);
  const box = frame("curve-chart", height, !several ? 16 : inside ? longest + 30 : 44, x, linear(curve.y, least, most, 6), `${curve.y} by ${curve.x}`);
  box.picture.setAttribute("class", drawn.length > 4 ? "many" : "");
  const last = drawn.map((run) => points(run).at(-1));
  const places = apart(last.map(([, y]) => box.up(y)), 15, box.top + 4, box.bottom);
  const lift = (group, on) => { group.classList.toggle("on", on); box.picture.classList.toggle("lift", on); if (on) group.parentNode.append(group); };
  const names = make("ul", null, { class: "names" });
  drawn.forEach((run, n) => {
    const { colour, dash } = styled(run), mine = points(run);
    const group = svg("g", { class: "run", style: `--c: ${colour}` });
    const path = mine.map(([v, y], k) => `${k ? "L" : "M"}${box.across(v).toFixed(1)} ${box.up(y).toFixed(1)}`).join("");
    const sure = mine.filter(([, , low]) => low !== null), clip = (v) => Math.min(Math.max(v, least), most);
    if (sure.length > 1) group.append(svg("path", { class: "band", d: sure.map(([v, , , high], k) => `${k ? "L" : "M"}${box.across(v).toFixed(1)} ${box.up(clip(high)).toFixed(1)}`).join("") + [...sure].reverse().map(([v, , low]) => `L${box.across(v).toFixed(1)} ${box.up(clip(low)).toFixed(1)}`).join("") + "Z" }));
    group.append(svg("path", { class: "line", d: path, "stroke-dasharray": dash }), svg("path", { class: "hit", d: path }));
    for (const [v, y, low, high] of curve.places.length > 30 ? [] : mine) {
      const dot = svg("circle", { cx: box.across(v), cy: box.up(y), r: 2.6 });
      dot.append(svg("title", {}));
      dot.firstChild.textContent = `${all.runs[run]}, ${plain(v)}: ${shown(y)}${low === null ? "" : ` [${shown(low)}, ${shown(high)}]`}`;
      group.append(dot);
    }
    const [ex, ey] = [box.across(last[n][0]), box.up(last[n][1])];
    if (curve.budgets && last[n][0] < curve.places.at(-1)) group.append(svg("path", { class: "end", d: `M${ex - 5} ${ey}L${ex} ${ey - 5}L${ex + 5} ${ey}L${ex} ${ey + 5}Z` }));
    if (several) {
      group.append(svg("path", { class: "leader", d: `M${ex + 6} ${ey}L${box.right + 8} ${places[n]}H${box.right + 12}` }));
      group.append(label(inside ? all.runs[run] : n + 1, box.right + 15, places[n] + 4));
    }
    box.picture.append(group);
    const sample = svg("svg", { width: 30, height: 8, class: "sample" }, svg("g", { class: "run", style: `--c: ${colour}` }, svg("path", { class: "line", d: "M0 4H30", "stroke-dasharray": dash })));
    const entry = make("li", null, {}, sample, make("span", several ? n + 1 + " " : ""), named(all.runs[run]));
    names.append(entry);
    for (const target of [group, entry]) {
      target.addEventListener("pointerenter", () => lift(group, true));
      target.addEventListener("pointerleave", () => lift(group, false));
    }
  });
  if (!inside || !several) $("curve-chart").append(names);
  const short = curve.budgets && last.some(([v]) => v < curve.places.at(-1));
  $("curve-note").textContent = short ? "A diamond ends a curve where half of the topics return no more." : "";
  $("curve-chart").dataset.ready = "yes";
}
const PARTS = ["recall", "lost by the ranker", "lost by the retriever", "lost by the chunker"];
const UNPARTED = "lost before ranking, by chunker or retriever";
function losses() {
  const known = all.losses.every((row) => row[4]);
  const words = (row, n) => (n === 3 && !row[4] ? UNPARTED : PARTS[n]);
  const shownParts = known ? [0, 1, 2, 3] : [0, 1, 3];
  $("loss-key").replaceChildren(...shownParts.map((n) => make("span", null, {}, make("span", null, { class: "swatch part-" + n }), n === 3 && !known ? UNPARTED : PARTS[n])));
  $("loss-bars").replaceChildren(...[...new Set(all.losses.map((row) => row[1]))].map((budget) => {
    const box = make("div", null, { class: "loss" }, make("h3", `At a budget of ${counted(budget)} ${all.unit}`));
    const rows = all.losses.filter((row) => row[1] === budget).sort((a, b) => b[2][0] - a[2][0]);
    for (const row of rows) {
      const parts = row[2].map((_, n) => n).filter((n) => row[4] || n !== 2);
      const stack = make("div", null, { class: "stack", "aria-hidden": "true" }, ...parts.map((n) => make("span", null, { class: "part-" + n, style: `flex: ${row[2][n] ?? 0} 0 0`, title: `${words(row, n)}: ${row[3][n]}` })));
      const text = parts.map((n) => `${words(row, n)} ${row[3][n]}`).join(" · ");
      box.append(make("div", null, { class: "loss-row" }, named(all.runs[row[0]]), stack, make("small", text)));
    }
    return box;
  }));
}
const painters = {};
function redraw(name) { if (painters[name] && painters[name].seen) painters[name].paint(); }
function watch(section, paint) {
  if (!$(section)) return;
  painters[section] = { paint, seen: false };
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((e) => e.isIntersecting)) return;
    observer.disconnect();
    first(section);
  }, { rootMargin: "200px" }).observe($(section));
}
function first(section) {
  if (painters[section].seen) return undefined;
  painters[section].seen = true;
  return painters[section].paint();
}
async function valuesOf(measure) { return data("values-" + measure); }
async function sorted(m, a, b) { // topics, those with the largest differences first
  const values = await valuesOf(m), place = new Map(all.order.map((topic, n) => [topic, n]));
  const d = all.topics.map((_, n) => (a === b || values[a][n] === null || values[b][n] === null ? 0 : Math.abs(values[a][n] - values[b][n])));
  return [...all.order].sort((x, y) => d[y] - d[x] || place.get(x) - place.get(y));
}
async function differences() {
  const m = Number($("measure").value), a = Number($("run-a").value), b = Number($("run-b").value);
  const values = await valuesOf(m), rows = [], place = new Map(all.order.map((topic, n) => [topic, n]));
  all.topics.forEach((topic, n) => {
    const x = values[a][n], y = values[b][n];
    if (x !== null && y !== null) rows.push({ topic, n, d: x - y });
  });
  rows.sort((x, y) => y.d - x.d || place.get(x.n) - place.get(y.n));
  const ups = rows.filter((row) => row.d > 0), same = rows.filter((row) => row.d === 0), downs = rows.filter((row) => row.d < 0);
  $("tally").textContent = `${all.measures[m]}: ${all.runs[a]} is higher on ${ups.length}, equal on ${same.length}, lower on ${downs.length} of ${rows.length} topics than ${all.runs[b]}.`;
  const bars = [...ups, ...downs], low = Math.min(0, ...bars.map((row) => row.d)), high = Math.max(0, ...bars.map((row) => row.d));
  const ids = bars.length <= 40, tail = ids ? Math.min(110, Math.max(...bars.map((row) => widthOf(row.topic)), 0)) : 0;
  const y = linear("difference in " + all.measures[m], low, high || (low ? 0 : 1), 5);
  const x = { title: `topics, sorted by difference (${counted(bars.length)} differ)`, ticks: [], share: (v) => v };
  const box = frame("difference-chart", 270 + tail, 10, x, y, $("tally").textContent);
  const gap = same.length ? Math.min(120, Math.max(60, widthOf(`${counted(same.length)} equal`) + 14)) : 0;
  const step = (box.right - box.left - gap) / Math.max(bars.length, 1), zero = box.up(0);
  const bottom = box.bottom - tail;
  const scaled = (v) => (tail ? box.top + (bottom - box.top) * ((box.up(v) - box.top) / (box.bottom - box.top)) : box.up(v));
  if (tail) { // ids take room below: the axis is drawn again above them
    box.picture.querySelectorAll(".gridline, .zero, text:not(.title)").forEach((node) => node.remove());
    for (const tick of y.ticks) box.picture.append(svg("line", { class: tick === 0 ? "zero" : "gridline", x1: box.left, x2: box.right, y1: scaled(tick), y2: scaled(tick) }), label(plain(tick), box.left - 7, scaled(tick) + 4, { "text-anchor": "end" }));
  }
  const marks = bars.map((row, n) => {
    const from = box.left + n * step + (n >= ups.length ? gap : 0), wide = Math.max(step * 0.86, Math.min(step, 0.6));
    const [top, end] = [Math.min(scaled(row.d), scaled(0)), Math.max(scaled(row.d), scaled(0))];
    const words = `topic: ${row.topic}; difference: ${row.d > 0 ? "+" : "−"}${shown(Math.abs(row.d))}`;
    const bar = svg("path", { class: row.d > 0 === !all.lowest.includes(m) ? "bar-better" : "bar-worse", d: `M${from} ${top}H${from + wide}V${end}H${from}Z`, "aria-roledescription": "bar", role: "img", "aria-label": words });
    bar.append(svg("title", {}));
    bar.firstChild.textContent = words;
    bar.addEventListener("click", () => goTo(row.n));
    box.picture.append(bar);
    if (ids) box.picture.append(label(row.topic.length > 16 ? row.topic.slice(0, 15) + "…" : row.topic, 0, 0, { transform: `translate(${from + wide / 2 + 4} ${bottom + 8}) rotate(-90)`, "text-anchor": "end" }));
    return bar;
  });
  if (gap) {
    const from = box.left + ups.length * step;
    box.picture.append(svg("rect", { class: "equal", x: from + 4, y: scaled(0) - 10, width: gap - 8, height: 20, rx: 4 }), label(`${counted(same.length)} equal`, from + gap / 2, scaled(0) + 4, { "text-anchor": "middle" }));
  }
  box.picture.setAttribute("tabindex", "0");
  let at = -1;
  box.picture.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Enter" && at >= 0) goTo(bars[at].n);
    if (!by || !bars.length) return;
    event.preventDefault();
    marks[at]?.classList.remove("chosen");
    at = (at + by + bars.length) % bars.length;
    marks[at].classList.add("chosen");
    box.picture.setAttribute("aria-label", marks[at].getAttribute("aria-label"));
  });
  $("difference-chart").dataset.ready = "yes";
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
  const signs = of >= 0 && of !== (all.baseline ?? 0), flip = all.lowest.includes(x) !== all.lowest.includes(y) ? -1 : 1;
  let odd = 0, total = 0;
  for (const p of rows) {
    p.disagrees = signs ? flip * p.x * p.y < 0 : rows.some((q) => flip * (p.x - q.x) * (p.y - q.y) < 0);
    if (signs) { odd += p.disagrees; total += 1; }
    else for (const q of rows) if (q !== p) { odd += flip * (p.x - q.x) * (p.y - q.y) < 0 ? 0.5 : 0; total += 0.5; }
  }
  $("agreement").textContent = signs
    ? `The measures disagree about the better run on ${odd} of ${total} topics (diamonds).`
    : `The measures put ${odd} of ${total} pairs in opposite order; what takes part in one is a diamond.`;
  const axis = (m, key, wanted) => {
    const every = rows.map((p) => p[key]), low = Math.min(...every), high = Math.max(...every), room = (high - low) * 0.08 || 0.05;
    return linear((signs ? "difference in " : "") + all.measures[m] + (of < 0 ? " (mean over topics)" : ""), low - room, high + room, wanted);
  };
  const box = frame("scatter-chart", 400, 20, axis(x, "x", 8), axis(y, "y", 6), $("agreement").textContent);
  const taken = [];
  for (const p of rows) {
    const [cx, cy] = [box.across(p.x), box.up(p.y)];
    const dot = p.disagrees ? svg("path", { class: "dot odd", d: `M${cx - 6} ${cy}L${cx} ${cy - 6}L${cx + 6} ${cy}L${cx} ${cy + 6}Z` }) : svg("circle", { class: "dot", cx, cy, r: 5 });
    dot.append(svg("title", {}));
    dot.firstChild.textContent = `${p.name}: ${shown(p.x)}, ${shown(p.y)}`;
    box.picture.append(dot);
    if (rows.length > all.labelled) continue;
    const wide = Math.min(widthOf(p.name), box.width * 0.6), words = widthOf(p.name) > wide ? p.name.slice(0, Math.floor(p.name.length * wide / widthOf(p.name)) - 1) + "…" : p.name;
    const centre = Math.min(Math.max(cx, box.left + wide / 2), box.right - wide / 2);
    const clear = [-11, 19, -26, 34].find((dy) => !taken.some(([a, b, c]) => Math.abs(a - centre) < (c + wide) / 2 + 4 && Math.abs(b - cy - dy) < 14));
    if (clear === undefined) continue;
    taken.push([centre, cy + clear, wide]);
    box.picture.append(label(words, centre, cy + clear, { "text-anchor": "middle" }));
  }
  $("scatter-chart").dataset.ready = "yes";
}

// One topic -----------------------------------------------------------------------------------
function goTo(topic) {
  $("topic-name").value = topic;
  $("topic").scrollIntoView();
  first("topic");
  oneTopic();
}
async function topics(keep) { // the list of topics, for the chosen measure and runs
  const [a, b] = [Number($("left").value), Number($("right").value)];
  const order = await sorted(Number($("measure").value), a, b < 0 ? a : b), select = $("topic-name"), was = select.value;
  const name = (n) => all.topics[n] + (all.questions[n] ? ": " + (all.questions[n].length > 70 ? all.questions[n].slice(0, 69) + "…" : all.questions[n]) : "");
  select.replaceChildren(...order.map((n) => make("option", name(n), { value: n })));
  if (keep) select.value = was;
}
// The text of the documents of a topic: places are counted in characters, not in code units.
class Library {
  constructor(sheet) { this.documents = sheet.documents; this.texts = new Map(); }
  async load() {
    const wanted = new Set(this.documents.map((d) => d[2]).filter((n) => n >= 0)), names = new Set(this.documents.map((d) => d[0]));
    for (const bundle of wanted)
      for (const [name, stretches] of await data("text-" + bundle))
        if (names.has(name)) this.texts.set(name, stretches);
    return this;
  }
  // Text from one place to another; null where it is not in this page.
  text(document, from, to) {
    for (const stretch of this.texts.get(this.documents[document][0]) ?? []) {
      const [start, words] = stretch;
      if (stretch[2] === undefined) stretch[2] = /[\ud800-\udfff]/.test(words) ? Array.from(words) : words;
      if (start <= from && to <= start + stretch[2].length) {
        const part = stretch[2].slice(from - start, to - start);
        return typeof part === "string" ? part : part.join("");
      }
    }
    return null;
  }
  // As much of a text as there is from its beginning.
  beginning(document, from, to) {
    for (const [start, words] of this.texts.get(this.documents[document][0]) ?? []) {
      const end = start + (/[\ud800-\udfff]/.test(words) ? Array.from(words).length : words.length);
      if (start <= from && from < end) return this.text(document, from, Math.min(to, end));
    }
    return null;
  }
}
const place = (name, from, to) => (from === undefined ? name : from < 0 ? `${name} · place unknown` : `${name} · ${counted(from)}–${counted(to)}`);
async function oneTopic() {
  const t = Number($("topic-name").value), m = Number($("measure").value);
  const sides = [...new Set([Number($("left").value), Number($("right").value)].filter((n) => n >= 0))];
  const asked = [t, m, ...sides, $("only").checked].join();
  $("rankings").dataset.asked = asked;
  const bundle = await data("topic-" + Math.floor(t / all.together)), sheet = bundle && bundle[t % all.together];
  const values = await valuesOf(m), library = sheet && (await new Library(sheet).load());
  if ($("rankings").dataset.asked !== asked) return; // somebody chose again meanwhile
  hideCard();
  const question = all.questions[t];
  $("question").replaceChildren(make("span", all.topics[t], { class: question ? "id" : "" }), ...(question ? [" ", question] : []));
  const remarks = sheet ? [...new Set(Object.values(sheet.runs).flatMap((run) => all.words[run.words]))] : ["The rankings are not in this report: it was made of results, or they could not be read."];
  $("topic-words").textContent = remarks.join(" · ");
  $("relevant").replaceChildren(...(sheet ? relevantText(sheet, library) : []));
  $("rankings").replaceChildren(...sides.map((run) => ranking(sheet, library, run, values[run][t], m)));
  $("documents").replaceChildren(...(sheet ? sides.map((run) => painted(sheet, library, run)) : []));
  $("rankings").dataset.shown = asked;
}
const PASSAGES = 20;
function relevantText(sheet, library) {
  const every = sheet.relevant.flatMap(([n, flat]) => flat.flatMap((_, k) => (k % 2 ? [] : [[n, flat[k], flat[k + 1]]])));
  if (!every.length) return [];
  const quotes = every.slice(0, PASSAGES).map(([n, from, to]) => {
    const words = library.beginning(n, from, Math.min(to, from + 1200)), name = sheet.documents[n][0];
    const box = make("blockquote");
    if (words !== null) box.append(make("span", words.replace(/\s+/g, " ") + (to > from + 1200 ? " …" : ""), { class: "quote" }));
    box.append(make("span", place(name, from, to), { class: "place" }));
    return box;
  });
  const more = every.length > PASSAGES ? [make("p", `${every.length - PASSAGES} more passages are not listed.`, { class: "note" })] : [];
  return [make("h4", every.length === 1 ? "Relevant text" : `Relevant text: ${every.length} passages`), ...quotes, ...more];
}
// The text of a result with its relevant parts marked; what lies after `stop` was not read.
function marked(words, from, relevant, stop) {
  const box = make("span", null, { class: "quote" }), points = Array.from(words);
  let holder = box, at = 0;
  const put = (to, mark) => {
    for (const end of at < stop && stop < to ? [stop, to] : [to]) {
      if (at === stop && holder === box) holder = box.appendChild(make("span", null, { class: "unread", title: "not read within the budget" }));
      const piece = points.slice(at, end).join("").replace(/\s+/g, " ");
      if (piece) holder.append(mark ? make("mark", piece, { class: "both", title: "relevant" }) : piece);
      at = end;
    }
  };
  for (const [a, b] of relevant) {
    const [x, y] = [Math.max(a - from, at), Math.min(b - from, points.length)];
    if (x >= y) continue;
    put(x, false);
    put(y, true);
  }
  put(points.length, false);
  return box;
}
const FIRST = 120;
function textOfResult(library, mine, rank, relevant, stop) {
  const document = mine.d[rank], own = mine.own[rank];
  const length = library.documents[document][1];
  const [from, to] = mine.s ? [mine.s[rank], mine.e[rank]] : [0, length];
  const words = own ?? (from < 0 || to <= from ? null : library.beginning(document, from, to));
  if (words === null) return [];
  const spans = own === undefined ? relevant.filter(([a, b]) => a < to && from < b) : [];
  const points = Array.from(words), whole = mine.s && spans.length > 0 && points.length <= 3000;
  if (whole || points.length <= FIRST) return [marked(words, from, spans, stop)];
  let end = FIRST;
  while (end < points.length && end < FIRST + 20 && /\S/.test(points[end])) end++;
  const start = marked(points.slice(0, end).join(""), from, spans, stop);
  const more = make("button", `… ${counted(points.length - end)} characters more`, { type: "button", class: "more" });
  more.addEventListener("click", (event) => { event.stopPropagation(); start.replaceWith(marked(words, from, spans, stop)); more.remove(); });
  return [start, more];
}
function ranking(sheet, library, run, value, measure) {
  const box = make("div");
  box.append(make("h3", null, {}, named(all.runs[run])), make("p", null, { class: "note" }, make("span", shown(value), { class: "value" }), ` ${all.measures[measure]}`));
  const mine = sheet && sheet.runs[run];
  if (!mine) { box.append(make("p", sheet ? "No results for this topic." : "", { class: "note" })); return box; }
  const head = all.headers[mine.head], skipped = head.includes("part") ? 3 : 2;
  const titles = head.slice(skipped), of = (name) => titles.indexOf(name);
  const extra = (of("new") >= 0 ? ["relevant", "read"] : ["grade", "relevant", "gain", "new", "score"]).map(of).filter((n) => n >= 0).slice(0, 2);
  const table = make("table", null, { class: "ranking" }), body = make("tbody");
  table.append(make("thead", null, {}, make("tr", null, {}, make("th", "#", { scope: "col" }), make("th", "result", { scope: "col" }), ...extra.map((n) => make("th", titles[n], { scope: "col", class: "n" })))), body);
  const relevant = new Map(sheet.relevant.map(([n, flat]) => [n, flat.flatMap((_, k) => (k % 2 ? [] : [[flat[k], flat[k + 1]]]))]));
  const budget = all.budget_of[measure] ?? (all.budgets.length ? all.budgets.at(-1) : null), limit = budget === null ? undefined : mine.ends[all.budgets.indexOf(budget)];
  const cellOf = (name, rank) => (of(name) < 0 ? NaN : Number(mine.cells[of(name)][rank].replaceAll(",", "")));
  let ended = false, hidden = 0;
  mine.d.forEach((document, rank) => {
    const name = library.documents[document][0], from = mine.s && mine.s[rank], to = mine.e && mine.e[rank];
    const part = mine.part ? mine.part[rank] : mine.s ? (from < 0 ? "?" : `${from}-${to}`) : "";
    const cells = [String(rank + 1), name, ...(skipped === 3 ? [part] : []), ...mine.cells.map((column) => column[rank])];
    const hit = hitOf(head, cells);
    const read = cellOf("read", rank), last = !ended && limit > 0 && read >= limit, inside = last && read > limit;
    const stop = inside ? limit - (read - cellOf("size", rank)) : undefined;
    const row = make("tr", null, { tabindex: "0", class: (hit ? "hit" : "") + (ended ? " unread" : "") });
    const result = make("td", null, {}, ...textOfResult(library, mine, rank, relevant.get(document) ?? [], stop));
    result.append(make("span", mine.part && mine.part[rank] ? `${name} · ${mine.part[rank]}` : place(name, from, to), { class: result.firstChild ? "place" : "" }));
    row.append(make("td", rank + 1), result, ...extra.map((n) => make("td", mine.cells[n][rank], { class: "n", "data-label": titles[n] })));
    const show = () => card(row, head, cells, all.words[mine.words]);
    row.addEventListener("mouseenter", show);
    row.addEventListener("focus", show);
    row.addEventListener("mouseleave", hideCard);
    row.addEventListener("blur", hideCard);
    if ($("only").checked && !hit) hidden += 1;
    else body.append(row);
    if (last) {
      ended = true;
      const where = inside ? `within this result, after ${counted(stop)} of its characters` : "here";
      body.append(make("tr", null, { class: "end" }, make("td", `the budget of ${counted(budget)} ${all.unit} ends ${where}`, { colspan: 2 + extra.length })));
    }
  });
  box.append(table);
  if (limit !== undefined && !ended && !mine.more) box.append(make("p", `The results end before the budget of ${counted(budget)} ${all.unit}.`, { class: "note" }));
  if (hidden) box.append(make("p", `${hidden} rows without relevant text are hidden.`, { class: "note" }));
  if (mine.more) box.append(make("p", `${counted(mine.more)} more results are not shown.`, { class: "note" }));
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
const NEAR = 500, FAR = 700, OPEN = 2, MOST_BOXES = 30;
const KEY = [["rel", "relevant, not retrieved"], ["ret", "retrieved"], ["both", "relevant and retrieved"], ["twice", "read twice"], ["near", "near miss"]];
function painted(sheet, library, run) {
  const mine = sheet.runs[run], box = make("div");
  if (!mine) return box;
  const spans = mine.d.map((document, rank) => [document, mine.s ? mine.s[rank] : 0, mine.s ? mine.e[rank] : library.documents[document][1], rank + 1]).filter(([, from, to]) => from >= 0 && to > from);
  const relevant = new Map(sheet.relevant.map(([n, flat, entry]) => [n, [flat.flatMap((_, k) => (k % 2 ? [] : [[flat[k], flat[k + 1]]])), entry]]));
  const ranked = new Map();
  spans.forEach((span) => { if (!ranked.has(span[0])) ranked.set(span[0], span[3]); });
  const order = [...new Set([...relevant.keys(), ...ranked.keys()])].sort((a, b) => relevant.has(b) - relevant.has(a) || (ranked.get(a) ?? Infinity) - (ranked.get(b) ?? Infinity) || a - b);
  if (!order.length) return box;
  const key = make("p", null, { class: "key" }, ...KEY.map(([kind, words]) => make("mark", words, { class: kind })), make("span", "▶ best entry point", { class: "entry" }));
  box.append(make("h3", null, {}, "Documents as ", named(all.runs[run]), " shows them"), key);
  let open = OPEN; // the first documents with something relevant in them show their text at once
  const boxes = order.slice(0, MOST_BOXES).map((n) => {
    const [passages, entry] = relevant.get(n) ?? [[], -1], here = spans.filter((s) => s[0] === n);
    const ends = [...passages, ...here.map(([, a, b]) => [a, b])].map(([, b]) => b);
    const doc = { n, name: library.documents[n][0], known: library.documents[n][1] >= 0, length: Math.max(library.documents[n][1], ...ends), relevant: passages, entry };
    return documentBox(doc, here, library, here.length > 0 && passages.length > 0 && open-- > 0);
  });
  box.append(...boxes);
  if (order.length > MOST_BOXES) box.append(make("p", `${order.length - MOST_BOXES} more documents are not shown.`, { class: "note" }));
  return box;
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
function documentBox(doc, spans, library, opened) {
  const pieces = kinds(doc, spans), box = make("details", null, { class: "document" });
  if (opened) box.open = true;
  const found = pieces.filter((p) => p.relevant && p.ranks.length).reduce((sum, p) => sum + p.to - p.from, 0);
  const wanted = doc.relevant.reduce((sum, [a, b]) => sum + b - a, 0);
  const ranks = spans.length ? "rank " + spans.map((s) => s[3]).join(", ") : "not retrieved";
  box.append(make("summary", doc.name + " ", {}, make("span", `${ranks} · ${wanted ? `${found} of ${wanted} relevant characters shown` : "no relevant text"}`)));
  const strip = svg("svg", { class: "strip", viewBox: `0 0 ${doc.length} 22`, preserveAspectRatio: "none", role: "img", "aria-label": "where the marked text lies in the document" });
  const least = doc.length / 400;
  const block = (piece, y, height, kind) => strip.append(svg("rect", { x: piece.from, y, width: Math.max(piece.to - piece.from, least), height, style: `fill: var(--${kind})` }));
  for (const piece of pieces) {
    if (piece.kind) block(piece, 4, 14, piece.kind);
    if (piece.kind === "twice" && piece.relevant) block(piece, 4, 7, "both");
  }
  if (doc.entry >= 0) strip.append(svg("rect", { x: doc.entry, y: 0, width: least, height: 22, style: "fill: var(--bad)" }));
  box.append(strip);
  if (doc.known) textOf(doc, pieces, library, box);
  return box;
}
function textOf(doc, pieces, library, holder) {
  const box = make("div", null, { class: "text", tabindex: "0" });
  const raw = (from, to) => library.text(doc.n, from, to);
  const tidy = (words) => words.replace(/\s*\n\s*\n\s*/g, "\n\n");
  let end = "\n\n"; // how the text before ends: two pieces make no more than one blank line
  let some = false, first = null;
  const cut = (words) => {
    let text = tidy(words);
    if (end.endsWith("\n\n")) text = text.trimStart();
    else if (end.endsWith("\n")) text = text.replace(/^\s*\n\s*/, "\n");
    end = (end + text).slice(-2);
    some = true;
    return text;
  };
  const gapped = (from, to) => { // text that is not marked: its ends, with the rest to be opened
    const whole = raw(from, to);
    if (whole !== null && to - from <= FAR) { box.append(cut(whole)); return; }
    const head = from > 0 ? raw(from, from + 100) : "", tail = to < doc.length ? raw(to - 100, to) : "";
    const before = head === null ? "" : (/^[^]*\S(?=\s)/.exec(head) ?? [head])[0], after = tail === null ? "" : (/\s[^]*$/.exec(tail) ?? [tail])[0];
    const rest = to - from - before.length - after.length, words = `… ${rest} characters …`;
    const middle = raw(from + before.length, to - after.length);
    const gap = middle === null ? make("span", words, { class: "quiet" }) : make("button", words, { type: "button", class: "gap" });
    if (middle !== null) gap.addEventListener("click", () => gap.replaceWith(tidy(middle)));
    box.append(cut(before), gap);
    end = "…";
    box.append(cut(after));
  };
  for (const piece of pieces) {
    if (piece.from === doc.entry) box.append(make("span", "▶", { class: "entry", title: "best entry point" }));
    if (!piece.kind) {
      if (piece.to - piece.from > FAR || raw(piece.from, piece.to) === null) gapped(piece.from, piece.to);
      else box.append(cut(raw(piece.from, piece.to)));
      continue;
    }
    const again = piece.kind === "twice" && piece.relevant, there = raw(piece.from, piece.to) ?? library.beginning(doc.n, piece.from, piece.to);
    const words = new Map(KEY).get(piece.kind) + (again ? ", relevant" : "");
    const mark = make("mark", there === null ? `… ${piece.to - piece.from} characters …` : cut(there), { class: piece.kind + (again ? " both" : ""), title: words + (piece.ranks.length ? "; rank " + piece.ranks.join(", ") : "") });
    box.append(mark);
    if (!first && piece.relevant) first = mark;
  }
  if (!some) return;
  holder.append(box);
  const show = () => { if (first && holder.open) box.scrollTop = Math.max(0, first.offsetTop - box.offsetTop - 60); }; // begin at what is relevant
  holder.addEventListener("toggle", show);
  requestAnimationFrame(show);
}

// Beginning -----------------------------------------------------------------------------------
async function begin() {
  all = await data("all");
  fill($("measure"), all.measures);
  overview();
  document.documentElement.dataset.ready = "yes";
  const base = all.baseline ?? Math.min(1, all.runs.length - 1), other = all.runs.findIndex((_, n) => n !== base);
  $("find").addEventListener("input", overview);
  if ($("curves")) {
    fill($("curve"), all.curves, all.curve_of[0] ?? 0);
    $("curve").addEventListener("change", curves);
    watch("curves", curves);
  }
  if ($("losses")) watch("losses", losses);
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
  fill($("left"), all.runs, 0);
  $("right").append(make("option", "nothing", { value: -1 }), ...all.runs.map((name, n) => make("option", name, { value: n })));
  $("right").value = all.runs.length > 1 ? (base === 0 ? 1 : base) : -1;
  const kinds = all.runs.length > 1 ? "Topics with the largest differences come first. " : "";
  const without = all.painted ? "" : " Their text is not in the collection, or --collection is missing.";
  $("painted").textContent = kinds + (all.detailed ? `Documents are painted for ${counted(all.painted)} of ${counted(all.topics.length)} topics.${without}` : "") + (all.cut ? " Some text is left out, to keep this page small." : "");
  await topics(false);
  $("measure").addEventListener("change", async () => {
    const curve = all.curve_of[Number($("measure").value)];
    if ($("curves") && curve !== null) $("curve").value = curve;
    overview();
    await topics(true);
    ["curves", "differences", "topic"].forEach(redraw);
  });
  ["left", "right"].forEach((id) => $(id).addEventListener("change", async () => { await topics(true); oneTopic(); }));
  ["topic-name", "only"].forEach((id) => $(id).addEventListener("change", oneTopic));
  const step = (by) => { const n = all.topics.length; $("topic-name").selectedIndex = ($("topic-name").selectedIndex + by + n) % n; oneTopic(); };
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  watch("topic", oneTopic);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideCard(); });
  let wide = window.innerWidth, waiting = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === wide) return;
    wide = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(() => ["curves", "differences", "scatter"].forEach(redraw), 150);
  });
  // Everything is drawn soon, so that a print has it; what is folded is opened for it.
  const later = window.requestIdleCallback ?? ((work) => setTimeout(work, 300));
  const next = (names) => names.length && later(async () => { await first(names[0]); next(names.slice(1)); });
  next(Object.keys(painters));
  const folded = [];
  window.addEventListener("beforeprint", () => document.querySelectorAll("details:not([open])").forEach((box) => { box.open = true; folded.push(box); }));
  window.addEventListener("afterprint", () => folded.splice(0).forEach((box) => { box.open = false; }));
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

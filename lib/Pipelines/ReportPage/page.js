// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page: its state, sizes, the graph with its details, and what happens when something
// is chosen or a size changes. All is read from the JSON of the report.
"use strict";

const report = useNamesOfSentence(JSON.parse(document.getElementById("report").textContent));
const byName = new Map(report.functions.map((fn) => [fn.name, fn]));
const $ = (id) => document.getElementById(id);
const state = { fn: null, sizes: new Map(), open: new Set(), chosen: null, sort: null };
const evaluator = new Evaluator(report.expressions);

/** Extents that an exporter has named are called as in the sentence, `x.dim2`, wherever they are shown; not in what one
    writes. Names of different extents in two functions stay. */
function useNamesOfSentence(report) {
  const texts = new Map(), sizes = report.functions.flatMap((fn) => fn.sizes ?? []);
  for (const { name, text } of sizes)
    if (text && sizes.every((other) => other.name !== name || other.text === text)) texts.set(name, text);
  if (!texts.size) return report;
  const names = [...texts.keys()].map((name) => name.replace(/[^\w]/g, "\\$&")).join("|");
  const pattern = new RegExp(`(?<![\\w.])(?:${names})(?![\\w])(?!\\.\\w)`, "g");
  const rename = (one, key) => typeof one === "string" ? one.replace(pattern, (name) => texts.get(name))
    : Array.isArray(one) ? key === "write" ? one : one.map((each) => rename(each))
    : one && typeof one === "object" ? Object.fromEntries(Object.entries(one).map(([name, each]) => [rename(name), rename(each, name)])) : one;
  const { source, ...shown } = report;
  return { source, ...rename(shown) };
}

/** An element with attributes and children; handlers are properties. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function table(columns, rows) {
  const head = columns.map((column) => element("th", { className: column.className ?? "" }, column.title));
  return element("table", {}, element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows.map((row) => element("tr", row.attributes ?? {},
      ...row.cells.map((cell, i) => element("td", { className: columns[i].className ?? "" }, cell))))));
}

/** `text` with a click that chooses the op. */
function opLink(index) {
  const op = state.fn.graph.ops[index];
  const where = op.node ?? (op.line ? `line ${op.line}` : op.at ?? "");
  return element("button", { className: "link", type: "button", onclick: () => chooseOp(index) }, `${op.name} ${where}`);
}

function opLinks(indices) {
  return element("ul", {}, ...indices.map((index) => element("li", {}, opLink(index))));
}

/** Lines of a list that is long are put behind a click. */
function folded(title, content, isOpen = false) {
  return element("details", { open: isOpen }, element("summary", {}, title), content);
}

//===--- Sizes ---------------------------------------------------------------------===//

/** The values that a slider shows: from `min`, in steps, to `shown`; negative ones are
    only typed. */
function limitsOf(size) {
  const least = size.min === null ? 0n : BigInt(size.min), max = size.max === null ? null : BigInt(size.max);
  const step = BigInt(size.modulus ?? 1) || 1n, rest = BigInt(size.remainder ?? 0);
  const min = least < 0n && (max === null || max >= 0n) ? 0n : least;
  const first = min + ((((rest - min) % step) + step) % step);
  const largest = Math.max(4096, ...(size.likely ?? []));
  const shown = max !== null && max < BigInt(largest) ? max : BigInt(largest);
  return { min: first, max, step, shown: shown > first ? shown : first };
}

function defaultOf(size) {
  const given = report.values[size.name];
  if (given !== undefined) return BigInt(given);
  if (size.declared !== undefined) return null;
  const { min, max, step } = limitsOf(size);
  if (size.likely?.length) return BigInt(size.likely[0]);
  // 8, or the first value above, unless that is too large.
  const wish = min >= 8n ? min : min + step * ((8n - min + step - 1n) / step);
  return max !== null && wish > max ? min : wish;
}

// What strides, blocks and heads of networks divide, then small ones.
const TRIES = [16n, 32n, 64n, 128n, 256n, 512n, 1024n, 224n, 320n, 640n, 48n, 4n, 3n, 2n, 1n];

/** Where each size begins: so that the guards hold, if a few tries find that. What --shape gives stays. */
function chooseSizes(fn) {
  let best = new Map(fn.sizes.map((size) => [size.name, defaultOf(size)]));
  const failing = (values) => {
    evaluator.setSizes(sizesOf(fn, values));
    return (fn.guards ?? []).filter((guard) => evaluator.holds(guard.test) === false).length;
  };
  const fits = (size, value) => {
    const { min, max, step } = limitsOf(size);
    return value >= min && (max === null || value <= max) && (value - min) % step === 0n;
  };
  const free = fn.sizes.filter((size) => size.isInput && best.get(size.name) !== null && report.values[size.name] === undefined).slice(0, 8);
  let least = failing(best);
  const attempt = (sizes, value) => {
    const values = new Map(best);
    sizes.forEach((size) => { if (fits(size, value)) values.set(size.name, value); });
    const count = failing(values);
    if (count < least) [best, least] = [values, count];
  };
  for (const value of TRIES) if (least) attempt(free, value); // all alike, then one by one
  for (const size of free) for (const value of TRIES) if (least) attempt([size], value);
  return best;
}

/** `value` null: what is declared. */
function setSize(name, value) {
  state.sizes.set(name, value);
  if (!state.update) state.update = requestAnimationFrame(() => { state.update = 0; showSizes(); });
}

// Ends that say no more than that an extent, or a number, is one.
const MAX_EXTENT = "281474976710655", NO_END = new Set([MAX_EXTENT, "9223372036854775807", "-9223372036854775808", null]);

/** `1 to 64, a multiple of 8`; empty for what each extent, or number, is. */
function rangeOf(size) {
  const min = NO_END.has(size.min) || (size.min === "0" && size.max === MAX_EXTENT) ? null : size.min;
  const max = NO_END.has(size.max) ? null : size.max;
  const ends = min !== null && max !== null ? `${min} to ${max}` : min !== null ? `at least ${min}` : max !== null ? `at most ${max}` : "";
  const residue = !size.modulus ? "" : size.remainder === "0" ? `a multiple of ${size.modulus}` : `${size.remainder} modulo ${size.modulus}`;
  return [ends, residue].filter(Boolean).join(", ");
}

/** Sliders go up by a power, so that small and large sizes are both at hand. */
function makeSize(size) {
  const { min, shown, step } = limitsOf(size), span = Number((shown - min) / step);
  const toValue = (x) => min + step * BigInt(Math.round(span * (x / 1000) ** 3));
  const toX = (value) => Math.round(1000 * Math.cbrt(Math.min(1, Math.max(0, Number((value - min) / step) / Math.max(1, span)))));
  const value = state.sizes.get(size.name) ?? min;
  const isDeclared = size.declared !== undefined;
  const number = element("input", { type: "number", value: isDeclared ? "" : value.toString(), placeholder: isDeclared ? "declared" : "", step: step.toString(), "aria-label": `value of ${size.name}` });
  const slider = element("input", { type: "range", min: 0, max: 1000, value: toX(value), "aria-label": `slider of ${size.name}` });
  slider.oninput = () => {
    number.value = toValue(Number(slider.value)).toString();
    setSize(size.name, BigInt(number.value));
  };
  number.oninput = () => {
    if (isDeclared && number.value === "") setSize(size.name, null);
    if (!/^-?\d+$/.test(number.value)) return;
    slider.value = toX(BigInt(number.value));
    setSize(size.name, BigInt(number.value));
  };
  const symbol = state.fn.symbols.find((one) => one.name === size.name);
  const range = rangeOf(size);
  const colour = symbol ? colourOf(classes.of({ extents: [""], dims: nodesNamed(size.name) }).number) : "inherit";
  return element("div", { className: "size", title: symbol?.why ?? size.what },
    element("span", { className: "name", style: `color:${colour}` }, size.name), slider, number,
    element("small", {}, `${size.what}${range && `, ${range}`}${size.isInput ? "" : " (known when it runs)"}`));
}

function nodesNamed(name) {
  const index = report.expressions.indexOf(name);
  return index < 0 ? [] : [index];
}

//===--- Functions -----------------------------------------------------------------===//

let classes, view;

function showFunction(name) {
  const fn = byName.get(name);
  state.fn = fn;
  state.chosen = null;
  state.open = new Set();
  state.guardsOf = null;
  fn.values ??= chooseSizes(fn);
  state.sizes = fn.values;
  classes = new SymbolClasses(evaluator);
  fn.symbols.forEach((symbol) => classes.of({ extents: [""], dims: nodesNamed(symbol.name) }));
  document.title = `@${name} in ${report.source.file}`;
  $("summary").textContent = summaryOf(fn);
  $("sizes").replaceChildren(...fn.sizes.map(makeSize));
  $("sizes-bar").hidden = fn.sizes.length === 0;
  $("details").replaceChildren(element("p", { className: "soft" }, "Choose a box, or a line of the source."));
  showGraph();
  // Where it begins, in the middle of a wide graph.
  $("canvas").scrollTo(Math.max(0, ((view.first()?.x ?? 0) + 60) * view.zoom - $("canvas").clientWidth / 2), 0);
  showValues();
  showUnknown();
  showSource();
  showProfile();
  showSizes();
}

function summaryOf(fn) {
  const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
  return `@${fn.name}: ${fn.fits}; ${fn.numProved} proved, ${count(fn.numGuards, "guard", "guards")}, ` +
    count(fn.numChecks, "check", "checks") + (fn.numLeft ? `, ${fn.numLeft} left to its callers` : "");
}

/** The values of all sizes: an extent that is declared is that, unless one is given. */
function sizesOf(fn, values) {
  const sizes = new Map(values);
  evaluator.setSizes(sizes);
  for (const size of fn.sizes)
    if (sizes.get(size.name) === null) sizes.set(size.name, evaluator.valueOf(size.declared));
  return sizes;
}

const sizesNow = () => sizesOf(state.fn, state.sizes);

/** What depends on the sizes. */
function showSizes() {
  evaluator.setSizes(sizesNow());
  showVerdict();
  showGuards();
  showVersions();
  showMemory();
  showCosts();
  if (state.chosen) showDetails(state.chosen);
}

//===--- Graph ---------------------------------------------------------------------===//

function showGraph() {
  const boxes = new Boxes(byName, state.open, $("show-minor").checked);
  const level = boxes.ofFunction(state.fn, `@${state.fn.name}`);
  view.draw(level, classes);
  markBoxes();
  const seen = new Map();
  for (const value of state.fn.graph.values) {
    const one = classes.of(value);
    if (value.extents) seen.set(one.number, one.name);
  }
  $("legend").replaceChildren(...[...seen].sort((a, b) => a[0] - b[0]).map(([number, name]) =>
    element("span", { style: `color:${colourOf(number)}` }, `\u2014 ${name}`)));
}

/** Ops of this function, of boxes that are its own. */
function hasOp(box, indices) {
  return box.fn === state.fn && box.ops.some((index) => indices.has(index));
}

function markBoxes() {
  const needs = new Set((state.fn.guards ?? []).flatMap((guard) => guard.ops));
  view.mark("needs", (box) => hasOp(box, needs));
  view.mark("chosen", (box) => box.key === state.chosen?.key);
  const text = $("search").value.trim().toLowerCase();
  const matches = (box) => text !== "" && [box.title, box.subtitle ?? "", ...box.ops.map((i) => box.fn.graph.ops[i].name),
    ...box.ops.map((i) => `line ${box.fn.graph.ops[i].line}`)].some((one) => one.toLowerCase().includes(text));
  view.mark("found", matches);
  return matches;
}

function toggle(box) {
  if (!box.canOpen) return;
  if (!state.open.delete(box.key)) state.open.add(box.key);
  showGraph();
  view.focus(box.key);
}

function choose(box) {
  state.chosen = box;
  markBoxes();
  showDetails(box);
  const line = box.fn === state.fn ? box.ops.map((i) => box.fn.graph.ops[i].line).find((one) => one) : undefined;
  markLine(line);
}

/** Chooses the box of an op, opening what it is in; one that is hidden shows its line. */
function chooseOp(index) {
  const fn = state.fn, find = () => [...view.elements.values()].map((one) => one.box)
    .filter((box) => box.fn === fn && box.ops.includes(index)).sort((a, b) => a.ops.length - b.ops.length)[0];
  let box = find();
  while (box && box.canOpen && box.kind !== "call" && box.ops[0] !== index && !box.inner) {
    state.open.add(box.key);
    showGraph();
    const inner = find();
    if (!inner || inner.key === box.key) break;
    box = inner;
  }
  if (box) {
    choose(box);
    view.focus(box.key);
  } else {
    const op = fn.graph.ops[index];
    showDetails({ fn, title: op.name, ops: [index], operands: op.operands, results: op.results });
  }
  markLine(fn.graph.ops[index].line, true);
}

//===--- Details of a box ----------------------------------------------------------===//

function valueText(fn, id) {
  const value = fn.graph.values[id];
  if (!value.extents) return value.type;
  const numbers = fn === state.fn ? value.dims.map((dim) => evaluator.valueOf(dim)) : [];
  const here = numbers.length && !numbers.includes(null) ? ` = ${numbers.join("\u00d7")}` : "";
  return `${extentsText(value)}${here} ${value.type}`;
}

function showDetails(box) {
  const { fn } = box, parts = [element("h3", {}, box.title)];
  const add = (title, ...content) => parts.push(element("h4", {}, title), ...content);
  if (box.subtitle) parts.push(element("div", { className: "soft" }, box.subtitle));
  if (box.canOpen)
    parts.push(element("button", { type: "button", id: "toggle", onclick: () => { toggle(box); } }, box.inner ? "close" : "open"));
  if (box.kind === "call" && byName.has(fn.graph.ops[box.ops[0]].callee))
    parts.push(" ", element("button", { type: "button", onclick: () => selectFunction(fn.graph.ops[box.ops[0]].callee) }, "go to the function"));
  const values = (ids) => element("ul", {}, ...[...new Set(ids)].map((id) => element("li", {}, element("code", {}, valueText(fn, id)))));
  // What crosses the border of the box; of several ops, what has a shape.
  const made = new Set(box.results), own = new Set(box.ops), isOne = box.ops.length === 1;
  const outside = new Set(fn.graph.ops.flatMap((op, i) => (own.has(i) ? [] : op.operands)));
  const isTold = (id) => isOne || fn.graph.values[id].extents;
  const taken = box.operands.filter((id) => !made.has(id) && isTold(id));
  const given = box.results.filter((id) => isOne || (isTold(id) && outside.has(id)));
  if (taken.length) add("takes", values(taken));
  if (given.length) add("gives", values(given));
  const costs = fn === state.fn ? costsOf(fn, box.ops, evaluator, []) : null;
  if (costs && box.ops.length)
    add("costs", element("div", {}, `${spellCost(costs, "bytes")} bytes, ${spellCost(costs, "flop")} FLOP at these sizes`));
  const linked = (one, many, list, show) => {
    const found = (fn[list] ?? []).filter((entry) => entry.ops.some((index) => box.ops.includes(index)));
    if (found.length) add(`${found.length} ${found.length === 1 ? one : many}`, element("ul", {}, ...found.map((entry) => element("li", {}, show(entry)))));
  };
  linked("guard", "guards", "guards", (guard) => element("span", {}, verdict(guard), " ", sentenceOf(guard)));
  linked("check", "checks", "checks", (check) => `${sentenceOf(check)}, before ${check.before}`);
  linked("guard that others imply", "guards that others imply", "dropped", (guard) => `${sentenceOf(guard)}: implied by ${guard.impliedBy.join(" and ")}`);
  linked("proof", "proofs", "proved", (proof) => folded(sentenceOf(proof), reasonOf(proof)));
  const lines = [...new Set(box.ops.map((i) => fn.graph.ops[i].line).filter((line) => line))];
  if (lines.length)
    add("source", ...lines.slice(0, 12).map((line) => element("button", { className: "link", type: "button", onclick: () => markLine(line, true) }, `line ${line} `)));
  const places = [...new Set(box.ops.map((i) => fn.graph.ops[i].at).filter((at) => at))];
  if (places.length) add("place", element("div", { className: "soft" }, places[0]));
  $("details").replaceChildren(...parts);
}

//===--- Start ---------------------------------------------------------------------===//

function selectFunction(name) {
  $("functions").value = name;
  showFunction(name);
}

function openAll() {
  // Opening shows further boxes; calls stay closed, since they repeat.
  const before = view.first()?.x ?? 0;
  for (let round = 0; round < 4; ++round) {
    const more = [...view.elements.values()].filter(({ box }) => box.canOpen && box.kind !== "call" && !state.open.has(box.key));
    if (!more.length) break;
    more.forEach(({ box }) => state.open.add(box.key));
    showGraph();
  }
  $("canvas").scrollLeft += ((view.first()?.x ?? 0) - before) * view.zoom;
}

function onKey(event) {
  const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (event.key === "Escape") {
    event.target.blur();
    $("search").value = "";
    markBoxes();
  } else if (event.key === "/" && !isTyping) {
    event.preventDefault();
    $("search").focus();
  }
  const key = event.target.dataset?.key, box = key && view.elements.get(key)?.box;
  if (!box) return;
  const moves = { ArrowDown: ["y", 1], ArrowUp: ["y", -1], ArrowRight: ["x", 1], ArrowLeft: ["x", -1] };
  if (event.key === "Enter" || event.key === " ") choose(box);
  else if (event.key === "o") toggle(box);
  else if (moves[event.key]) {
    const next = view.neighbour(key, ...moves[event.key]);
    if (next) view.focus(next);
  } else return;
  event.preventDefault();
}

/** On a phone the answer comes first; sliders and graph are there on demand. */
function foldForPhones() {
  if (!matchMedia("(max-width: 820px)").matches) return;
  $("sizes-bar").open = false;
  $("graph-fold").open = false;
  // A graph that is not shown has no width to be in the middle of.
  $("graph-fold").addEventListener("toggle", () => { showGraph(); }, { once: true });
}

function start() {
  view = new GraphView($("graph"), { choose, toggle });
  $("file").textContent = report.source.file;
  const public_ = report.functions.filter((fn) => fn.isPublic), private_ = report.functions.filter((fn) => !fn.isPublic);
  const options = (list) => list.map((fn) => element("option", { value: fn.name }, `@${fn.name}`));
  $("functions").append(...options(public_));
  if (private_.length) $("functions").append(element("optgroup", { label: "private" }, ...options(private_)));
  $("functions").onchange = () => showFunction($("functions").value);
  $("show-minor").onchange = showGraph;
  $("open-all").onclick = openAll;
  $("close-all").onclick = () => { state.open.clear(); showGraph(); };
  $("zoom-in").onclick = () => view.setZoom(Math.min(3, view.zoom * 1.25));
  $("zoom-out").onclick = () => view.setZoom(Math.max(0.1, view.zoom / 1.25));
  $("search").oninput = markBoxes;
  $("search").onkeydown = (event) => {
    if (event.key !== "Enter") return;
    const matches = markBoxes();
    const found = [...view.elements.values()].find(({ box }) => matches(box));
    if (found) { choose(found.box); view.focus(found.box.key); }
  };
  document.addEventListener("keydown", onKey);
  showRuns();
  showCompilations();
  const first = public_[public_.length - 1] ?? private_[0];
  if (first) selectFunction(first.name);
  else $("summary").textContent = "no function has a body";
  foldForPhones();
}

start();

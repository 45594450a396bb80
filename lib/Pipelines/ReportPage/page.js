// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page: what each section shows, and what happens when something is chosen or a size
// changes. All is read from the JSON of the report.
"use strict";

const report = JSON.parse(document.getElementById("report").textContent);
const byName = new Map(report.functions.map((fn) => [fn.name, fn]));
const $ = (id) => document.getElementById(id);
const state = { fn: null, sizes: new Map(), open: new Set(), chosen: null, sort: null };
const evaluator = new Evaluator(report.expressions);

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

/** `value` null: what is declared. */
function setSize(name, value) {
  state.sizes.set(name, value);
  if (!state.update) state.update = requestAnimationFrame(() => { state.update = 0; showSizes(); });
}

// Ends that say no more than that an extent, or a number, is one.
const NO_END = new Set(["281474976710655", "9223372036854775807", "-9223372036854775808", null]);

/** `1 to 64, a multiple of 8`. */
function rangeOf(size) {
  const min = NO_END.has(size.min) ? null : size.min, max = NO_END.has(size.max) ? null : size.max;
  const ends = min !== null && max !== null ? `${min} to ${max}` : min !== null ? `at least ${min}` : max !== null ? `at most ${max}` : "any number";
  if (!size.modulus) return ends;
  return `${ends}, ${size.remainder === "0" ? `a multiple of ${size.modulus}` : `${size.remainder} modulo ${size.modulus}`}`;
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
    element("small", {}, `${size.what}, ${range}${size.isInput ? "" : " (known when it runs)"}`));
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
  fn.values ??= new Map(fn.sizes.map((size) => [size.name, defaultOf(size)]));
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
  showSizes();
}

function summaryOf(fn) {
  const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
  return `@${fn.name}: ${fn.fits}; ${fn.numProved} proved, ${count(fn.numGuards, "guard", "guards")}, ` +
    count(fn.numChecks, "check", "checks") + (fn.numLeft ? `, ${fn.numLeft} left to its callers` : "");
}

/** The values of all sizes: an extent that is declared is that, unless one is given. */
function sizesNow() {
  const sizes = new Map(state.sizes);
  evaluator.setSizes(sizes);
  for (const size of state.fn.sizes)
    if (sizes.get(size.name) === null) sizes.set(size.name, evaluator.valueOf(size.declared));
  return sizes;
}

/** What depends on the sizes. */
function showSizes() {
  evaluator.setSizes(sizesNow());
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

//===--- Guards --------------------------------------------------------------------===//

function verdict(one) {
  const answer = evaluator.holds(one.test);
  const [name, text] = answer === true ? ["holds", "\u2713 holds"] : answer === false ? ["fails", "\u2717 fails"] : ["open", "? depends"];
  return element("span", { className: name }, text);
}

function reasonOf(proof) {
  const facts = [...proof.impliedBy, ...proof.ranges];
  return element("div", {},
    facts.length ? element("div", {}, `because ${facts.join(" and ")}`) : element("div", {}, "by the form of the expressions alone"),
    element("ul", {}, ...proof.reasons.map((reason) => element("li", { className: "soft" }, reason))));
}

/** The sentence, and where its names come from, but those that have a size above. */
function sentenceOf(one) {
  const [sentence, ...origins] = one.condition.split("\n");
  const isSize = (line) => state.fn.sizes.some((size) => line.trim().startsWith(`${size.name} is `));
  return [sentence, ...origins.filter((line) => !isSize(line))].join("\n");
}

function guardCell(guard) {
  return element("div", {}, element("div", { className: "condition", style: "white-space: pre-line" }, sentenceOf(guard)),
    guard.numpy ? element("div", { className: "soft" }, guard.numpy) : null,
    folded("needed by", element("div", {}, opLinks(guard.ops), element("ul", {}, ...guard.reasons.map((reason) => element("li", { className: "soft" }, reason))),
      guard.gone ? element("div", { className: "soft" }, `not checked ${guard.gone}`) : null)),
    guard.write ? element("div", { className: "soft" }, "to declare it, write") : null,
    ...(guard.write ?? []).map((line) => element("code", { className: "write" }, line)));
}

function showGuards() {
  const fn = state.fn, parts = [];
  if (!fn.guards) {
    $("guards").replaceChildren(element("p", {}, "Its callers check what it requires."));
    return;
  }
  // Rows stay when a size changes, so that what is opened stays open.
  if (state.guardsOf === fn) {
    $("guards").querySelectorAll("td.verdict").forEach((cell, i) => cell.replaceChildren(verdict(fn.guards[i])));
    return;
  }
  state.guardsOf = fn;
  const columns = [{ title: "here", className: "verdict" }, { title: "checked at entry" }];
  if (fn.guards.length) parts.push(table(columns, fn.guards.map((guard) => ({ cells: [verdict(guard), guardCell(guard)] }))));
  else parts.push(element("p", {}, "No call needs to be checked at entry."));
  if (fn.checks.length)
    parts.push(table([{ title: "checked where data is known" }, { title: "before" }], fn.checks.map((check) => ({ cells: [guardCell(check), check.before] }))));
  const list = (title, items, show) => {
    if (items.length) parts.push(folded(`${items.length} ${title}`, element("ul", {}, ...items.map((one) => element("li", {}, show(one))))));
  };
  list("more guards that these imply", fn.dropped, (guard) => element("div", {}, sentenceOf(guard),
    element("div", { className: "soft" }, `implied by ${guard.impliedBy.join(" and ")}`)));
  const proofs = element("div"), all = folded(`${fn.numProved} requirements are proved`, proofs);
  all.id = "proved";
  all.addEventListener("toggle", () => {
    if (proofs.firstChild) return;
    proofs.append(element("ul", {}, ...fn.proved.map((proof) => element("li", {}, folded(sentenceOf(proof), element("div", {}, reasonOf(proof), opLinks(proof.ops)))))));
  });
  parts.push(all);
  $("guards").replaceChildren(...parts);
}

//===--- Unknown, versions, values -------------------------------------------------===//

function showUnknown() {
  const { unknown } = state.fn;
  $("unknown").replaceChildren(unknown.length === 0 ? element("p", {}, "Every extent has a value when the function is called.")
    : table([{ title: "extent" }, { title: "why" }, { title: "to name it, write after the op" }], unknown.map((one) => ({
        cells: [element("span", {}, one.where, " ", opLink(one.op)), one.why, element("code", {}, one.write)] }))));
}

function showVersions() {
  const versions = state.fn.versions ?? [], unused = state.fn.unusedVersions ?? [];
  $("versions-section").hidden = versions.length + unused.length === 0;
  const answers = versions.map((version) => evaluator.holds(version.test));
  const first = answers.findIndex((answer) => answer !== false);
  const serving = answers[first] === true ? first : -1;
  $("versions").replaceChildren(table([{ title: "here" }, { title: "version" }, { title: "serves" }], versions.map((version, i) => ({
    attributes: { className: i === serving ? "serving" : "" },
    cells: [element("span", { className: i === serving ? "holds" : "open" }, i === serving ? "\u2713 serves this call" : ""), version.name, version.serves] }))),
    ...unused.map((text) => element("p", { className: "soft" }, text)));
}

function showValues() {
  const { fn } = state, row = (value) => ({ cells: [value.name, value.extents ? `[${value.extents.join(", ")}]` : "", value.type] });
  const columns = [{ title: "name", className: "code" }, { title: "extents", className: "code" }, { title: "type", className: "code" }];
  const inputs = fn.arguments.filter((value) => value.weight === undefined), weights = fn.arguments.filter((value) => value.weight !== undefined);
  $("values").replaceChildren(table(columns, [...inputs, ...fn.results].map(row)),
    weights.length ? folded(`${weights.length} weights`, table(columns, weights.map(row))) : "");
}

//===--- Memory --------------------------------------------------------------------===//

function showMemory() {
  const { memory } = state.fn, parts = [];
  if (memory.notPlanned) parts.push(element("p", {}, `Not planned: ${memory.notPlanned}`));
  else if (memory.isInCallers) parts.push(element("p", {}, "It becomes a part of its callers, whose memory it shares."));
  else {
    const sizes = evaluateMemory(memory, evaluator);
    parts.push(element("p", {}, "Arena: ", element("b", { id: "arena-bytes" }, spellNumber(sizes.arena)), " bytes; most in use at once: ",
      element("span", { id: "most-bytes" }, spellNumber(sizes.mostInUse)), "; sum of all buffers: ", element("span", { id: "sum-bytes" }, spellNumber(sizes.sumOfAll)), "."),
      memory.arena.length > 200 ? folded("as an expression", element("code", {}, memory.arena)) : element("p", { className: "soft" }, `= ${memory.arena}`));
    if (memory.buffers.length) parts.push(drawArena(memory, evaluator, chooseBuffer));
    if (memory.heap.length)
      parts.push(folded(`not in the arena: ${memory.heap.length}`, element("ul", {}, ...memory.heap.map((one) => element("li", {}, `${one.op} at ${one.at}: ${one.reason}`)))));
  }
  $("memory").replaceChildren(...parts);
}

/** Shows where the buffer comes from. */
function chooseBuffer(buffer) {
  const index = state.fn.graph.ops.findIndex((op) => op.at === buffer.at && !op.isMinor);
  const any = index >= 0 ? index : state.fn.graph.ops.findIndex((op) => op.at === buffer.at);
  if (any >= 0) chooseOp(any);
}

//===--- Costs ---------------------------------------------------------------------===//

/** Sizes of a callee for the operands of a call; of dims that are plain symbols. */
function sizesOfCallee(op, callee, caller) {
  const sizes = new Map();
  callee.graph.values.filter((value) => value.argument !== undefined).forEach((value) => {
    const passed = op.passed[value.argument];
    (value.dims ?? [value.value]).forEach((dim, d) => {
      const name = report.expressions[dim], given = value.dims ? passed.dims?.[d] : passed.value;
      if (typeof name === "string" && given !== undefined && given !== null) sizes.set(name, caller.valueOf(given));
    });
  });
  return sizes;
}

/** Bytes and FLOP of some ops and what they call, and whether some are not known. */
function costsOf(fn, indices, here, calls) {
  const sum = { bytes: 0n, flop: 0n, lacks: { bytes: false, flop: false } };
  const add = (key, value) => {
    if (value === null) sum.lacks[key] = true;
    else sum[key] += value;
  };
  for (const index of indices) {
    const op = fn.graph.ops[index], callee = op.callee && byName.get(op.callee);
    if (callee && !calls.includes(callee)) {
      const inside = new Evaluator(report.expressions);
      inside.setSizes(sizesOfCallee(op, callee, here));
      const inner = costsOf(callee, callee.graph.ops.keys(), inside, [...calls, fn]);
      for (const key of ["bytes", "flop"]) {
        add(key, inner[key]);
        sum.lacks[key] ||= inner.lacks[key];
      }
    } else if (!op.isMinor) {
      for (const key of ["bytes", "flop"])
        if (op[key] !== undefined) {
          add(key, op[key] === null ? null : here.valueOf(op[key]));
          sum.lacks[key] ||= op.isRepeated === true;
        }
    }
  }
  return sum;
}

function spellCost(costs, key) {
  if (!costs.lacks[key]) return spellNumber(costs[key]);
  return costs[key] === 0n ? "?" : `at least ${spellNumber(costs[key])}`;
}

/** The number, and as a hint the expression that it is the value of. */
function costCell(op, costs, key) {
  const node = op[key], title = typeof node === "number" ? spellNode(report.expressions, node) : "";
  return element("span", { title, className: key }, spellCost(costs, key));
}

function showCosts() {
  const { fn } = state, rows = [];
  fn.graph.ops.forEach((op, index) => {
    if (op.isMinor || op.name === "func.return") return;
    rows.push({ op, index, costs: costsOf(fn, [index], evaluator, []) });
  });
  const total = costsOf(fn, fn.graph.ops.keys(), evaluator, []);
  const most = Number(total.flop) || 1;
  if (state.sort) {
    const key = state.sort, number = (row) => row.costs[key];
    rows.sort((a, b) => (number(a) < number(b) ? 1 : number(a) > number(b) ? -1 : a.index - b.index));
  }
  const head = (key, title) => element("button", { type: "button", onclick: () => { state.sort = state.sort === key ? null : key; showCosts(); } }, title + (state.sort === key ? " \u25be" : ""));
  const shown = state.allCosts ? rows : rows.slice(0, 60);
  const sumRow = { attributes: { id: "total" }, cells: [element("b", {}, "all"), "", element("b", {}, spellCost(total, "bytes")), element("b", {}, spellCost(total, "flop")), ""] };
  $("costs").replaceChildren(
    element("p", { className: "soft" }, "Of each op as it is written, before ops are fused: tensors taken and given, in full; arithmetic on floating-point numbers, a function of math as one. Ops in a loop count for one iteration, so that sums are at least that; of a branch, both sides."),
    table([{ title: "op" }, { title: "extents", className: "code" }, { title: head("bytes", "bytes"), className: "number" },
           { title: head("flop", "FLOP"), className: "number" }, { title: "share", className: "share" }],
      [sumRow, ...shown.map(({ op, index, costs }) => ({ cells: [opLink(index),
        op.results.length ? extentsText(fn.graph.values[op.results[0]]) : "", costCell(op, costs, "bytes"), costCell(op, costs, "flop"),
        element("span", { className: "bar", style: `width:${((100 * Number(costs.flop)) / most).toFixed(1)}px` })] }))]),
    rows.length > shown.length ? element("button", { type: "button", onclick: () => { state.allCosts = true; showCosts(); } }, `all ${rows.length} ops`) : "");
}

//===--- Runs and source -----------------------------------------------------------===//

function showRuns() {
  const sentences = [...(report.profiles ?? []).flatMap((profile) => profile.dims), ...(report.events ?? [])].map((one) => one.says).filter((text) => text);
  $("runs-section").hidden = sentences.length === 0;
  $("runs").replaceChildren(element("ul", {}, ...sentences.map((text) => element("li", {}, text))));
}

function showSource() {
  const { fn } = state, atLine = new Map();
  fn.graph.ops.forEach((op, index) => {
    if (!op.line) return;
    if (!atLine.has(op.line)) atLine.set(op.line, []);
    atLine.get(op.line).push(index);
  });
  const shown = (index) => fn.graph.ops[index].results.map((id) => fn.graph.values[id]).filter((value) => value.extents);
  const lines = report.source.text.split("\n").map((text, i) => {
    const ops = atLine.get(i + 1) ?? [], values = ops.flatMap(shown);
    const margin = element("span", { className: "margin" }, ...values.map((value) => element("span", { style: `color:${colourOf(classes.of(value).number)}` }, `${extentsText(value)} `)));
    margin.title = values.map(extentsText).join(" ");
    const line = element("div", { className: "line", id: `line-${i + 1}` }, element("span", { className: "place" }, String(i + 1)), margin, element("span", {}, text));
    if (ops.length) line.onclick = () => { if (!String(getSelection())) chooseOp(ops[0]); };
    return line;
  });
  $("source").replaceChildren(...lines);
}

function markLine(line, scrolls = false) {
  document.querySelectorAll(".line.chosen").forEach((one) => one.classList.remove("chosen"));
  const found = line && $(`line-${line}`);
  if (!found) return;
  found.classList.add("chosen");
  // Only inside its own box: the page stays where it is.
  if (scrolls) $("source").scrollTop = found.offsetTop - $("source").offsetTop - $("source").clientHeight / 3;
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
  const first = public_[public_.length - 1] ?? private_[0];
  if (first) selectFunction(first.name);
  else $("summary").textContent = "no function has a body";
}

start();

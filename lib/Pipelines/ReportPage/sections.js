// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each section below the graph shows of the function and the sizes of `state`.
"use strict";

//===--- Guards --------------------------------------------------------------------===//

function verdict(one) {
  const answer = evaluator.holds(one.test);
  const [name, text] = answer === true ? ["holds", "\u2713 holds"] : answer === false ? ["fails", "\u2717 fails"] : ["open", "? depends"];
  return element("span", { className: name }, text);
}

function reasonOf(proof) {
  // That an extent is one says nothing.
  const silent = new Set(proof.ranges.flatMap((range) => range.endsWith(` <= ${MAX_EXTENT}`) ? [range, `0 <= ${range.split(" <= ")[0]}`] : []));
  const facts = [...proof.impliedBy, ...proof.ranges.filter((range) => !silent.has(range))];
  return element("div", {},
    element("div", {}, facts.length ? `because ${facts.join(" and ")}` : "by types and ranges alone"),
    element("ul", {}, ...proof.reasons.map((reason) => element("li", { className: "soft" }, reason))));
}

/** The sentence, and where its names come from, but those that have a size above. */
function sentenceOf(one) {
  const [sentence, ...origins] = one.condition.split("\n");
  const isSize = (line) => state.fn.sizes.some((size) => line.trim().startsWith(`${size.name} is `));
  return spelled([sentence, ...origins.filter((line) => !isSize(line))].join("\n"));
}

const isModel = () => !/\.mlir$/.test(report.source.file);

/** A model is of Python: there `floordiv` is `//`. */
const spelled = (text) => isModel() ? text.replaceAll(" floordiv ", " // ") : text;

/** A line to write, in the form of the door: in a model there is no place for an attribute, so what loads it says the fact. */
function inFormOfDoor(line) {
  const fact = /^symshape\.assume = \[#symshape\.fact<"(.*)">\]$/.exec(line);
  return fact && isModel() ? `facts=["${fact[1]}"]` : line;
}

function guardCell(guard) {
  return element("div", {}, element("div", { className: "condition", style: "white-space: pre-line" }, sentenceOf(guard)),
    guard.numpy ? element("div", { className: "soft" }, guard.numpy) : null,
    folded("needed by", element("div", {}, opLinks(guard.ops), element("ul", {}, ...guard.reasons.map((reason) => element("li", { className: "soft" }, reason))),
      guard.gone ? element("div", { className: "soft" }, `not checked ${guard.gone}`) : null)),
    guard.write ? element("div", { className: "soft" }, guard.write.some((line) => inFormOfDoor(line) !== line) ? "to declare it, load it with" : "to declare it, write") : null,
    ...(guard.write ?? []).map((line) => element("code", { className: "write" }, inFormOfDoor(line))));
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
  $("memory").replaceChildren(...parts, ...showKernels());
}

/** Of a report for a GPU: what is launched, and what is read back meanwhile. */
function showKernels() {
  const { kernels, reads } = state.fn, parts = [];
  if (!kernels) return parts;
  const row = (kernel) => ({ cells: [kernel.name, kernel.at, kernel.blocks, String(kernel.threads),
    [...(kernel.tensorCores ? ["tensor cores"] : []), ...(kernel.isWide ? ["16 bytes at a time"] : []),
     ...(kernel.conditions ?? []).map((condition) => `if ${condition}`), ...(kernel.inLoop ? ["in a loop"] : [])].join("; ")] });
  parts.push(folded(`${kernels.length} launches of kernels`,
    table([{ title: "kernel", className: "code" }, { title: "at" }, { title: "blocks", className: "code" }, { title: "threads" }, { title: "" }], kernels.map(row))));
  if (reads.length)
    parts.push(folded(`${reads.length} values read back`, element("ul", {}, ...reads.map((read) => element("li", {}, `${read.at}: ${read.for} depends on it`)))));
  return parts;
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

/** What compiling each public function took, where that was measured. */
function showCompilations() {
  const all = report.compilations ?? [], seconds = (one) => one.seconds.toFixed(4);
  $("compilations-section").hidden = all.length === 0;
  const number = (title) => ({ title, className: "number" }), times = (list) => table([{ title: "" }, number("seconds")], list.map((one) => ({ cells: [one.name, seconds(one)] })));
  $("compilations").replaceChildren(...all.flatMap((one) => [
    element("p", {}, `Compiling @${one.function} takes ${seconds(one)} s. The fact engine is asked ${one.numAsked} questions, of which it decides ${one.numDecided} anew, in ${one.questionSeconds.toFixed(4)} s of the processor; the costliest:`),
    table([{ title: "question", className: "code" }, { title: "at" }, number("asked"), number("steps"), number("seconds")],
      one.questions.map((asked) => ({ cells: [asked.question, asked.place, String(asked.asked), String(asked.steps), seconds(asked)] }))),
    folded(`${one.stages.length} stages`, times(one.stages)), folded(`${one.passes.length} passes`, times(one.passes)),
    folded(`${spellNumber(one.numInstructions)} instructions before optimization`,
      table([{ title: "most come from" }, number("instructions")], one.places.map((place) => ({ cells: [place.place, spellNumber(place.instructions)] })))) ]));
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the page opens with: whether a call of the sizes chosen is accepted, and what it gives.
"use strict";

/** The shapes of the results at the sizes that `evaluator` was told. */
function resultsNow() {
  const { fn } = state, end = fn.graph.ops.findLast((op) => op.name === "func.return");
  return fn.results.map((result, i) => {
    const dims = end ? fn.graph.values[end.operands[i]]?.dims : undefined;
    const extents = (dims ?? []).map((dim, d) => evaluator.valueOf(dim) ?? result.extents[d]);
    const type = (result.type.match(/(?:^|[<x])(index|[a-wyz]+\d+\w*)(?:, .*)?>*$/) ?? [])[1] ?? result.type;
    return `${result.name}: ${extents.length ? `${extents.join("\u00d7")} ` : ""}${type}`;
  });
}

/** `accepted`, `refused` or `open`, and the guards that say so. */
function judge() {
  const answers = (state.fn.guards ?? []).map((guard) => ({ guard, holds: evaluator.holds(guard.test) }));
  const failed = answers.filter((one) => one.holds === false), open = answers.filter((one) => one.holds !== true);
  if (failed.length) return { kind: "refused", guards: failed.map((one) => one.guard) };
  return open.length ? { kind: "open", guards: open.map((one) => one.guard) } : { kind: "accepted", guards: [] };
}

function showVerdict() {
  const { fn } = state, sizes = sizesNow();
  const now = fn.sizes.filter((size) => size.isInput).map((size) => `${size.name} = ${sizes.get(size.name) ?? "?"}`).join(", ");
  $("sizes-now").textContent = now;
  const answer = judge(), at = now ? ` with ${now}` : "";
  const [name, text] = { accepted: ["holds", `\u2713 A call${at} is accepted`], refused: ["fails", `\u2717 A call${at} is refused`],
    open: ["open", `? Whether a call${at} is accepted depends on values`] }[answer.kind];
  $("verdict").className = name;
  $("verdict").textContent = text;
  const parts = fn.sentence ? [element("p", { id: "sentence" }, `The program is ${fn.sentence}.`)] : [];
  if (answer.guards.length)
    parts.push(element("ul", { id: "refusals" }, ...answer.guards.map((guard) => element("li", {}, sentenceOf(guard).split("\n")[0]))));
  if (answer.kind !== "refused") {
    const total = costsOf(fn, fn.graph.ops.keys(), evaluator, []);
    const short = (key, unit) => (total.lacks[key] ? total[key] === 0n ? "unknown" : "at least " : "") + (total.lacks[key] && total[key] === 0n ? "" : spellShort(total[key], unit));
    parts.push(element("ul", { id: "gives" }, ...resultsNow().map((one) => element("li", {}, one))),
      element("p", { id: "takes", className: "soft" }, `arithmetic: ${short("flop", "FLOP")}; tensors taken and given by all ops: ${short("bytes", "B")}` +
        (report.profile?.function === fn.name ? `; measured: ${(1e3 * report.profile.seconds).toFixed(3)} ms (of the call that was profiled)` : "")));
  }
  $("answers").replaceChildren(...parts);
}

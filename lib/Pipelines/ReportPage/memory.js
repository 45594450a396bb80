// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arena over the time of a call: a rectangle for each buffer, from its offset to its
// end, while it is in use.
"use strict";

const CHART = { width: 900, height: 300, left: 64, bottom: 22, top: 8 };

/** The positions of a program that matter, in order, as small numbers. */
function compressTime(buffers) {
  const times = [...new Set(buffers.flatMap((buffer) => [buffer.first, buffer.last + 1]))].sort((a, b) => a - b);
  return new Map(times.map((time, i) => [time, i]));
}

/** What a plan needs for the sizes that `evaluator` was told. */
function evaluateMemory(memory, evaluator) {
  const sizes = {};
  for (const name of ["arena", "mostInUse", "sumOfAll"])
    sizes[name] = memory[`${name}Node`] === undefined ? null : evaluator.valueOf(memory[`${name}Node`]);
  return sizes;
}

/** The chart as an `svg` element; `choose(buffer)` is told what is clicked. */
function drawArena(memory, evaluator, choose) {
  const { width, height, left, bottom, top } = CHART;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "arena", role: "img", "aria-label": "arena over time" });
  const arena = evaluator.valueOf(memory.arenaNode);
  if (arena === null || arena === 0n) return root;
  const used = memory.buffers.filter((buffer) => buffer.first <= buffer.last);
  const times = compressTime(used);
  const x = (time) => left + (times.get(time) / Math.max(1, times.size - 1)) * (width - left - 4);
  const total = Number(arena);
  const y = (bytes) => height - bottom - (Number(bytes) / total) * (height - bottom - top);
  for (let i = 0; i <= 4; ++i) {
    const bytes = BigInt(Math.round((total * i) / 4));
    root.append(svg("line", { x1: left, x2: width, y1: y(bytes), y2: y(bytes), class: "grid" }),
      svg("text", { x: left - 6, y: y(bytes) + 4, class: "tick" }, spellShort(bytes, "B")));
  }
  root.append(svg("text", { x: width - 4, y: height - 6, class: "tick" }, "ops in the order of the program \u2192"));
  used.forEach((buffer, i) => {
    const bytes = evaluator.valueOf(buffer.bytesNode), offset = evaluator.valueOf(buffer.offsetNode);
    if (bytes === null || offset === null || bytes === 0n) return;
    const rect = svg("rect", { x: x(buffer.first), y: y(offset + bytes), class: "buffer", tabindex: 0, role: "button",
      width: Math.max(1, x(buffer.last + 1) - x(buffer.first)), height: Math.max(0.5, y(offset) - y(offset + bytes)),
      style: `fill:${colourOf(i + 1)}` },
      svg("title", {}, `${buffer.op} at ${buffer.at}\n${spellNumber(bytes)} bytes = ${buffer.bytes}\nat offset ${spellNumber(offset)}` +
        (buffer.reserved ? `\n${buffer.reserved}` : "")));
    rect.addEventListener("click", () => choose(buffer));
    root.append(rect);
  });
  return root;
}

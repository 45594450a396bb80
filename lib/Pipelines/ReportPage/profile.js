// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of a measured call goes: a table, kernels over time, and how near each node
// is to what the machine can do.
"use strict";

const FLAME = { width: 900, height: 64, left: 4 }, ROOF = { width: 900, height: 300, left: 96, bottom: 40, top: 12 };

/** The op of the graph that a node of the profile is, or -1. */
function opOfNode(node) {
  return state.fn.graph.ops.findIndex((op) => !op.isMinor && (op.at === node.place || op.name === node.place));
}

function nodeTitle(profile, node) {
  const known = (value, unit) => (value === null ? "?" : spellShort(Math.round(value), unit));
  return `${node.op} ${node.place}\n${(1e3 * node.seconds).toFixed(3)} ms, ${(100 * node.seconds / profile.seconds).toFixed(1)} % of the call\n` +
    `${known(node.flop, "FLOP")}, ${known(node.bytes, "B")}`;
}

/** A shape of a chart that says what it is, and leads to the op. */
function mark(profile, node, shape) {
  const index = opOfNode(node);
  shape.append(svg("title", {}, nodeTitle(profile, node)));
  shape.classList.add("mark");
  if (index >= 0) {
    shape.classList.add("link");
    shape.addEventListener("click", () => chooseOp(index));
  }
  return shape;
}

/** The kernels of one call, side by side in the order in which they ran. */
function drawFlame(profile) {
  const { width, height, left } = FLAME, end = Math.max(...profile.events.map((event) => event.end), 1e-12);
  const x = (seconds) => left + (seconds / end) * (width - 2 * left);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", id: "flame", role: "img", "aria-label": "kernels over time" });
  for (const event of profile.events) {
    const node = profile.nodes[event.node], wide = Math.max(0.4, x(event.end) - x(event.begin));
    root.append(mark(profile, node, svg("rect", { x: x(event.begin), y: 4, width: wide, height: 36, style: `fill:${colourOf(event.node + 1)}` })));
    if (wide > 60) root.append(svg("text", { x: x(event.begin) + 4, y: 26, class: "inside" }, (node.op || node.place).slice(0, Math.floor(wide / 7))));
  }
  root.append(svg("text", { x: left, y: 58 }, "0"), svg("text", { x: width - left, y: 58, "text-anchor": "end" }, `${(1e3 * end).toFixed(3)} ms`));
  return root;
}

/** FLOP/s over FLOP per byte, both as logarithms, under the roof that the machine sets. */
function drawRoofline(profile) {
  const { width, height, left, bottom, top } = ROOF, { flopPerSecond, bytesPerSecond } = profile.peak;
  const points = profile.nodes.filter((node) => node.flop > 0 && node.bytes > 0 && node.seconds > 0)
    .map((node) => ({ node, x: node.flop / node.bytes, y: node.flop / node.seconds }));
  const ridge = flopPerSecond / bytesPerSecond, xs = [ridge / 16, ridge * 4, ...points.map((one) => one.x)], ys = [flopPerSecond, flopPerSecond / 1000, ...points.map((one) => one.y)];
  const least = { x: Math.log10(Math.min(...xs)) - 0.2, y: Math.log10(Math.min(...ys)) - 0.2 }, most = { x: Math.log10(Math.max(...xs)) + 0.2, y: Math.log10(Math.max(...ys)) + 0.2 };
  const x = (value) => left + ((Math.log10(value) - least.x) / (most.x - least.x)) * (width - left - 10);
  const y = (value) => height - bottom - ((Math.log10(value) - least.y) / (most.y - least.y)) * (height - bottom - top);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", id: "roofline", role: "img", "aria-label": "roofline" });
  for (let power = Math.ceil(least.y); power <= most.y; ++power)
    root.append(svg("line", { x1: left, x2: width - 10, y1: y(10 ** power), y2: y(10 ** power), class: "grid" }),
      svg("text", { x: left - 6, y: y(10 ** power) + 4, "text-anchor": "end" }, spellShort(10 ** power, "FLOP/s")));
  for (let power = Math.ceil(least.x); power <= most.x; ++power)
    root.append(svg("text", { x: x(10 ** power), y: height - bottom + 16, "text-anchor": "middle" }, String(10 ** power)));
  const from = 10 ** least.x, to = 10 ** most.x, roof = (value) => Math.min(flopPerSecond, value * bytesPerSecond);
  root.append(svg("text", { x: width - 10, y: height - 6, "text-anchor": "end" }, "FLOP for each byte of the tensors taken and given \u2192"),
    svg("polyline", { class: "roof", points: [from, ridge, to].map((value) => `${x(value)},${y(Math.max(10 ** least.y, roof(value)))}`).join(" ") }));
  for (const { node, x: intensity, y: rate } of points)
    root.append(mark(profile, node, svg("circle", { cx: x(intensity), cy: y(rate), r: 3 + 12 * Math.sqrt(node.seconds / profile.seconds),
      style: `fill:${colourOf(profile.nodes.indexOf(node) + 1)}` })));
  return root;
}

function showProfile() {
  const { profile } = report;
  $("profile-section").hidden = !profile || profile.function !== state.fn.name;
  if ($("profile-section").hidden) return;
  const number = (title) => ({ title, className: "number" }), ms = (seconds) => (1e3 * seconds).toFixed(3);
  const known = (value, unit) => (value === null ? "" : spellShort(Math.round(value), unit));
  const rate = (value, node, unit) => (value === null || node.seconds <= 0 ? "" : spellShort(Math.round(value / node.seconds), unit));
  const cells = (node) => {
    const index = opOfNode(node);
    return { cells: [index >= 0 ? opLink(index) : `${node.op} ${node.place}`, ms(node.seconds), (100 * node.seconds / profile.seconds).toFixed(1), known(node.flop, "FLOP"),
      known(node.bytes, "B"), rate(node.flop, node, "FLOP/s"), rate(node.bytes, node, "B/s"), node.share === null ? "" : `${(100 * node.share).toFixed(0)} %`] };
  };
  const columns = [{ title: "node" }, number("ms"), number("% of call"), number("arithmetic"), number("tensors"), number(""), number(""), number("of peak")];
  const all = profile.nodes.map(cells);
  $("profile").replaceChildren(
    element("p", {}, `A call takes ${ms(profile.seconds)} ms, ${ms(profile.rest)} ms of it outside of kernels: the mean of ${profile.calls}, which were compiled with timers.`),
    drawFlame(profile), drawRoofline(profile),
    element("p", { className: "soft" }, `The roof: ${spellShort(Math.round(profile.peak.flopPerSecond), "FLOP/s")} of a product of matrices, ${spellShort(Math.round(profile.peak.bytesPerSecond), "B/s")} of memory that is read, as our own code reaches them on the machine that was measured. What data from a cache feeds may be above it. A circle is as large as its part of the time.`),
    element("div", { className: "scroll" }, table(columns, all.slice(0, 20))),
    ...(all.length > 20 ? [folded(`${all.length - 20} more nodes`, element("div", { className: "scroll" }, table(columns, all.slice(20))))] : []));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of a function: which boxes there are, and their drawing. Nodes of a model,
// regions and calls are one box each until they are opened. Not for: placing boxes.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const PAD = 14, HEAD = 26, BOX_HEIGHT = 40, CHARACTER = 7, LONGEST = 40;

function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Classes of values by the symbols of their extents: the same colour for the same. */
class SymbolClasses {
  constructor(evaluator) {
    this.evaluator = evaluator;
    this.numbers = new Map();
  }

  /** `{name, number}`; number 0 is for static extents, -1 for unknown ones. */
  of(value) {
    if (!value.extents) return { name: "no shape", number: 0 };
    if (value.extents.some((text) => text.startsWith("?"))) return { name: "unknown", number: -1 };
    const names = new Set(value.dims.flatMap((dim) => this.evaluator.symbolsOf(dim)));
    const name = [...names].sort().join(", ");
    if (!name) return { name: "static", number: 0 };
    if (!this.numbers.has(name)) this.numbers.set(name, this.numbers.size + 1);
    return { name, number: this.numbers.get(name) };
  }
}

/** The colour of a class, from the style sheet or spread over the circle. */
function colourOf(number) {
  if (number === 0) return "var(--static)";
  if (number < 0) return "var(--bad)";
  return `hsl(${(205 + (number - 1) * 137.5) % 360} var(--sat) var(--light))`;
}

function extentsText(value) {
  return value.extents ? `[${value.extents.join(", ")}]` : value.type;
}

/** The extents, as long as a box can show; the rest is in its details. */
function shortExtents(value) {
  const text = extentsText(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}\u2026` : text;
}

/** `linalg.generic` with the ops of its body. */
function titleOf(op) {
  const body = (op.body ?? []).filter((name) => name !== "linalg.index").map((name) => name.split(".").pop());
  return op.name + (op.name.endsWith(".generic") && body.length ? `: ${body.slice(0, 3).join(", ")}` : "");
}

/** Boxes of a program, nested, and the edges between those of one level. */
class Boxes {
  constructor(functions, open, showMinor) {
    this.functions = functions; // by name
    this.open = open; // keys of opened boxes
    this.showMinor = showMinor;
  }

  /** The boxes of a whole function; `key` tells two calls of it apart. */
  ofFunction(fn, key) {
    const ops = fn.graph.ops.map((op, index) => ({ op, index })).filter(({ op }) => op.parent === undefined);
    const inputs = fn.graph.values
      .map((value, id) => ({ value, id }))
      .filter(({ value }) => value.argument !== undefined && fn.arguments[value.argument].weight === undefined)
      .map(({ value, id }) => ({ key: `${key}/a${value.argument}`, kind: "input", title: fn.arguments[value.argument].name,
        results: [id], operands: [], ops: [], value }));
    return this.level(fn, key, this.groups(fn, key, ops), inputs);
  }

  /** Boxes for some ops of a function, those of one node of a model together. */
  groups(fn, key, ops) {
    const boxes = [], byNode = new Map();
    for (const { op, index } of ops) {
      if (op.node === undefined) {
        boxes.push(this.ofOp(fn, key, op, index));
        continue;
      }
      if (!byNode.has(op.node)) {
        const name = /\((.*)\)/.exec(op.node)?.[1] ?? op.node;
        const box = { key: `${key}/n${index}`, kind: "node", title: name, subtitle: op.node, members: [] };
        byNode.set(op.node, box);
        boxes.push(box);
      }
      byNode.get(op.node).members.push({ op, index });
    }
    return boxes.filter((box) => box.kind !== "node" || this.finishNode(fn, box));
  }

  /** Whether there is anything to show of a node. */
  finishNode(fn, box) {
    box.ops = box.members.flatMap(({ index }) => [index, ...this.inside(fn, index)]);
    box.isMinor = box.members.every(({ op }) => op.isMinor);
    if (box.isMinor && !this.showMinor) return false;
    this.addUses(fn, box);
    box.canOpen = box.members.length > 1;
    if (this.open.has(box.key) && box.canOpen)
      box.inner = this.level(fn, box.key, box.members.map(({ op, index }) => this.ofOp(fn, box.key, op, index)), []);
    return true;
  }

  /** Indices of the ops in regions of an op. */
  inside(fn, index) {
    const found = new Set([index]);
    fn.graph.ops.forEach((op, i) => op.parent !== undefined && found.has(op.parent) && found.add(i));
    found.delete(index);
    return [...found];
  }

  addUses(fn, box) {
    box.operands = box.ops.flatMap((i) => fn.graph.ops[i].operands);
    box.results = box.ops.flatMap((i) => fn.graph.ops[i].results);
  }

  ofOp(fn, key, op, index) {
    const box = { key: `${key}/${index}`, kind: "op", title: titleOf(op), isMinor: op.isMinor,
                  ops: [index, ...(this.hasRegions(fn).has(index) ? this.inside(fn, index) : [])] };
    this.addUses(fn, box);
    const callee = op.callee && this.functions.get(op.callee);
    if (callee) {
      box.kind = "call";
      box.title = `@${op.callee}`;
      box.canOpen = !key.includes(`@${op.callee}`); // not a recursion
    }
    const isRegion = !callee && box.ops.length > 1;
    box.canOpen ||= isRegion;
    if (box.canOpen && this.open.has(box.key))
      box.inner = callee ? this.ofFunction(callee, `${box.key}@${op.callee}`)
        : this.level(fn, box.key, this.groups(fn, box.key,
            fn.graph.ops.map((one, i) => ({ op: one, index: i })).filter(({ op: one }) => one.parent === index)), []);
    return box;
  }

  hasRegions(fn) {
    return (fn.parents ??= new Set(fn.graph.ops.map((op) => op.parent).filter((parent) => parent !== undefined)));
  }

  /** One level: its boxes that are shown, edges between them, and their places. */
  level(fn, key, boxes, inputs) {
    const shown = [...inputs, ...boxes.filter((box) => this.showMinor || !box.isMinor)];
    const producer = new Map();
    shown.forEach((box, i) => box.results.forEach((value) => producer.set(value, i)));
    const edges = new Map();
    shown.forEach((box, to) => {
      for (const value of new Set(box.operands)) {
        const from = producer.get(value);
        // Numbers go from op to op everywhere: only where they are asked for.
        if (from === undefined || from === to || (!this.showMinor && !fn.graph.values[value].extents)) continue;
        const name = `${from} ${to}`;
        if (!edges.has(name)) edges.set(name, { from, to, values: [] });
        edges.get(name).values.push(value);
      }
    });
    for (const box of shown) {
      box.fn = fn;
      const text = box.title.length + (box.canOpen ? 3 : 0);
      const results = box.results.map((id) => fn.graph.values[id]).filter((value) => value.extents);
      box.last = results[results.length - 1];
      box.width = Math.max(72, Math.max(text, box.last ? shortExtents(box.last).length * 0.9 : 0) * CHARACTER + 2 * PAD);
      box.height = BOX_HEIGHT;
      if (box.inner) {
        box.width = Math.max(box.width, box.inner.width + 2 * PAD);
        box.height = box.inner.height + HEAD + PAD;
      }
    }
    const list = [...edges.values()];
    return { key, fn, boxes: shown, edges: list, ...layOut(shown, list) };
  }
}

/** Draws the boxes of a function into an `svg` element, and tells what is clicked. */
class GraphView {
  constructor(root, handlers) {
    this.root = root;
    this.handlers = handlers; // choose(box), toggle(box)
    this.elements = new Map(); // by key of box
  }

  draw(level, classes) {
    this.classes = classes;
    this.elements.clear();
    const content = svg("g", { transform: `translate(${PAD} ${PAD})` });
    this.drawLevel(content, level);
    this.root.replaceChildren(content);
    this.size = { width: level.width + 2 * PAD, height: level.height + 2 * PAD };
    this.setZoom(this.zoom ?? 1);
  }

  setZoom(zoom) {
    this.zoom = zoom;
    const { width, height } = this.size;
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.root.setAttribute("width", width * zoom);
    this.root.setAttribute("height", height * zoom);
  }

  drawLevel(parent, level) {
    const named = new Set(); // values that an edge has named
    for (const edge of level.edges) {
      const values = edge.values.map((id) => level.fn.graph.values[id]);
      const value = values.find((one) => one.extents) ?? values[0];
      const colour = colourOf(this.classes.of(value).number);
      const path = edge.points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
      parent.append(svg("path", { d: path, class: "edge", style: `stroke:${colour}` },
        svg("title", {}, values.map((one) => `${extentsText(one)} ${one.type}`).join("\n"))));
      const name = edge.values.join(" ");
      const from = level.boxes[edge.from], isInBox = !from.inner && from.last && extentsText(from.last) === extentsText(value);
      if (named.has(name) || !value.extents || isInBox) continue;
      named.add(name);
      const [x, y] = edge.points[0];
      parent.append(svg("text", { x: x + 5, y: y + 13, class: "extent", style: `fill:${colour}` }, shortExtents(value)));
    }
    for (const box of level.boxes) this.drawBox(parent, box);
  }

  drawBox(parent, box) {
    const state = box.inner ? "true" : "false";
    const group = svg("g", { class: `box ${box.kind}`, transform: `translate(${box.x} ${box.y})`, tabindex: 0, role: "button",
      "data-key": box.key, "data-title": box.title, ...(box.canOpen ? { "aria-expanded": state } : {}) });
    group.append(svg("rect", { width: box.width, height: box.height, rx: box.kind === "input" ? 18 : 5 }));
    const hint = [box.subtitle, box.last && extentsText(box.last)].filter((one) => one).join("\n");
    if (hint) group.append(svg("title", {}, hint));
    const sign = box.canOpen ? (box.inner ? "\u2212 " : "+ ") : "";
    const title = svg("text", { x: box.width / 2, y: 17, class: "title" });
    if (sign) title.append(svg("tspan", { class: "sign" }, sign));
    title.append(box.title);
    group.append(title);
    if (!box.inner && box.last)
      group.append(svg("text", { x: box.width / 2, y: 33, class: "shape" }, shortExtents(box.last)));
    group.addEventListener("click", (event) => {
      event.stopPropagation();
      if (event.target.classList.contains("sign")) this.handlers.toggle(box);
      else this.handlers.choose(box);
    });
    group.addEventListener("dblclick", (event) => {
      event.stopPropagation();
      if (box.canOpen) this.handlers.toggle(box);
    });
    this.elements.set(box.key, { group, box });
    parent.append(group);
    if (!box.inner) return;
    const inside = svg("g", { transform: `translate(${(box.width - box.inner.width) / 2} ${HEAD})` });
    this.drawLevel(inside, box.inner);
    parent.append(svg("g", { transform: `translate(${box.x} ${box.y})` }, inside));
  }

  /** The box that stands first. */
  first() {
    return this.elements.values().next().value?.box;
  }

  /** Marks boxes of `mark` (a class) where `isMarked(box)`. */
  mark(mark, isMarked) {
    for (const { group, box } of this.elements.values()) group.classList.toggle(mark, isMarked(box));
  }

  /** Scrolls to and focuses the box with a key. */
  focus(key) {
    const found = this.elements.get(key);
    if (!found) return;
    found.group.focus();
    found.group.scrollIntoView({ block: "center", inline: "center" });
  }

  /** The key of the nearest box in a direction: `x` or `y`, forwards or back. */
  neighbour(key, axis, step) {
    const here = this.elements.get(key)?.group.getBoundingClientRect();
    if (!here) return null;
    let best = null, least = Infinity;
    for (const [other, { group }] of this.elements) {
      const there = group.getBoundingClientRect();
      const [along, across] = axis === "y" ? [there.top - here.top, there.left + there.width / 2 - here.left - here.width / 2]
                                           : [there.left - here.left, there.top - here.top];
      if (other === key || along * step <= 1) continue;
      const distance = Math.abs(along) + 2 * Math.abs(across);
      if (distance < least) [best, least] = [other, distance];
    }
    return best;
  }
}

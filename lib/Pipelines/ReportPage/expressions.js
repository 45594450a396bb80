// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates the expressions and tests of a report, exactly. Not for: words.
"use strict";

/** Rounds to minus infinity; null where the divisor is 0. */
function floorDivide(a, b) {
  if (b === 0n) return null;
  const quotient = a / b;
  return a % b !== 0n && (a < 0n) !== (b < 0n) ? quotient - 1n : quotient;
}

/** Values of all nodes of a report for sizes by name; null where one is not known. */
class Evaluator {
  constructor(nodes) {
    this.nodes = nodes;
    this.values = [];
    this.symbols = nodes.map(() => null); // of each node, when asked
  }

  /** Forgets what was computed for other sizes. */
  setSizes(sizes) {
    this.sizes = sizes;
    this.values = new Array(this.nodes.length);
  }

  /** A BigInt, or null. Operands come before what they are operands of. */
  valueOf(index) {
    if (this.values[index] !== undefined) return this.values[index];
    const open = [index];
    while (open.length) {
      const next = open[open.length - 1];
      if (this.values[next] !== undefined) {
        open.pop();
        continue;
      }
      const missing = this.operandsOf(next).filter((i) => this.values[i] === undefined);
      if (missing.length) {
        open.push(...missing);
        continue;
      }
      this.values[next] = this.compute(this.nodes[next]);
      open.pop();
    }
    return this.values[index];
  }

  operandsOf(index) {
    const node = this.nodes[index];
    return Array.isArray(node) && node[0] !== "int" ? node.slice(1) : [];
  }

  compute(node) {
    if (typeof node === "number") return BigInt(node);
    if (typeof node === "string") return this.sizes.get(node) ?? null;
    if (node[0] === "int") return BigInt(node[1]);
    const operands = node.slice(1).map((i) => this.values[i]);
    if (operands.includes(null)) return null;
    const [a, b] = operands;
    switch (node[0]) {
      case "+": return operands.reduce((x, y) => x + y);
      case "*": return operands.reduce((x, y) => x * y);
      case "min": return operands.reduce((x, y) => (y < x ? y : x));
      case "max": return operands.reduce((x, y) => (y > x ? y : x));
      case "bc": return operands.reduce((x, y) => (x === 1n ? y : x));
      case "floordiv": return floorDivide(a, b);
    }
    return null;
  }

  /** true, false, or null. */
  holds(test) {
    if (!Array.isArray(test)) return test;
    const [kind, ...parts] = test;
    if (kind === "and" || kind === "or") {
      const answers = parts.map((part) => this.holds(part));
      const decides = kind === "or";
      if (answers.includes(decides)) return decides;
      return answers.includes(null) ? null : !decides;
    }
    if (kind === "not") {
      const answer = this.holds(parts[0]);
      return answer === null ? null : !answer;
    }
    const [a, b] = parts.map((part) => this.valueOf(part));
    if (a === null || b === null) return null;
    switch (kind) {
      case "==": return a === b;
      case "!=": return a !== b;
      case "<=": return a <= b;
      case "divides": return a === 0n ? b === 0n : b % a === 0n;
    }
    return null;
  }

  /** The names of the symbols of a node, sorted. */
  symbolsOf(index) {
    if (this.symbols[index]) return this.symbols[index];
    const found = new Set(), seen = new Set(), open = [index];
    while (open.length) {
      const next = open.pop();
      if (seen.has(next)) continue;
      seen.add(next);
      if (typeof this.nodes[next] === "string") found.add(this.nodes[next]);
      open.push(...this.operandsOf(next));
    }
    return (this.symbols[index] = [...found].sort());
  }
}

/** The text of a node, as the report writes it; `...` below some levels. */
function spellNode(nodes, index, depth = 0) {
  const node = nodes[index];
  if (!Array.isArray(node)) return String(node);
  if (node[0] === "int") return node[1];
  if (depth > 6) return "...";
  const parts = node.slice(1).map((i) => spellNode(nodes, i, depth + 1));
  const inner = (text, i) => {
    const operand = nodes[node[i + 1]];
    return Array.isArray(operand) && ["+", "floordiv"].includes(operand[0]) ? `(${text})` : text;
  };
  switch (node[0]) {
    case "+": return parts.join(" + ").replaceAll("+ -", "- ");
    case "*": return parts.map(inner).join("*").replace(/^-1\*/, "-");
    case "floordiv": return parts.map(inner).join(" floordiv ");
    default: return `${node[0]}(${parts.join(", ")})`;
  }
}

/** `12345678` as `12 345 678`. */
function spellNumber(value) {
  return value === null ? "?" : value.toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** `12345678` as `12.3 M`, with `unit` behind. */
function spellShort(value, unit) {
  if (value === null) return "?";
  let number = Number(value), step = 0;
  const steps = ["", "k", "M", "G", "T", "P", "E"];
  while (number >= 1000 && step < steps.length - 1) {
    number /= 1000;
    step += 1;
  }
  const digits = step === 0 ? String(number) : number.toPrecision(3);
  return `${digits}\u202f${steps[step]}${unit}`;
}

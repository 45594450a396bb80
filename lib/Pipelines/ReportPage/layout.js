// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places the nodes of an acyclic graph in layers, from top to bottom, in time linear
// in nodes and edges up to sorting. Not for: drawing.
"use strict";

const LAYER_GAP = 34, NODE_GAP = 22, SWEEPS = 6;

/** Ranks: each node below all that it uses, and not higher than it must be for those
    that use it. */
function rankNodes(nodes, edges) {
  const into = nodes.map(() => []), from = nodes.map(() => []);
  for (const edge of edges) {
    into[edge.to].push(edge.from);
    from[edge.from].push(edge.to);
  }
  const rank = nodes.map(() => 0), waiting = into.map((list) => list.length), order = [];
  waiting.forEach((count, i) => count === 0 && order.push(i));
  for (let k = 0; k < order.length; ++k)
    for (const user of from[order[k]]) {
      rank[user] = Math.max(rank[user], rank[order[k]] + 1);
      if (--waiting[user] === 0) order.push(user);
    }
  // A node that uses nothing stands right above its first user.
  for (const i of order)
    if (!into[i].length && from[i].length)
      rank[i] = Math.min(...from[i].map((user) => rank[user])) - 1;
  return rank;
}

/** Puts a point on each layer that an edge crosses. */
function splitEdges(nodes, edges, rank) {
  const cells = nodes.map((node, i) => ({ node, width: node.width, height: node.height, rank: rank[i], up: [], down: [] }));
  for (const edge of edges) {
    let last = cells[edge.from];
    edge.cells = [last];
    for (let r = rank[edge.from] + 1; r <= rank[edge.to]; ++r) {
      const next = r === rank[edge.to] ? cells[edge.to] : { node: null, width: 2, height: 0, rank: r, up: [], down: [] };
      if (!next.node) cells.push(next);
      last.down.push(next);
      next.up.push(last);
      edge.cells.push(next);
      last = next;
    }
  }
  return cells;
}

function mean(list, of) {
  return list.reduce((sum, one) => sum + of(one), 0) / list.length;
}

/** Orders each layer by the mean position of its neighbours, down and up in turn. */
function orderLayers(layers) {
  const number = (layer) => layer.forEach((cell, i) => (cell.position = i));
  layers.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; ++sweep) {
    const isDown = sweep % 2 === 0, side = isDown ? "up" : "down";
    for (const layer of isDown ? layers : [...layers].reverse()) {
      for (const cell of layer)
        cell.wish = cell[side].length ? mean(cell[side], (one) => one.position) : cell.position;
      layer.sort((a, b) => a.wish - b.wish || a.position - b.position);
      number(layer);
    }
  }
}

/** Moves each cell as near to its neighbours as the order of its layer allows. */
function alignLayers(layers) {
  for (const layer of layers) {
    let x = 0;
    for (const cell of layer) {
      cell.x = x + cell.width / 2;
      x += cell.width + NODE_GAP;
    }
  }
  const place = (layer, side) => {
    for (const cell of layer) cell.wish = cell[side].length ? mean(cell[side], (one) => one.x) : cell.x;
    // Blocks of cells that touch stand where their wishes are met on average.
    const blocks = [];
    for (const cell of layer) {
      let block = { cells: [cell], width: cell.width, sum: cell.wish - cell.width / 2, left: 0 };
      block.left = block.sum;
      while (blocks.length) {
        const before = blocks[blocks.length - 1];
        if (before.left + before.width + NODE_GAP <= block.left) break;
        blocks.pop();
        const shift = before.width + NODE_GAP;
        block = { cells: [...before.cells, ...block.cells], width: shift + block.width,
                  sum: before.sum + block.sum - shift * block.cells.length };
        block.left = block.sum / block.cells.length;
      }
      blocks.push(block);
    }
    for (const block of blocks) {
      let x = block.left;
      for (const cell of block.cells) {
        cell.x = x + cell.width / 2;
        x += cell.width + NODE_GAP;
      }
    }
  };
  for (let sweep = 0; sweep < SWEEPS; ++sweep)
    if (sweep % 2 === 0) layers.forEach((layer) => place(layer, "up"));
    else [...layers].reverse().forEach((layer) => place(layer, "down"));
}

/** Sets x and y (of the upper left corner) of nodes of given width and height, and
    `points` of edges {from, to}, indices of nodes; returns the size of it all. */
function layOut(nodes, edges) {
  const rank = rankNodes(nodes, edges);
  const lowest = Math.min(0, ...rank);
  const cells = splitEdges(nodes, edges, rank);
  const layers = [];
  for (const cell of cells) (layers[cell.rank - lowest] ??= []).push(cell);
  for (let i = 0; i < layers.length; ++i) layers[i] ??= [];
  orderLayers(layers);
  alignLayers(layers);
  let y = 0, left = Infinity, right = 0;
  for (const layer of layers) {
    const height = Math.max(0, ...layer.map((cell) => cell.height));
    for (const cell of layer) {
      cell.top = y;
      cell.bottom = y + (cell.node ? cell.height : height);
      left = Math.min(left, cell.x - cell.width / 2);
    }
    y += height + LAYER_GAP;
  }
  for (const cell of cells) {
    cell.x -= left;
    right = Math.max(right, cell.x + cell.width / 2);
    if (cell.node) Object.assign(cell.node, { x: cell.x - cell.width / 2, y: cell.top });
  }
  for (const edge of edges) {
    edge.points = [];
    edge.cells.forEach((cell, i) => {
      if (i > 0) edge.points.push([cell.x, cell.top]);
      if (i < edge.cells.length - 1) edge.points.push([cell.x, cell.bottom]);
    });
    delete edge.cells;
  }
  return { width: nodes.length ? right : 0, height: nodes.length ? y - LAYER_GAP : 0 };
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks whose sizes depend on data, and those with branches, loops and scans."""

import torch
import torch.nn.functional as F
from networks import Network, ids
from torch import nn
from torch._higher_order_ops import map as hop_map, scan, while_loop

ROWS = [(0,), (1,), (2,), (3,), (7,), (33,), (128,), (1001,)]


class Own(nn.Module):
    """A function of the module's layers and of the inputs."""

    def __init__(self, function, **layers):
        super().__init__()
        self.layers, self.function = nn.ModuleDict(layers), function

    def forward(self, *inputs):
        return self.function(self.layers, *inputs)


def own(function, inputs, example=(6,), other=(9,), sizes=None, served=(), **layers):
    return Network(lambda: Own(function, **{name: make() for name, make in layers.items()}), inputs, example, other, sizes or ROWS,
                   served=served)


def rows(count, width=8):
    return (torch.randn(count, width),)


# --- sizes of data ----------------------------------------------------------


def picks_rows(layers, x):
    """Only rows whose score is positive go on."""
    return layers["up"](x[layers["score"](x)[:, 0] > 0]).relu()


def positions(layers, x):
    found = torch.nonzero(x > 0.5)
    return found, x[found[:, 0], found[:, 1]] * 2


def values(layers, x):
    return torch.masked_select(x, x.abs() < 0.7).exp()


def router(layers, x):
    """A mixture of experts: each row goes to one, and comes back to its place."""
    choice, out = layers["gate"](x).argmax(-1), torch.zeros_like(x)
    for number in range(3):
        (where,) = torch.where(choice == number)
        out = out.index_add(0, where, layers[f"expert{number}"](x[where]))
    return out


def repeated(layers, x, times):
    """Rows as often as they are told, as durations of phonemes are used."""
    return layers["up"](torch.repeat_interleave(x, times, dim=0))


def uniques(layers, words):
    found, place = torch.unique(words, return_inverse=True)
    return layers["table"](found), place


def prefix(layers, x, count):
    count = count.item()
    torch._check(count >= 0)
    torch._check(count <= x.shape[0])
    return layers["up"](x[:count]).sum(0), x[count:]


def window(layers, x, start, length):
    """A window of audio by numbers of the data."""
    start, length = start.item(), length.item()
    torch._check(start >= 0)
    torch._check(length >= 0)
    torch._check(start + length <= x.shape[0])
    return x.narrow(0, start, length) @ layers["up"].weight.T


def grid(layers, height, width):
    """Positions of a grid whose size is data."""
    height, width = height.item(), width.item()
    torch._check(height >= 0)
    torch._check(width >= 0)
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return layers["up"](torch.stack([y, x], -1).reshape(-1, 2).float())


def boxes(layers, x):
    """Boxes whose score is above another, and their areas."""
    made = layers["head"](x)
    kept = made[made[:, 4] > made[:, 5]]
    sides = (kept[:, 2:4] - kept[:, :2]).clamp(min=0)
    return kept, sides.prod(1)


def ragged(layers, x, lengths):
    """A batch of rows of unequal length: the mask's places only."""
    mask = torch.arange(x.shape[1])[None] < lengths[:, None]
    packed = layers["up"](x[mask])
    back = torch.zeros(x.shape[0], x.shape[1], packed.shape[-1])
    back[mask] = packed
    return back, mask.sum()


def histogram(layers, words):
    return torch.bincount(words, minlength=7)


def segments(layers, x, owner):
    """Means of the rows of each graph, as graph networks pool."""
    count = owner.max().item() + 1
    torch._check(count >= 0)
    total = torch.zeros(count, x.shape[1]).index_add(0, owner, layers["up"](x))
    return total / torch.zeros(count, 1).index_add(0, owner, torch.ones(x.shape[0], 1)).clamp(min=1)


def edges(layers, x, pairs):
    """A graph network: messages along edges, of which loops are left out."""
    kept = pairs[:, pairs[0] != pairs[1]]
    sent = layers["message"](torch.cat([x[kept[0]], x[kept[1]]], -1)).relu()
    return x + torch.zeros_like(x).index_add(0, kept[1], sent)


# --- branches, loops and scans ----------------------------------------------


def early_exit(layers, x):
    """The second half runs only if the first is unsure."""
    made = layers["first"](x)
    return torch.cond(made.softmax(-1).amax() > 0.5, lambda m: m * 1.0, lambda m: layers["second"](m.tanh()), (made,))


def by_size(layers, x):
    return torch.cond(x.shape[0] > 5, lambda x: layers["up"](x), lambda x: x.sin(), (x,))


def fixpoint(layers, x):
    """A deep equilibrium network: until it no longer moves, or 30 turns."""
    def more(turn, state, moved):
        return (turn < 30) & (moved > 1e-3)

    def step(turn, state, moved):
        new = torch.tanh(layers["cell"](state) * 0.3 + x)
        return turn + 1, new, (new - state).square().sum()
    return while_loop(more, step, (torch.tensor(0), x * 0, torch.tensor(1e9)))


def power(layers, x):
    """The largest singular value by seven steps."""
    def step(turn, v):
        w = x.T @ (x @ v)
        return turn + 1, w / (w.norm() + 1e-6)
    turn, v = while_loop(lambda turn, v: turn < 7, step, (torch.tensor(0), torch.ones(8)))
    return (x @ v).norm(), turn


def recurrent(layers, x):
    """A gated cell along the rows."""
    def step(state, row):
        gate = torch.sigmoid(layers["gate"](row))
        state = gate * state + (1 - gate) * torch.tanh(layers["cell"](row))
        return state, state * 1.0
    return scan(step, torch.zeros(8), x)


def linear_attention(layers, x):
    """A state that is a matrix."""
    def step(state, row):
        k, v = row
        state = state * 0.9 + k[:, None] * v[None]
        return state, state.sum(0)
    return scan(step, torch.zeros(8, 8), [layers["k"](x), layers["v"](x)])


def each_row(layers, x):
    return hop_map(lambda row, w: torch.outer(row, row) @ w, x, layers["up"].weight)


def nested(layers, x):
    """A loop in a branch, over rows that the data picks."""
    kept = x[x[:, 0] > 0]

    def halve(kept):
        return while_loop(lambda turn, k: (turn < 9) & (k.abs().sum() > 1), lambda turn, k: (turn + 1, k / 2), (torch.zeros((), dtype=torch.int64), kept))[1]
    return torch.cond(kept.sum() > 0, halve, lambda kept: kept - 1, (kept,))


def lstm(layers, x):
    return layers["cell"](x)


def gru(layers, x):
    return layers["cell"](x)[0]


def beam(layers, words, scores):
    """A step of a beam search."""
    logits = layers["head"](layers["table"](words[:, -1])).log_softmax(-1) + scores[:, None]
    best, place = logits.flatten().topk(3)
    return torch.cat([words[place // 40], (place % 40)[:, None]], 1), best


def nms(layers, x, scores):
    """Greedy suppression by a matrix of overlaps."""
    low, high = torch.minimum(x[:, :2], x[:, 2:]), torch.maximum(x[:, :2], x[:, 2:])
    order = scores.argsort(descending=True)
    low, high = low[order], high[order]
    both = (torch.minimum(high[:, None], high[None]) - torch.maximum(low[:, None], low[None])).clamp(min=0).prod(-1)
    area = (high - low).prod(-1)
    overlap = (both / (area[:, None] + area[None] - both) > 0.3).triu(1)

    def step(kept, row):
        place, covers = row
        kept = kept & ~(covers & kept.index_select(0, place))
        return kept, place * 1
    kept, _ = scan(step, torch.ones(x.shape[0], dtype=torch.bool), (torch.arange(x.shape[0])[:, None], overlap))
    return order[kept]


def up():
    return nn.Linear(8, 8)


NETWORKS = {
    "picks rows": own(picks_rows, rows, score=lambda: nn.Linear(8, 1), up=up),
    "positions": own(positions, rows),
    "values": own(values, rows),
    "router": own(router, rows, gate=lambda: nn.Linear(8, 3), expert0=up, expert1=up, expert2=up),
    "repeated": own(repeated, lambda count: (torch.randn(count, 8), torch.randint(0, 4, (count,))), up=up),
    "uniques": own(uniques, lambda count: (ids(count, words=20),), table=lambda: nn.Embedding(20, 8)),
    "prefix": own(prefix, lambda count, cut=None: (torch.randn(count, 8), torch.tensor(count // 2 if cut is None else cut)),
                  sizes=[*ROWS, (5, 0), (5, 5), (5, 6), (5, -1), (0, 1)], up=up),
    "window": own(window, lambda count, start=0, length=None: (torch.randn(count, 8), torch.tensor(start),
                                                               torch.tensor(count // 3 if length is None else length)),
                  sizes=[*ROWS, (5, 2, 3), (5, 2, 4), (5, -1, 2), (9, 9, 0), (9, 3, -1)], up=up),
    "grid": own(grid, lambda height, width: (torch.tensor(height), torch.tensor(width)), (3, 4), (5, 6),
                [(0, 4), (1, 1), (4, 0), (3, 5), (7, 2), (1, 33), (64, 17), (0, 0), (-1, 2)], up=lambda: nn.Linear(2, 8)),
    "boxes": own(boxes, rows, head=lambda: nn.Linear(8, 6)),
    "ragged": own(ragged, lambda batch, length: (torch.randn(batch, length, 8), torch.randint(0, length + 1, (batch,))), (3, 5), (4, 7),
                  [(0, 5), (1, 1), (2, 7), (3, 0), (5, 33), (17, 3), (1, 64), (33, 31)], up=up),
    "histogram": own(histogram, lambda count: (ids(count, words=20),)),
    "segments": own(segments, lambda count: (torch.randn(count, 8), torch.randint(0, 5, (count,))), up=up),
    "edges": own(edges, lambda nodes, count: (torch.randn(nodes, 8), torch.randint(0, max(nodes, 1), (2, count))), (6, 10), (7, 12),
                 [(0, 0), (1, 1), (1, 0), (2, 5), (7, 33), (33, 7), (64, 129), (5, 1)], message=lambda: nn.Linear(16, 8)),
    "early exit": own(early_exit, rows, first=up, second=up),
    "by size": own(by_size, rows, sizes=[*ROWS, (5,), (6,)], up=up),
    "fixpoint": own(fixpoint, rows, cell=up),
    "power": own(power, rows),
    "recurrent": own(recurrent, rows, gate=up, cell=up),
    "linear attention": own(linear_attention, rows, k=up, v=up),
    "each row": own(each_row, rows, served=[(0,)], up=up),
    "nested": own(nested, rows),
    "lstm": own(lstm, lambda batch: (torch.randn(batch, 5, 8),),
                cell=lambda: nn.LSTM(8, 8, num_layers=2, bidirectional=True, batch_first=True)),
    "gru": own(gru, lambda batch: (torch.randn(5, batch, 8),), cell=lambda: nn.GRU(8, 8)),
    "beam": own(beam, lambda beams, length: (ids(beams, length, words=40), torch.randn(beams)), (3, 4), (5, 6),
                [(0, 4), (1, 1), (3, 0), (2, 7), (5, 33), (17, 3), (1, 64), (33, 31)], head=lambda: nn.Linear(8, 40),
                table=lambda: nn.Embedding(40, 8)),
    "suppression": own(nms, lambda count: (torch.rand(count, 4), torch.rand(count)), sizes=[(0,), (1,), (2,), (3,), (7,), (33,), (64,), (101,)],
                       served=[(0,)]),
}

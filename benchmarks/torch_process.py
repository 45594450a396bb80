# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One network of PyTorch in one engine, in a process that answers questions (of bench_torch.py)."""

import contextlib
import logging.handlers
import os
import tempfile
import time
import warnings

OURS, INDUCTOR, EAGER = "symshape", "Inductor", "eager"
ROUND_SECONDS = 5e-3  # of one engine in one round, at least one call


class Answers:
    """The answers; each method is a question, and its result goes through a pipe."""

    def __init__(self, engine, network, kind, precision, threads):
        import torch
        from torch_networks import NETWORKS
        torch.set_num_threads(threads)
        torch._dynamo.config.recompile_limit = 64
        torch.manual_seed(0)
        self.torch, self.kind, self.network = torch, kind, NETWORKS[network]
        self.module = self.network.make().train(kind == "training")
        # What our backend leaves to eager is a warning of its log.
        self.warnings = logging.handlers.BufferingHandler(1000)
        logging.getLogger("symshape.torch").addHandler(self.warnings)
        self.run, self.inputs, self.context = self.module, {}, contextlib.nullcontext
        if engine == INDUCTOR:
            self.run = torch.compile(self.module, dynamic=True)
            if precision == "bf16":
                self.context = lambda: torch.autocast("cpu", torch.bfloat16)
        elif engine == OURS:
            # The final code, as Inductor's; without it a quick one would answer meanwhile.
            options = {"threads": threads, "compile": "sync", "precision": precision}
            self.run = torch.compile(self.module, backend="symshape", dynamic=True, options=options)

    def call(self, sizes):
        if sizes not in self.inputs:
            self.torch.manual_seed(1)  # the same inputs in all engines
            self.inputs[sizes] = self.network.draw(*sizes)
        if self.kind == "inference":
            with self.torch.no_grad(), self.context():
                return self.run(*self.inputs[sizes])
        self.module.zero_grad(set_to_none=True)
        with self.context():
            result = self.run(*self.inputs[sizes])
        result.float().square().mean().backward()
        return result

    def prepare(self, sizes):
        """Seconds of a first call."""
        start = time.perf_counter()
        self.call(sizes)
        return time.perf_counter() - start

    def again(self, shapes):
        """How many graphs calls of other shapes compile."""
        counts = self.torch._dynamo.utils.counters["stats"]
        before = counts["unique_graphs"]
        for sizes in shapes:
            self.call(sizes)
        return counts["unique_graphs"] - before

    def results(self, sizes):
        """What is compared: of training, derivatives."""
        result = self.call(sizes)
        tensors = [result] if self.kind == "inference" else [one.grad for one in self.module.parameters() if one.grad is not None]
        return [one.detach().float().numpy() for one in tensors]

    def fallbacks(self):
        """Why graphs run eagerly in ours."""
        return [" ".join(one.getMessage().split())[:200] for one in self.warnings.buffer]

    def time(self, sizes):
        """Seconds of a call, in one round."""
        self.call(sizes)
        count, start = 0, time.perf_counter()
        while count == 0 or time.perf_counter() - start < ROUND_SECONDS:
            self.call(sizes)
            count += 1
        return (time.perf_counter() - start) / count


def serve(pipe, engine, network, kind, precision, threads):
    """Answers (METHOD, ARGUMENTS...) with (error or None, result), until the other end is closed."""
    warnings.simplefilter("ignore")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what PyTorch says while it starts
    os.environ["SYMSHAPE_CACHE"] = "off"  # compiling is part of what is measured
    os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
    with tempfile.TemporaryDirectory(prefix="inductor") as folder:  # where it would find kernels that it made before
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        answer_all(pipe, engine, network, kind, precision, threads)


def answer_all(pipe, *of):
    answers = None
    while True:
        try:
            method, *arguments = pipe.recv()
        except EOFError:
            return
        try:
            answers = answers or Answers(*of)
            pipe.send((None, getattr(answers, method)(*arguments)))
        except Exception as error:
            pipe.send((" ".join(str(error).split())[:200] or type(error).__name__, None))

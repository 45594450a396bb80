# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of examples/, with small models: what they answer, beside NumPy."""

import json
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from http.server import ThreadingHTTPServer
from pathlib import Path

import numpy as np
import onnx_file
import pytest
import symshape

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
for folder in ("batch", "serve"):
    sys.path.insert(0, str(EXAMPLES / folder))

import batch
import classify
import detect_text
import encoder
import workers


def write_sum(folder):
    """hidden = ids + mask, of batch x length."""
    dims = (onnx_file.INT64, ["batch", "length"])
    path = folder / "sum.onnx"
    path.write_bytes(onnx_file.model([onnx_file.node("Add", "ids mask", "hidden")], {"ids": dims, "mask": dims}, ["hidden"]))
    return str(path)


def write_rows(folder, count):
    rng, rows = np.random.default_rng(3), {}
    for number in range(count):
        rows[str(folder / f"{number:03}.npy")] = row = rng.integers(0, 99, rng.integers(1, 60))
        np.save(folder / f"{number:03}.npy", row)
    return rows


def kill_child():
    os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)


def kill_of_dask():
    from distributed import default_client
    os.kill(next(iter(default_client().run(os.getpid).values())), signal.SIGKILL)


def kill_of_ray():
    """One of the processes that Ray, a child of this process, has for tasks."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue  # it has ended
    for pid in parents:
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid() and Path(f"/proc/{pid}/cmdline").read_bytes().startswith((b"ray::run", b"ray::IDLE")):
            return os.kill(pid, signal.SIGKILL)
    raise AssertionError("no worker of Ray")


def start_ray(monkeypatch):
    """Its processes have a fixed time to start in, which on a busy machine is not enough at the first try."""
    import ray
    monkeypatch.setenv("RAY_gcs_server_port_wait_time_s", "120")
    for attempt in range(1, 4):
        try:
            return ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=2**27)
        except Exception:  # it has no type of its own
            ray.shutdown()
            if attempt == 3:
                raise


@pytest.mark.parametrize("kind", ["one", "processes", "dask", "ray"])
def test_batches(kind, tmp_path, monkeypatch):
    """Each row is answered, also those of a worker that is killed."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(EXAMPLES / "batch"), os.environ.get("PYTHONPATH", "")]))
    if kind in ("dask", "ray"):
        pytest.importorskip({"dask": "distributed", "ray": "ray"}[kind])
    if kind == "ray":
        start_ray(monkeypatch)
    model, rows = write_sum(tmp_path), write_rows(tmp_path, 60)
    batches = batch.group(list(rows), 64)
    costs = [len(each) * max(len(rows[path]) for path in each) for each in batches]
    assert costs == sorted(costs, reverse=True) and sum(map(len, batches)) == 60 and len(batches) > 20
    assert all(cost <= 64 for cost in costs)
    kill = {"processes": kill_child, "dask": kill_of_dask, "ray": kill_of_ray}.get(kind)
    found = {}
    for paths, results in getattr(workers, f"on_{kind}")(batch.run, model, batches, 2):
        assert not found.keys() & set(paths)
        found.update(zip(paths, results))
        if kill:
            kill()
            kill = None
    assert found.keys() == rows.keys()
    for path, row in rows.items():
        np.testing.assert_array_equal(found[path], row + 1)


@pytest.mark.parametrize("kind", ["one", "processes", "dask", "ray"])
def test_batch_program(kind, tmp_path):
    """Workers find what a program that is run, not imported, gives them to call."""
    if kind in ("dask", "ray"):
        pytest.importorskip({"dask": "distributed", "ray": "ray"}[kind])
    model = write_sum(tmp_path)
    (tmp_path / "rows").mkdir()
    rows = write_rows(tmp_path / "rows", 20)
    done = subprocess.run([sys.executable, EXAMPLES / "batch/batch.py", model, tmp_path / "rows", f"--on={kind}"],
                          capture_output=True, text=True, check=True, env={**os.environ, "RAY_gcs_server_port_wait_time_s": "120"})
    assert re.fullmatch(r"20 of 20 rows, \d+ rows a second\n", done.stdout)
    for path, row in rows.items():
        np.testing.assert_array_equal(np.load(f"{path[:-4]}.out"), row + 1)


def post(url, value):
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(value).encode()), timeout=60) as answer:
        return json.loads(answer.read())


def test_encoder(tmp_path):
    encoder.Handler.program = symshape.load(write_sum(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), encoder.Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/encode"
        for sentences in ([[1, 2, 3]], [[5], [6, 7, 8, 9], []], [[n] * n for n in range(1, 30)]):
            assert post(url, sentences) == [[word + 1 for word in sentence] for sentence in sentences]
        with pytest.raises(urllib.error.HTTPError) as refused:
            post(url, [["word"]])
        assert refused.value.code == 400 and "error" in json.loads(refused.value.read())
        server.shutdown()
    assert encoder.Handler.program.compilations == 1


def test_classify(tmp_path):
    """A network that averages the channels: its scores are means, its shares their softmax."""
    nodes = [onnx_file.node("GlobalAveragePool", "image", "means"), onnx_file.node("Flatten", "means", "scores")]
    (tmp_path / "mean.onnx").write_bytes(
        onnx_file.model(nodes, {"image": (onnx_file.FLOAT, ["batch", 3, "height", "width"])}, ["scores"]))
    program = symshape.load(tmp_path / "mean.onnx")
    rng = np.random.default_rng(5)
    images = [rng.integers(0, 256, (*size, 3), np.uint8) for size in ((7, 9), (32, 1), (7, 9), (64, 48))]
    for image, shares in zip(images, classify.classify(program, images)):
        scores = ((image / 255).mean((0, 1)) - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
        np.testing.assert_allclose(shares, np.exp(scores) / np.exp(scores).sum(), rtol=1e-4)
    assert program.compilations == 1
    np.save(tmp_path / "red.npy", np.full((5, 5, 3), [255, 0, 0], np.uint8))
    (tmp_path / "labels.txt").write_text("red\ngreen\nblue\n", encoding="utf-8")
    done = subprocess.run([sys.executable, EXAMPLES / "serve/classify.py", tmp_path / "mean.onnx", tmp_path / "labels.txt",
                           tmp_path / "red.npy", "--top=1"], capture_output=True, text=True, check=True)
    assert re.search(r"red\.npy: red \d+\.\d %\n$", done.stdout)


def test_detect_text(tmp_path):
    """A detector that takes what is dark for text."""
    nodes = [onnx_file.node("ReduceMean", "image axes", "mean"), onnx_file.node("Neg", "mean", "dark"),
             onnx_file.node("Sigmoid", "dark", "shares")]
    dims = (onnx_file.FLOAT, ["batch", 3, "height", "width"])
    (tmp_path / "dark.onnx").write_bytes(
        onnx_file.model(nodes, {"image": dims}, ["shares"], {"axes": np.array([1])}))
    image = np.full((50, 70, 3), 255, np.uint8)
    for left, top, right, bottom in (boxes := [(3, 2, 20, 8), (30, 2, 69, 5), (0, 40, 70, 50)]):
        image[top:bottom, left:right] = 0
    assert detect_text.detect(symshape.load(tmp_path / "dark.onnx"), image) == boxes
    assert detect_text.find_boxes(np.zeros((4, 4), bool)) == []
    np.save(tmp_path / "page.npy", image)
    done = subprocess.run([sys.executable, EXAMPLES / "serve/detect_text.py", tmp_path / "dark.onnx", tmp_path / "page.npy"],
                          capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path / 'page.npy'}: {boxes}\n"


def test_features(tmp_path):
    """In a pipeline that learns which rows have the larger sum of squares."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    import features
    rows = (onnx_file.FLOAT, ["rows", 8])
    (tmp_path / "squares.onnx").write_bytes(
        onnx_file.model([onnx_file.node("Mul", "x x", "squares")], {"x": rows}, ["squares"]))
    X = np.random.default_rng(2).standard_normal((300, 8))
    y = (X ** 2).sum(axis=1) > 8
    step = features.OnnxFeatures(str(tmp_path / "squares.onnx"), batch=64)
    pipeline = make_pipeline(step, linear_model.LogisticRegression(C=100))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9 > cross_val_score(linear_model.LogisticRegression(), X, y, cv=3).mean()
    fitted = pickle.loads(pickle.dumps(pipeline.fit(X, y)))
    np.testing.assert_allclose(fitted[0].transform(X), np.float32(X) ** 2, rtol=1e-6)
    assert fitted[0].transform(X[:0]).shape == (0, 8) and (fitted.predict(X) == pipeline.predict(X)).all()


def test_they_are_short():
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines())
             for folder in ("batch", "serve") for path in (EXAMPLES / folder).glob("*.py")}
    assert len(lines) == 6 and max(lines.values()) < 60, lines

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model as a step of a pipeline of scikit-learn: what it makes of the data are the features.

    pipeline = make_pipeline(OnnxFeatures("encoder.onnx"), StandardScaler(), LogisticRegression())
    pipeline.fit(images, labels)
    cross_val_score(pipeline, images, labels, n_jobs=4)

The step can be cloned and pickled, as a search with several processes does: each loads the program once, from the
cache of machine code that the first has filled.
"""

import numpy as np
import symshape
from sklearn.base import BaseEstimator, TransformerMixin


class OnnxFeatures(TransformerMixin, BaseEstimator):
    """`model` is a path, `result` the name of one of its results (None: the first), `batch` the most rows of a call."""

    def __init__(self, model, result=None, batch=256):
        self.model = model
        self.result = result
        self.batch = batch

    def fit(self, X, y=None):
        self.program_ = symshape.load(self.model)
        self.n_features_in_ = np.shape(X)[1]
        return self

    def transform(self, X):
        """A row of features for each row of X, in batches: the last one may be shorter, for the same program."""
        X = np.asarray(X)
        element = np.float32 if self.program_.inputs[0].element == "f32" else np.int64
        parts = []
        for begin in range(0, max(1, len(X)), self.batch):
            results = self.program_(X[begin:begin + self.batch].astype(element))
            rows = results[0 if self.result is None else self.result]
            parts.append(rows.reshape(len(rows), int(np.prod(rows.shape[1:]))))
        return np.concatenate(parts)

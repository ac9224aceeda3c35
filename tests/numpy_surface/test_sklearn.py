"""Estimators and metrics of scikit-learn in staged functions: each is a call in the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.numpy_surface.judging import same

pytest.importorskip("sklearn")

from sklearn import metrics
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import pairwise
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KernelCenterer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    StandardScaler,
)

FITTED = Ridge()


def _chosen(x: Any, t: Any, labels: Any) -> Any:
    best, chosen = np.inf, 0.0
    for k in range(4):
        model = Ridge(alpha=10.0**k).fit(x, t)
        error = np.mean((model.predict(x) - t) ** 2)
        if error < best:
            best, chosen = error, 10.0**k
    return best, chosen


def _staged_parameter(x: Any, t: Any, labels: Any) -> Any:
    total = 0.0
    for alpha in abs(t[:3]):
        total += np.sum(Ridge(alpha=alpha).fit(x, t).coef_)
    return total


def _in_pieces(x: Any, t: Any, labels: Any) -> Any:
    total = 0.0
    for train, test in KFold(4).split(x):
        total += Ridge().fit(x[train], t[train]).score(x[test], t[test])
    return total


def _attributes(x: Any, t: Any, labels: Any) -> Any:
    model = LinearRegression()
    before = hasattr(model, "coef_")
    model.fit(x, t)
    return before, hasattr(model, "coef_"), model.coef_ * 2, model.intercept_, model.n_features_in_


def _from_outside(x: Any, t: Any, labels: Any) -> Any:
    if t[0] > 0:
        FITTED.fit(x, t)
    return FITTED.predict(x), FITTED.coef_


@pytest.mark.parametrize(
    "function",
    [
        lambda x, t, labels: [
            scaler().fit_transform(x)
            for scaler in (MinMaxScaler, MaxAbsScaler, StandardScaler, Normalizer)
        ],
        lambda x, t, labels: KernelCenterer().fit_transform(x @ x.T),
        lambda x, t, labels: PolynomialFeatures(2).fit_transform(x),
        lambda x, t, labels: LabelEncoder().fit_transform(labels * 3),
        lambda x, t, labels: PCA(2, svd_solver="full").fit_transform(x),
        lambda x, t, labels: LinearDiscriminantAnalysis().fit(x, labels).predict(x),
        lambda x, t, labels: KNeighborsClassifier(3).fit(x, labels).predict(x),
        lambda x, t, labels: RandomForestClassifier(3).fit(x, labels).predict_proba(x),
        lambda x, t, labels: KMeans(3, n_init=1).fit_predict(x),
        lambda x, t, labels: make_pipeline(StandardScaler(), Ridge()).fit(x, t).predict(x),
        lambda x, t, labels: cross_val_score(Ridge(), x, t, cv=3),
        lambda x, t, labels: train_test_split(x, labels),
        lambda x, t, labels: metrics.accuracy_score(labels, x[:, 0] > 0),
        lambda x, t, labels: (metrics.mean_squared_error(t, x[:, 0]), metrics.r2_score(t, x[:, 1])),
        lambda x, t, labels: metrics.confusion_matrix(labels, x[:, 0] > 0),
        lambda x, t, labels: (pairwise.cosine_similarity(x), pairwise.rbf_kernel(x)),
        _chosen,
        _staged_parameter,
        _in_pieces,
        _attributes,
        _from_outside,
    ],
)
def test_what_is_fitted_is_as_in_plain_python(function: Any) -> None:
    rng = np.random.default_rng(0)
    staged = ag.function(function)
    FITTED.fit(rng.normal(size=(4, 5)), np.arange(4.0))
    for _ in range(2):
        x = rng.normal(size=(40, 5))
        args = (x, x @ np.arange(5.0), (x[:, 0] + x[:, 1] > 0).astype(int))
        outcomes = []
        for one in (function, staged):
            np.random.seed(1)
            outcomes.append((one(*args), np.random.random()))
        assert same(*outcomes)


def test_an_estimator_that_was_not_fitted_raises_as_in_plain_python() -> None:
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        ag.function(lambda x: Ridge().predict(x))(np.ones((3, 2)))


def test_the_graph_tells_what_is_called() -> None:
    staged = ag.function(lambda x: MinMaxScaler().fit_transform(x))
    text = str(staged.graph(np.ones((3, 2))))
    assert "MinMaxScaler()" in text
    assert "_0.fit_transform(_1)" in text

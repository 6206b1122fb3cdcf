"""The untuned committees of linear learners: of two labels, and of many classes."""

from __future__ import annotations

from littlestone.auto._auto import Auto, pool, pools
from littlestone.auto._multiclass import MulticlassAuto, multiclass_pool
from littlestone.verifying.twins.auto import STACKS

__all__ = [
    "STACKS",
    "TEAMS",
    "Auto",
    "MulticlassAuto",
    "multiclass_pool",
    "pool",
    "pools",
]

# The committees by name.
TEAMS: dict[str, type[Auto | MulticlassAuto]] = {
    "Auto": Auto,
    "MulticlassAuto": MulticlassAuto,
}

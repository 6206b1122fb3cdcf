"""The untuned committees of linear learners: of two labels, and of many classes."""

from __future__ import annotations

from littlestone.auto._auto import STACK, Auto, pool
from littlestone.auto._multiclass import MulticlassAuto, multiclass_pool

__all__ = ["STACK", "TEAMS", "Auto", "MulticlassAuto", "multiclass_pool", "pool"]

# The committees by name.
TEAMS: dict[str, type[Auto | MulticlassAuto]] = {
    "Auto": Auto,
    "MulticlassAuto": MulticlassAuto,
}

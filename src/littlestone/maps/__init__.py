"""Feature maps: a fixed change of the features before a learner, part of its model."""

from littlestone.maps._map import Chain, Map, as_map
from littlestone.maps.crossed import Crossed
from littlestone.maps.fourier import Fourier
from littlestone.maps.mapped import Mapped
from littlestone.maps.quadratic import Quadratic
from littlestone.maps.standardized import Standardized

__all__ = [
    "Chain",
    "Crossed",
    "Fourier",
    "Map",
    "Mapped",
    "Quadratic",
    "Standardized",
    "as_map",
]

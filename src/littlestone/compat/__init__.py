"""Interfaces of other packages (scikit-learn, River, opera), and export to ONNX.

Modules that need an optional package are loaded only when they are imported by name.
"""

from littlestone.compat import opera

__all__ = ["opera"]

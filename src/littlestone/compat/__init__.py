"""At home elsewhere: façades with the names of another package, and exports.

`littlestone.compat.sklearn` and `littlestone.compat.onnx` need packages of their own,
and are loaded when they are imported by name.
"""

from littlestone.compat import opera

__all__ = ["opera"]

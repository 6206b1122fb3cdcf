"""Certificates that somebody has tampered with, and made the seal anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from certificates import sealed
from littlestone import Certificate
from littlestone.errors import CertificateError
from littlestone.verifying import as_number, as_text

_TINY = Fraction(1, 10**12)


def forgeries(certificate: Certificate) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Yield certificates with one place changed: the place, the value, and it.

    Those that are no certificates any more, or still the same, are left out.
    """
    plain = json.loads(certificate.to_json())
    del plain["seal"]
    for path in walked(plain):
        for value in _others(at(plain, path)):
            try:
                forged = Certificate.from_json(sealed(put(plain, path, value)))
            except CertificateError:
                continue
            if forged != certificate:
                yield path, value, forged


def changed(certificate: Certificate, path: tuple[Any, ...], value: Any) -> Certificate:
    """Return the certificate with another value at a place."""
    plain = json.loads(certificate.to_json())
    return Certificate.from_json(sealed(put(plain, path, value)))


def places(certificate: Certificate) -> list[tuple[Any, ...]]:
    """Return all places of a certificate but the seal."""
    found = walked(json.loads(certificate.to_json()))
    return [path for path in found if path[0] != "seal"]


def walked(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(plain, (dict, list)):
        for key in plain if isinstance(plain, dict) else range(len(plain)):
            yield from walked(plain[key], (*path, key))
    if path:
        yield path


def at(plain: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        plain = plain[key]
    return plain


def put(plain: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(plain) if isinstance(plain, dict) else list(plain)
    copy[path[0]] = put(plain[path[0]], path[1:], value)
    return copy


def _others(value: Any) -> list[Any]:
    """Return values of the same kind that differ, and some of other kinds."""
    if isinstance(value, str):
        made: list[Any] = [value + "x", "best", None, "7/5", as_text(1e300)]
        try:
            number = as_number(value)
        except CertificateError:
            return [*made, value[:-1] + ("1" if value.endswith("0") else "0")]
        near = (number + _TINY, number - _TINY, number + 1, -number, 2 * number)
        return made + [as_text(each) for each in near]
    if isinstance(value, bool):
        return [not value, 1, None]
    if isinstance(value, int):
        return [value + 1, value - 1, 2 * value + 7, not value, None, str(value)]
    if isinstance(value, list):
        return [[], value[:-1], [*value, *value], None]
    return ["1", 1, False, {}] if value is None else [{}, None]

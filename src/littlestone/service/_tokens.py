"""Tokens: what each caller may do. Only their hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, get_args

from littlestone.errors import ParameterError
from littlestone.outputs import replacing
from littlestone.service._files import make_folder, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["SCOPES", "Scope", "Token", "Tokens"]

Scope = Literal["predict", "label", "read", "admin"]
SCOPES: tuple[str, ...] = get_args(Scope)

_START = "lst_"  # so that scanners of secrets can know it


@dataclass(frozen=True)
class Token:
    """What is kept of a token.

    Attributes
    ----------
    name
        What the operator calls it.
    hash
        The SHA-256 of the token, which is random and long, so it cannot be guessed.
    scopes
        What it may do.
    models
        The models it is for; empty for all.
    created
        When it was made.
    """

    name: str
    hash: str
    scopes: tuple[str, ...]
    models: tuple[str, ...] = ()
    created: str = ""

    def may(self, scope: Scope, model: str | None) -> bool:
        """Return whether it allows something; None means with any model."""
        return scope in self.scopes and (
            model is None or not self.models or model in self.models
        )


class Tokens:
    """The tokens of a data folder.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone.service._tokens import Tokens
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tokens.json"
    >>> secret = Tokens(path).add("shop", ["predict"], models=["clicks"])
    >>> found = Tokens(path).find(secret)
    >>> found.name, found.may("predict", "clicks"), found.may("label", "clicks")
    ('shop', True, False)
    >>> secret in path.read_text(), Tokens(path).find("lst_guess") is None
    (False, True)
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known: tuple[Token, ...] = ()
        if path.exists():
            text = text_of(path)
            try:
                kept = json.loads(text)
                self.known = tuple(
                    Token(
                        each["name"],
                        each["hash"],
                        tuple(each["scopes"]),
                        tuple(each["models"]),
                        each["created"],
                    )
                    for each in kept["tokens"]
                )
            except (KeyError, RecursionError, TypeError, ValueError):
                raise ParameterError(
                    f"{path} must hold tokens, got another file", owner="serve"
                ) from None

    def find(self, secret: str) -> Token | None:
        """Return the token with this secret, compared in constant time."""
        hashed = _hash(secret)
        found = None
        for token in self.known:
            if hmac.compare_digest(token.hash, hashed):
                found = token
        return found

    def add(self, name: str, scopes: Sequence[str], models: Sequence[str] = ()) -> str:
        """Make a token, keep its hash, and return it: it cannot be shown again."""
        if any(token.name == name for token in self.known):
            raise ParameterError(f"a token must have a new name, got {name!r}")
        for scope in scopes:
            if scope not in SCOPES:
                raise ParameterError(
                    f"a scope must be one of {', '.join(SCOPES)}, got {scope!r}"
                )
        secret = _START + secrets.token_urlsafe(32)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        made = Token(name, _hash(secret), tuple(scopes), tuple(models), now)
        self._keep((*self.known, made))
        return secret

    def remove(self, name: str) -> None:
        """Forget a token."""
        left = tuple(token for token in self.known if token.name != name)
        if len(left) == len(self.known):
            raise ParameterError(f"there must be a token of this name, got {name!r}")
        self._keep(left)

    def _keep(self, tokens: tuple[Token, ...]) -> None:
        make_folder(self._path.parent)
        with replacing(self._path) as file:
            text = json.dumps({"tokens": [asdict(each) for each in tokens]}, indent=1)
            file.write(text.encode())
        self._path.chmod(0o600)
        self.known = tokens


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

"""The configuration of a service: a TOML file."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import msgspec

from littlestone.errors import ParameterError
from littlestone.running.late import LateRule  # noqa: TC001 - msgspec reads it
from littlestone.service._app import Limits
from littlestone.service._files import text_of
from littlestone.service._policy import Policy

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Config", "ModelConfig", "read_config"]

_MOST = 1 << 53  # of a limit: integers up to here are doubles


class ModelConfig(msgspec.Struct, forbid_unknown_fields=True):
    """A model in the configuration: a learner, or a model file to begin with."""

    learner: str | None = None
    model: str | None = None
    late: LateRule = "relearn"
    ttl: float | None = None
    hold: float | None = None
    default: Any = None
    declare: dict[str, float] = {}

    def policy(self, limits: Limits) -> Policy:
        """Return what it says about labels."""
        return Policy(
            ttl=self.ttl,
            hold=self.hold,
            default=() if self.default is None else (self.default,),
            most_held=limits.held,
            most_features=limits.features,
        )


class Config(msgspec.Struct, forbid_unknown_fields=True):
    """All of a configuration."""

    models: dict[str, ModelConfig]
    data: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    limits: dict[str, float] = {}

    def all_limits(self) -> Limits:
        """Return the limits, those that are not set as they are by default."""
        usual = asdict(Limits())
        for name, value in self.limits.items():
            if name not in usual:
                raise ParameterError(
                    f"a limit must be one of {', '.join(usual)}, got {name!r}",
                    owner="serve",
                )
            if not 0 < value <= _MOST:
                raise ParameterError(
                    f"the limit {name} must exceed 0 and be at most 2**53, got "
                    f"{value!r}",
                    owner="serve",
                )
            usual[name] = type(usual[name])(value)
        return Limits(**usual)


def read_config(path: Path) -> Config:
    r"""Return the configuration in a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone.service._config import read_config
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "serve.toml"
    >>> _ = path.write_text('data = "d"\n[models.clicks]\nlearner = "arow"\n')
    >>> read_config(path).models["clicks"].learner
    'arow'
    """
    text = text_of(path)
    try:
        said = tomllib.loads(text)
    except (RecursionError, ValueError) as error:
        raise ParameterError(f"{path} must be a TOML file: {error}") from None
    try:
        return msgspec.convert(said, Config)
    except msgspec.ValidationError as error:
        raise ParameterError(f"{path}: {error}", owner="serve") from None

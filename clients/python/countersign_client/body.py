"""What is sent, as JSON: amounts as strings, and never a float."""

import json
from decimal import Decimal
from typing import Any, Mapping


def encode(body: Mapping[str, Any]) -> bytes:
    """JSON of a body; a Decimal becomes a string, digit for digit.

    Raises TypeError for a float, since it has no exact value, and for what JSON doesn't have;
    ValueError for a Decimal that isn't a number.
    """
    return json.dumps(_plain(body, "")).encode("ascii")


def _plain(value: object, path: str) -> object:
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Decimal):
        return _digits(value, path)
    if isinstance(value, Mapping):
        return {_name(key, path): _plain(each, f"{path}/{key}") for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each, f"{path}/{index}") for index, each in enumerate(value)]
    if isinstance(value, float):
        raise TypeError(f"{path} is a float, which is no exact amount; give a str or a Decimal.")
    raise TypeError(f"{path} is a {type(value).__name__}, which JSON doesn't have.")


def _digits(value: Decimal, path: str) -> str:
    if not value.is_finite():
        raise ValueError(f"{path} isn't a finite number.")
    return format(value, "f")


def _name(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{path} has a name that isn't a str.")
    return key

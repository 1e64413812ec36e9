"""Base class of requests, decorator of their handlers, and JSON codec. Used by every verb."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, dataclass_transform, get_args, overload

import msgspec

from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code

R = TypeVar("R")
_Request = TypeVar("_Request", bound="Request[Any]")
_Service = TypeVar("_Service")
_Result = TypeVar("_Result")
_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Request(Generic[R]):
    """Base class of requests; `R` is the type of the result. It makes subclasses frozen, keyword-only dataclasses.

    `read_only` requests are repeated if the engine stops before it answers.
    """

    verb: ClassVar[str] = ""
    read_only: ClassVar[bool] = True
    result: ClassVar[Any] = None

    def __init_subclass__(cls, *, verb: str, read_only: bool = True) -> None:
        super().__init_subclass__()
        cls.verb, cls.read_only = verb, read_only
        (cls.result,) = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]
        REQUESTS[verb] = dataclass(frozen=True, kw_only=True)(cls)


REQUESTS: dict[str, type[Request[Any]]] = {}  # by verb, from all imported modules of this package


class handles(Generic[_Request]):  # noqa: N801 - a decorator
    """Mark the method of a service that handles a request.

    The method takes the request, or the request and the `Cancel` of the client.
    """

    def __init__(self, request: type[_Request]) -> None:
        self._request = request

    @overload
    def __call__(self, method: Callable[[_Service, _Request], _Result]) -> Callable[[_Service, _Request], _Result]: ...

    @overload
    def __call__(
        self, method: Callable[[_Service, _Request, Cancel], _Result]
    ) -> Callable[[_Service, _Request, Cancel], _Result]: ...

    def __call__(self, method: Any) -> Any:
        """Mark a method."""
        method.handles = self._request
        return method


def encode(value: Any) -> Any:
    """Convert a request, result or event to JSON values."""
    return msgspec.to_builtins(value)


def decode(values: Any, kind: type[_T]) -> _T:
    """Convert JSON values to a request, result or event of this type."""
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise CiteLoomError(Code.INVALID_INPUT, f"The request could not be read: {error}.") from error

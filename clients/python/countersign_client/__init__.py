"""A client of the signing daemon Countersign, for bots in Python."""

from .answer import Sent, Signed
from .client import Client
from .failures import (
    ApprovalRequired,
    Failure,
    InvalidRequest,
    NoRoom,
    NotPermitted,
    OutcomeUnknown,
    PolicyDenied,
    Stopped,
    Unauthorized,
    Unavailable,
    VenueRefused,
)

__all__ = [
    "ApprovalRequired",
    "Client",
    "Failure",
    "InvalidRequest",
    "NoRoom",
    "NotPermitted",
    "OutcomeUnknown",
    "PolicyDenied",
    "Sent",
    "Signed",
    "Stopped",
    "Unauthorized",
    "Unavailable",
    "VenueRefused",
]

"""The number of an item: 63 bits of its id, for clients that know only numbers.

An id is a UUID of version 7: 48 bits of milliseconds, 12 bits of their fraction, 62 random bits. The number has 42 bits
of the milliseconds (until the year 2109), the fraction and 9 random bits. So numbers grow with time as ids do, never
change, are the same in every copy of the database, and lead to the id by a range of the primary key: there is no other
column or index to write.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from inforadar.model.ids import ItemId

_MS_BITS, _FRACTION_BITS, _RANDOM_BITS = 42, 12, 9
_MS_MASK: int = 2**_MS_BITS - 1
_FRACTION_MASK: int = 2**_FRACTION_BITS - 1
_RANDOM_MASK: int = 2**_RANDOM_BITS - 1
_LOW_BITS = 62 - _RANDOM_BITS
_SIGNED_MIN, _UNSIGNED_MAX = -(2**63), 2**64 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def item_number(item_id: ItemId) -> int:
    """The number of an item."""
    return number_of_id(item_id.int)


def number_of_id(value: int) -> int:
    """The number of the item whose id is this, as an integer."""
    milliseconds = (value >> 80) & _MS_MASK
    fraction = (value >> 64) & _FRACTION_MASK
    random = (value >> _LOW_BITS) & _RANDOM_MASK
    return (milliseconds << (_FRACTION_BITS + _RANDOM_BITS)) | (fraction << _RANDOM_BITS) | random


def id_range(number: int) -> tuple[UUID, UUID]:
    """The lowest and the highest id that have this number."""
    first = _first_id(number)
    return UUID(int=first), UUID(int=first | (2**_LOW_BITS - 1))


def hex_id_range(number: int) -> tuple[str, str]:
    """The same as hexadecimal texts, for many numbers: making an id takes longer than all else."""
    first = _first_id(number)
    return f"{first:032x}", f"{first | (2**_LOW_BITS - 1):032x}"


def _first_id(number: int) -> int:
    random = number & _RANDOM_MASK
    fraction = (number >> _RANDOM_BITS) & _FRACTION_MASK
    milliseconds = number >> (_FRACTION_BITS + _RANDOM_BITS)
    return (milliseconds << 80) | (0x7 << 76) | (fraction << 64) | (0x2 << 62) | (random << _LOW_BITS)


def added_us(number: int) -> int:
    """When the item was added, in microseconds since 1970."""
    milliseconds, fraction = number >> 21, (number >> _RANDOM_BITS) & _FRACTION_MASK
    return milliseconds * 1000 + (fraction * 1000 >> _FRACTION_BITS)


def first_id_at(at: datetime) -> UUID:
    """An id that is lower than those of all items added from this time on, and higher than the earlier ones."""
    milliseconds = max(0, min((at - _EPOCH) // timedelta(milliseconds=1), _MS_MASK))
    return UUID(int=milliseconds << 80)


def parse_item_number(text: str) -> int | None:
    """Read a number in any of the forms that clients send; None if it is none of them.

    A decimal number, also negative (two's complement); hexadecimal with 16 digits, or fewer if it has a letter; and
    either of these after `tag:google.com,2005:reader/item/`, where it is always hexadecimal.
    """
    given = text.strip().lower()
    _, is_tag, rest = given.rpartition("reader/item/")
    digits = rest if is_tag else given
    try:
        if not digits.isascii() or "_" in digits or len(digits) > 20:
            return None
        is_hex = (
            bool(is_tag)
            or (len(digits) == 16 and not digits.startswith("-"))
            or any(letter in "abcdef" for letter in digits)
        )
        number = int(digits, 16 if is_hex else 10)
    except ValueError:
        return None
    if _SIGNED_MIN <= number < 0:
        # Ours have 63 bits, so it is nobody's; but it is a number.
        number += 2**64
    return number if 0 <= number <= _UNSIGNED_MAX else None

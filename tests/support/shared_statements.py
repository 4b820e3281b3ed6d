"""Compiled statements shared by all databases that a test process opens.

SQLAlchemy compiles a statement once for each engine. Each test has a database, and so engines, of its own: compiling
took about a third of the suite's time. Here engines of one kind look alike to the cache, and use one.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy
from sqlalchemy import Engine
from sqlalchemy.engine import Dialect
from sqlalchemy.ext import asyncio as sqlalchemy_asyncio
from sqlalchemy.ext.asyncio import AsyncEngine

_statements: dict[Any, Any] = {}
_kinds: dict[type[Dialect], type[Dialect]] = {}


def shared_engine(*args: Any, **kwargs: Any) -> Engine:
    return _share(sqlalchemy.create_engine(*args, **kwargs))


def shared_async_engine(*args: Any, **kwargs: Any) -> AsyncEngine:
    engine = _create_async_engine(*args, **kwargs)
    _share(engine.sync_engine)
    return engine


_create_async_engine = sqlalchemy_asyncio.create_async_engine


def _share(engine: Engine) -> Engine:
    kind = type(engine.dialect)
    engine.dialect.__class__ = _kinds.setdefault(kind, _alike(kind))
    engine.update_execution_options(compiled_cache=_statements)
    return engine


def _alike(kind: type[Dialect]) -> type[Dialect]:
    """A kind of dialect whose instances are equal, so that what one compiled is found by the next."""
    return type(
        f"Shared{kind.__name__}",
        (kind,),
        {
            "supports_statement_cache": True,
            "_type_memos": WeakKeyDictionary(),
            "__eq__": lambda self, other: type(self) is type(other),
            "__hash__": lambda self: hash(type(self)),
        },
    )

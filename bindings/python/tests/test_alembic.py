"""Conversions of columns with Alembic, forward and back; autogenerate sees no differences afterward."""

from __future__ import annotations

import pathlib
import uuid
from collections.abc import Iterator
from typing import Any

import idgen
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.autogenerate.api import AutogenContext
from alembic.autogenerate.render import _repr_type
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from idgen import _convert
from idgen.alembic import convert_uuid
from idgen.sqlalchemy import Base64UUID, BinaryUUID, ShortId, SwappedUUID

FORMS = {
    "char36": sa.CHAR(36),
    "string32": sa.String(32),
    "uuid": sa.Uuid(),
    "binary": BinaryUUID(),
    "swapped": SwappedUUID(),
}


@pytest.fixture(params=["sqlite", "mysql", "mariadb", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[sa.Engine]:
    if request.param == "sqlite":
        engine = sa.create_engine(f"sqlite:///{tmp_path / 'test.db'}")
    else:
        engine = sa.create_engine(request.getfixturevalue(request.param).url())
    yield engine
    everything = sa.MetaData()
    everything.reflect(engine)
    everything.drop_all(engine)
    engine.dispose()


def schema(kind: Any) -> sa.MetaData:
    metadata = sa.MetaData()
    sa.Table("orders", metadata, sa.Column("id", kind, primary_key=True), sa.Column("note", sa.String(9)))
    sa.Table(
        "details",
        metadata,
        sa.Column(
            "id", kind, sa.ForeignKey("orders.id", name="fk_details", ondelete="CASCADE"), primary_key=True
        ),
    )
    sa.Table(
        "lines",
        metadata,
        sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("detail", kind, sa.ForeignKey("details.id", name="fk_lines"), index=True, nullable=True),
    )
    return metadata


def written(id: uuid.UUID, kind: Any) -> Any:
    if isinstance(kind, sa.Uuid):
        return id
    if isinstance(kind, sa.String):
        return str(id) if (kind.length or 0) >= 36 else id.hex
    return id


def convert(engine: sa.Engine, before: Any, after: Any, **options: Any) -> None:
    with engine.begin() as connection:
        op = Operations(MigrationContext.configure(connection))
        convert_uuid(op, "orders", "id", after, existing_type=before, **options)


@pytest.mark.parametrize(
    "before, after", [("char36", "binary"), ("string32", "swapped"), ("uuid", "binary"), ("uuid", "swapped")]
)
def test_there_and_back(engine: sa.Engine, before: str, after: str) -> None:
    old, new = FORMS[before], FORMS[after]
    ids = [idgen.v1() for _ in range(30)]
    tables = schema(old)
    tables.create_all(engine)

    def rows(metadata: sa.MetaData, kind: Any) -> None:
        orders, details, lines = (metadata.tables[name] for name in ("orders", "details", "lines"))
        with engine.begin() as connection:
            values = [uuid.UUID(str(id)) for id in connection.scalars(sa.select(orders.c.id))]
            assert sorted(values) == sorted(ids)
            joined = lines.join(details, lines.c.detail == details.c.id).join(
                orders, orders.c.id == details.c.id
            )
            assert connection.scalar(sa.select(sa.func.count()).select_from(joined)) == 20
            where = orders.c.id == written(ids[3], kind)
            assert connection.scalar(sa.select(orders.c.note).where(where)) == "note 3"
            # The foreign keys are there again, with their options.
            if engine.dialect.name != "sqlite":
                with pytest.raises(sa.exc.IntegrityError), connection.begin_nested():
                    connection.execute(sa.insert(lines), {"n": 99, "detail": written(idgen.v1(), kind)})
        keys = [key for name in ("details", "lines") for key in sa.inspect(engine).get_foreign_keys(name)]
        assert [key["options"].get("ondelete") for key in keys] == ["CASCADE", None]
        differences = [] if isinstance(kind, sa.String) else compare(engine, metadata)
        assert differences == []

    with engine.begin() as connection:
        for n, id in enumerate(ids):
            connection.execute(
                sa.insert(tables.tables["orders"]), {"id": written(id, old), "note": f"note {n}"}
            )
            connection.execute(sa.insert(tables.tables["details"]), {"id": written(id, old)})
            detail = written(id, old) if n < 20 else None
            connection.execute(sa.insert(tables.tables["lines"]), {"n": n, "detail": detail})
    rows(tables, old)
    convert(engine, old, new, batch=7)
    rows(schema(new), new)
    convert(engine, new, old, batch=100)
    rows(tables, old)


def compare(engine: sa.Engine, metadata: sa.MetaData) -> list[Any]:
    with engine.connect() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))


def test_bad_values_are_refused_before_anything_changes(engine: sa.Engine) -> None:
    old = FORMS["char36"]
    tables = schema(old)
    tables.create_all(engine)
    orders, id = tables.tables["orders"], idgen.v4()
    with engine.begin() as connection:
        connection.execute(sa.insert(orders), [{"id": str(id)}, {"id": str(idgen.v4())}])
    before = [key["name"] for key in sa.inspect(engine).get_foreign_keys("lines")]
    for wrong, says in (("12345", "12345"), (id.hex, "same UUID")):
        with engine.begin() as connection:
            connection.execute(sa.insert(orders), {"id": wrong})
        with pytest.raises(ValueError, match=says):
            convert(engine, old, BinaryUUID())
        assert [key["name"] for key in sa.inspect(engine).get_foreign_keys("lines")] == before
        with engine.begin() as connection:
            assert connection.scalar(sa.select(sa.func.count()).select_from(orders)) == 3
            connection.execute(sa.delete(orders).where(orders.c.id == wrong))


@pytest.mark.parametrize("stop", [0, 1, 2])
def test_an_interrupted_conversion_can_be_repeated(
    engine: sa.Engine, stop: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, ids = FORMS["char36"], [idgen.v7() for _ in range(9)]
    tables = schema(old)
    tables.create_all(engine)
    with engine.begin() as connection:
        for n, id in enumerate(ids):
            connection.execute(sa.insert(tables.tables["orders"]), {"id": str(id)})
            connection.execute(sa.insert(tables.tables["details"]), {"id": str(id)})
            connection.execute(sa.insert(tables.tables["lines"]), {"n": n, "detail": str(id)})
    done = []
    for kind in (_convert._Mysql, _convert._Postgres, _convert._Sqlite):

        def convert_some(self: Any, column: Any, convert: Any = kind.convert) -> None:
            if len(done) == stop:
                raise InterruptedError
            done.append(column)
            convert(self, column)

        monkeypatch.setattr(kind, "convert", convert_some)
    with pytest.raises(InterruptedError):
        convert(engine, old, BinaryUUID(), batch=4)
    monkeypatch.undo()
    convert(engine, old, BinaryUUID(), batch=4)
    new = schema(BinaryUUID())
    assert compare(engine, new) == []
    keys = [key for name in ("details", "lines") for key in sa.inspect(engine).get_foreign_keys(name)]
    assert [key["options"].get("ondelete") for key in keys] == ["CASCADE", None]
    with engine.connect() as connection:
        for table, column in (("orders", "id"), ("details", "id"), ("lines", "detail")):
            assert sorted(connection.scalars(sa.select(new.tables[table].c[column]))) == ids


def test_wrong_arguments(engine: sa.Engine) -> None:
    tables = schema(BinaryUUID())
    tables.create_all(engine)
    for existing, new in (
        (BinaryUUID(), BinaryUUID()),
        (sa.Integer(), BinaryUUID()),
        (sa.CHAR(36), sa.CHAR(32)),
    ):
        with pytest.raises(ValueError):
            convert(engine, existing, new)
    with engine.begin() as connection:
        op = Operations(MigrationContext.configure(connection))
        for table, column in (("orders", "none"), ("none", "id"), ("lines", "detail")):
            with pytest.raises(ValueError, match=table):
                convert_uuid(op, table, column, sa.CHAR(36), existing_type=BinaryUUID())
    offline = Operations(MigrationContext.configure(dialect=engine.dialect, opts={"as_sql": True}))
    with pytest.raises(ValueError, match="--sql"):
        convert_uuid(offline, "orders", "id", sa.CHAR(36), existing_type=BinaryUUID())


def test_autogenerate_sees_no_difference_and_writes_the_types(engine: sa.Engine) -> None:
    metadata = sa.MetaData()
    kinds = [BinaryUUID(), SwappedUUID(), Base64UUID(), ShortId(), BinaryUUID(as_uuid=False)]
    columns = [sa.Column(f"c{n}", kind) for n, kind in enumerate(kinds)]
    sa.Table("kinds", metadata, sa.Column("n", sa.Integer, primary_key=True, autoincrement=False), *columns)
    metadata.create_all(engine)
    assert compare(engine, metadata) == []
    with engine.connect() as connection:
        context = AutogenContext(MigrationContext.configure(connection), opts={"user_module_prefix": None})
        for kind in kinds:
            text = _repr_type(kind, context)
            again = eval(text, {"idgen": __import__("idgen.sqlalchemy")})
            assert type(again) is type(kind) and repr(again) == repr(kind), text

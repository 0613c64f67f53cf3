"""The column types, on SQLite and on real servers."""

from __future__ import annotations

import pathlib
import uuid
from collections.abc import Iterator
from typing import Any

import idgen
import pytest
import sqlalchemy as sa
from idgen.sqlalchemy import Base64UUID, BinaryUUID, ShortId, SwappedUUID
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Base(DeclarativeBase):
    pass


FORMS: dict[str, Any] = {
    "binary": BinaryUUID(),
    "swapped": SwappedUUID(),
    "base64": Base64UUID(),
    "uuid": sa.Uuid(),
    "char36": sa.CHAR(36),
    "string32": sa.String(32),
}


class Row(Base):
    __tablename__ = "rows"

    id: Mapped[uuid.UUID] = mapped_column(BinaryUUID, primary_key=True, default=idgen.v7)
    swapped: Mapped[uuid.UUID] = mapped_column(SwappedUUID, default=idgen.v1, unique=True)
    text: Mapped[uuid.UUID] = mapped_column(Base64UUID, default=idgen.V4(), unique=True)
    short: Mapped[int] = mapped_column(ShortId, default=idgen.short, unique=True)
    parent_id: Mapped[uuid.UUID | None] = mapped_column(sa.ForeignKey("rows.id"))
    spare: Mapped[uuid.UUID | None] = mapped_column(BinaryUUID)


@pytest.fixture(params=["sqlite", "mysql", "mariadb", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[sa.Engine]:
    if request.param == "sqlite":
        engine = sa.create_engine(f"sqlite:///{tmp_path / 'test.db'}")
    else:
        engine = sa.create_engine(request.getfixturevalue(request.param).url())
    Base.metadata.create_all(engine)
    yield engine
    Base.metadata.drop_all(engine)
    engine.dispose()


def test_values_are_stored_and_read(engine: sa.Engine) -> None:
    with Session(engine) as session:
        first = Row()
        session.add(first)
        session.flush()
        session.add_all(Row(parent_id=first.id) for _ in range(50))
        session.commit()
        rows = session.scalars(sa.select(Row).order_by(Row.id)).all()
        assert len(rows) == 51 and rows[0].spare is None
        kept = [(row.id, row.swapped, row.text, row.short) for row in rows]
    assert [id.version for id in kept[0][:3]] == [7, 1, 4]
    assert all(type(id) is uuid.UUID for row in kept for id in row[:3]) and all(
        type(row[3]) is int for row in kept
    )
    with Session(engine) as session:
        for id, swapped, text, short in kept:
            for condition in (Row.id == id, Row.swapped == swapped, Row.text == text, Row.short == short):
                assert session.scalars(sa.select(Row.id).where(condition)).all() == [id]
        assert session.scalars(sa.select(sa.func.count()).where(Row.parent_id == kept[0][0])).one() == 50
        some = [row[0] for row in kept[10:20]]
        assert session.scalars(sa.select(Row.id).where(Row.id.in_(some)).order_by(Row.id)).all() == some
        # Texts and bytes are taken, too.
        assert (
            session.get(Row, some[0]) is session.scalars(sa.select(Row).where(Row.id == str(some[0]))).one()
        )


def test_literals_are_valid_sql(engine: sa.Engine) -> None:
    with Session(engine) as session:
        row = Row()
        session.add(row)
        session.commit()
        for condition in (
            Row.id == row.id,
            Row.swapped == row.swapped,
            Row.text == row.text,
            Row.short == row.short,
        ):
            query = sa.select(sa.func.count()).select_from(Row).where(condition)
            text = str(query.compile(engine, compile_kwargs={"literal_binds": True}))
            assert session.execute(sa.text(text.replace(":", r"\:"))).scalar() == 1


def test_many_rows_at_once(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        ids = [
            {"id": id, "short": short} for id, short in zip(idgen.batch("v7", 500), idgen.batch("short", 500))
        ]
        connection.execute(sa.insert(Row), ids)
        found = connection.execute(sa.select(Row.id, Row.short).order_by(Row.id)).all()
    assert [row._asdict() for row in found] == ids


def test_ids_beyond_a_signed_integer(engine: sa.Engine) -> None:
    """Device ids reach them in 2038."""
    big = (1 << 64) - 1
    with Session(engine) as session:
        session.add(Row(short=big))
        if engine.dialect.name == "sqlite":
            with pytest.raises(
                sa.exc.StatementError, match="SQLite cannot store the short id 18446744073709551615"
            ):
                session.commit()
        else:
            session.commit()
            assert session.scalars(sa.select(Row.short)).one() == big


@pytest.mark.parametrize("wrong", [-1, 1 << 64, 1 << 80])
def test_the_error_names_the_range_of_short_ids(engine: sa.Engine, wrong: int) -> None:
    with Session(engine) as session:
        session.add(Row(short=wrong))
        with pytest.raises(
            sa.exc.StatementError, match=f"{wrong} is not a short id: these are 0 to 1844674407370955"
        ):
            session.commit()


def test_comparisons_with_other_numbers_are_those_of_an_integer(engine: sa.Engine) -> None:
    with Session(engine) as session:
        row = Row(short=7)
        session.add(row)
        session.commit()
        for condition in (
            *(Row.short > -1, Row.short != -5, Row.short + 1 == 8, Row.short - 8 == -1, Row.short % 4 == 3),
            *(Row.short.between(-3, 9), Row.short < 7.5, Row.short.in_([7, 8]), sa.func.abs(Row.short) == 7),
            sa.cast(Row.short, sa.String(20)) == "7",
        ):
            if (
                engine.dialect.name in ("mysql", "mariadb")
                and "-" in str(condition)
                and "short -" in str(condition)
            ):
                # The server's integers without a sign have no negative difference.
                continue
            assert session.scalars(sa.select(Row.short).where(condition)).all() == [7], str(condition)
        assert session.scalars(sa.select(sa.func.max(Row.short))).one() == 7
        assert session.scalars(sa.select(Row.short + 1)).one() == 8


def test_the_types_do_what_sqlalchemys_own_type_does(engine: sa.Engine) -> None:
    """The same statements, with columns of sqlalchemy.Uuid beside ours."""
    metadata = sa.MetaData()
    kinds: dict[str, Any] = {
        "own": sa.Uuid(),
        "own_text": sa.Uuid(as_uuid=False),
        "binary": BinaryUUID(),
        "binary_text": BinaryUUID(as_uuid=False),
        "swapped": SwappedUUID(),
        "base64": Base64UUID(),
        "base64_text": Base64UUID(as_uuid=False),
    }
    table = sa.Table(
        "kinds",
        metadata,
        sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
        *(sa.Column(name, kind) for name, kind in kinds.items()),
    )
    metadata.create_all(engine)
    try:
        ids = sorted(idgen.batch("v1", 5))
        rows = [
            {"n": n, **{name: str(id) if name.endswith("text") else id for name in kinds}}
            for n, id in enumerate(ids)
        ]
        with engine.begin() as connection:
            connection.execute(sa.insert(table), rows)
            connection.execute(sa.insert(table), [{"n": 9, **dict.fromkeys(kinds)}])
            assert [
                row._asdict() for row in connection.execute(sa.select(table).where(table.c.n < 9))
            ] == rows
            for name, kind in kinds.items():
                column = table.c[name]
                own: Any = str if name.endswith("text") else lambda id: id
                one, two = own(ids[1]), own(ids[2])
                assert column.type.python_type is type(one)

                def numbers(*conditions: Any, column: Any = column) -> list[int]:
                    query = sa.select(table.c.n).where(*conditions).order_by(table.c.n)
                    found = list(connection.scalars(query))
                    # With the values in the statement, too.
                    text = str(query.compile(engine, compile_kwargs={"literal_binds": True}))
                    assert list(connection.exec_driver_sql(text).scalars()) == found, text
                    return found

                assert numbers(column == one) == [1] and numbers(column.in_([one, two])) == [1, 2]
                assert numbers(column.not_in([one, two])) == [0, 3, 4] and numbers(column != one) == [
                    0,
                    2,
                    3,
                    4,
                ]
                assert numbers(column.is_(None)) == [9] == numbers(column == sa.null())
                assert numbers(column.is_not(None)) == [0, 1, 2, 3, 4] and numbers(column.in_([])) == []
                assert numbers(column == sa.literal(one, kind)) == [1]
                assert numbers(sa.func.coalesce(column, sa.literal(two, kind)) == two) == [2, 9]
                inner = sa.select(column).where(table.c.n == 3).scalar_subquery()
                assert numbers(column == inner) == [3]
                assert numbers(sa.case((table.c.n == 4, column), else_=None) == own(ids[4])) == [4]
                assert numbers(sa.tuple_(table.c.n, column).in_([(1, one), (2, one)])) == [1]
                if name != "base64" and name != "base64_text":
                    expected = [2, 3, 4]
                    assert numbers(column >= two) == expected and numbers(
                        column.between(two, own(ids[3]))
                    ) == [2, 3]
                    assert list(
                        connection.scalars(
                            sa.select(column).order_by(column.desc()).where(column.is_not(None))
                        )
                    ) == [own(id) for id in reversed(ids)]
                connection.execute(sa.update(table).where(table.c.n == 9).values({name: one}))
                assert numbers(column == one) == [1, 9]
                assert connection.scalar(sa.select(sa.func.count(column.distinct()))) == 5
                connection.execute(sa.update(table).where(table.c.n == 9).values({name: sa.null()}))
                assert connection.scalar(sa.select(sa.type_coerce(column, kind)).where(table.c.n == 1)) == one
                # MySQL's CAST takes no collation.
                if not name.startswith(("own", "base64")):
                    cast = sa.cast(sa.literal(one, kind), kind)
                    assert connection.scalar(sa.select(cast)) == one
        reflected = sa.Table("kinds", sa.MetaData(), autoload_with=engine)
        assert isinstance(reflected.c.binary.type, (sa.BINARY, sa.LargeBinary))
    finally:
        metadata.drop_all(engine)


def test_ids_in_other_forms_are_refused(engine: sa.Engine) -> None:
    """They would never be equal, so a statement would find nothing."""
    metadata = sa.MetaData()
    table = sa.Table(
        "forms",
        metadata,
        sa.Column("n", sa.Integer, primary_key=True),
        *(sa.Column(name, kind) for name, kind in FORMS.items()),
    )
    metadata.create_all(engine)
    id = idgen.v1()
    row = {name: str(id) if name == "char36" else id.hex if name == "string32" else id for name in FORMS}
    guid = sa.literal(id)
    c = table.c
    try:
        with engine.begin() as connection:
            connection.execute(sa.insert(table), [{"n": 1, **row}])
            other = table.alias()
            for own in (c.binary, c.swapped, c.base64):
                wrong = [
                    guid == own,
                    own == guid,
                    own != guid,
                    own.in_([guid]),
                    own.between(guid, guid),
                    own == sa.bindparam("x", id),
                ]
                if own is not c.base64:
                    wrong += [sa.literal(str(id)) == own, c.char36 == own, own == other.c.string32]
                wrong += [c.uuid == own, own.in_(sa.select(other.c.uuid)), c.uuid.in_(sa.select(own))]
                wrong += [sa.tuple_(c.n, own) == sa.tuple_(c.n, c.uuid), own.is_distinct_from(c.uuid)]
                wrong += [one == own for one in (c.binary, c.swapped, c.base64) if one is not own]
                wrong += [sa.exists().where(other.c.uuid == own), sa.not_(own == guid)]
                for condition in wrong:
                    with pytest.raises(sa.exc.CompileError, match="in different ways"):
                        connection.execute(sa.select(c.n).where(condition)).all()
                with pytest.raises(sa.exc.CompileError, match=r"such as literal\(id, "):
                    connection.execute(sa.select(c.n).join(other, other.c.uuid == own)).all()
                right = [
                    *(own == id, own == sa.literal(id, own.type), sa.literal(id, own.type) == own),
                    *(own == other.c[own.name], own.in_(sa.select(other.c[own.name])), own == sa.null()),
                    *(own.in_([id, sa.literal(id, own.type)]), c.uuid == guid, own == sa.bindparam("x")),
                ]
                for condition in right:
                    found = connection.execute(sa.select(c.n).where(condition), {"x": id}).all()
                    assert found == ([] if condition is right[5] else [(1,)]), condition
            assert connection.scalar(sa.select(c.n).where(c.base64 == sa.literal(idgen.to_base64(id)))) == 1
            assert connection.scalar(sa.select(c.n).where(c.binary == sa.literal(id.bytes))) == 1
            assert str(guid == c.binary)
    finally:
        metadata.drop_all(engine)


def test_rows_of_a_batch_keep_what_the_server_generated(engine: sa.Engine) -> None:
    """RETURNING gives many rows at once, which SQLAlchemy assigns by the key."""

    class Mine(DeclarativeBase):
        pass

    class Counted(Mine):
        __tablename__ = "counted"
        id: Mapped[uuid.UUID] = mapped_column(BinaryUUID, primary_key=True, default=idgen.v4)
        same: Mapped[int] = mapped_column()
        twice: Mapped[int] = mapped_column(sa.Computed("same * 2"))

    Mine.metadata.create_all(engine)
    try:
        with Session(engine) as session:
            rows = [Counted(same=n) for n in range(40)]
            session.add_all(rows)
            session.flush()
            assert [row.twice for row in rows] == [2 * n for n in range(40)]
    finally:
        Mine.metadata.drop_all(engine)


def test_texts_in_a_column_of_bytes_are_errors(engine: sa.Engine) -> None:
    """As a conversion without an operation leaves them, in SQL modes that are not strict."""
    digits = idgen.v4().hex[:16]
    with engine.begin() as connection:
        text = "CAST('%s' AS BYTEA)" if engine.dialect.name == "postgresql" else "CAST('%s' AS BINARY(16))"
        text = "CAST('%s' AS BLOB)" if engine.dialect.name == "sqlite" else text
        query = sa.select(sa.type_coerce(sa.literal_column(text % digits), BinaryUUID()))
        with pytest.raises(ValueError, match="convert the column"):
            connection.execute(query).all()


def test_two_texts_that_differ_in_case(engine: sa.Engine) -> None:
    lower, upper = idgen.from_base64("aaaaaaaaaaaaaaaaaaaaaA"), idgen.from_base64("AAAAAAAAAAAAAAAAAAAAAA")
    with Session(engine) as session:
        session.add_all([Row(text=lower), Row(text=upper)])
        session.commit()
        assert session.scalars(sa.select(Row.text).where(Row.text == lower)).all() == [lower]


@pytest.mark.parametrize(
    "column, wrong",
    [
        ("id", "nothing"),
        ("id", 5),
        ("id", "42"),
        ("id", b"0123456789abcdef"),
        ("swapped", idgen.to_base32(idgen.v1())),
        ("text", idgen.to_base64(idgen.v1())),
        ("short", True),
        ("text", b"short"),
        ("swapped", object()),
        ("short", -1),
        ("short", 1 << 64),
        ("short", "5"),
    ],
)
def test_bad_values(column: str, wrong: Any, tmp_path: pathlib.Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'test.db'}")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Row(**{column: wrong}))
        with pytest.raises((sa.exc.StatementError, TypeError)):
            session.commit()
    engine.dispose()

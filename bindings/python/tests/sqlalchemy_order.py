"""An application with its own ``@compiles``, which test_sqlalchemy_order.py runs in a process of its own.

The argument says when idgen.sqlalchemy is imported: before or after the application's functions, or never.
"""

from __future__ import annotations

import importlib
import sys
import uuid
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase, Session
from sqlalchemy.sql.dml import Insert, Update
from sqlalchemy.sql.elements import BinaryExpression, Case, Cast
from sqlalchemy.sql.functions import Function
from sqlalchemy.sql.functions import max as Max
from sqlalchemy.sql.selectable import CompoundSelect, Values

ORDER = sys.argv[1]
if ORDER == "before":
    importlib.import_module("idgen.sqlalchemy")


def mark(class_: Any, word: str, *dialects: str) -> None:
    """Prepends a comment to the SQL of a class, as an application does for all its statements."""

    @compiles(class_, *dialects)
    def marked(element: Any, compiler: Any, **settings: Any) -> str:
        visit = getattr(compiler, f"visit_{class_.__visit_name__}")
        return f"/* {word} */ {visit(element, **settings)}"


@compiles(Insert)
def prefix_inserts(insert: Any, compiler: Any, **settings: Any) -> str:
    # The example of SQLAlchemy's documentation.
    return compiler.visit_insert(insert.prefix_with("/* insert */"), **settings)  # type: ignore[no-any-return]


mark(Update, "update", "sqlite", "postgresql")
mark(Cast, "cast", "sqlite")
mark(Case, "case")
mark(Function, "function")
mark(Max, "max")
mark(BinaryExpression, "binary")
mark(CompoundSelect, "compound")
mark(Values, "values")
# A class that is derived from one of the others.
mark(sqlite.Insert, "upsert")

if ORDER == "after":
    importlib.import_module("idgen.sqlalchemy")

numbers = sa.Table("numbers", sa.MetaData(), *(sa.Column(name, sa.Integer) for name in "abc"))
c = numbers.c


def sql(statement: Any, dialect: Any = sqlite) -> str:
    return " ".join(str(statement.compile(dialect=dialect.dialect())).split())


upsert = sqlite.insert(numbers).values(a=1)
for statement, dialect, expected in (
    (sa.insert(numbers).values(a=1), sqlite, "INSERT /* insert */ INTO numbers (a) VALUES (?)"),
    (upsert, sqlite, "/* upsert */ INSERT INTO numbers (a) VALUES (?)"),
    (sa.update(numbers).values(a=1), sqlite, "/* update */ UPDATE numbers SET a=?"),
    (sa.select(sa.cast(c.a, sa.Text)), sqlite, "SELECT /* cast */ CAST(numbers.a AS TEXT) AS a FROM numbers"),
    (
        sa.select(sa.cast(c.a, sa.Text)),
        postgresql,
        "SELECT CAST(numbers.a AS TEXT) AS a FROM numbers",
    ),
    (
        sa.select(sa.func.coalesce(c.a, c.b).label("x")),
        sqlite,
        "SELECT /* function */ coalesce(numbers.a, numbers.b) AS x FROM numbers",
    ),
    (sa.select(sa.func.max(c.a).label("x")), sqlite, "SELECT /* max */ max(numbers.a) AS x FROM numbers"),
    (
        sa.select(c.a).where(c.a == c.b),
        sqlite,
        "SELECT numbers.a FROM numbers WHERE /* binary */ numbers.a = numbers.b",
    ),
    (
        sa.select(sa.case((c.a.is_(None), c.b), else_=c.c).label("x")),
        sqlite,
        "SELECT /* case */ CASE WHEN (/* binary */ numbers.a IS NULL) THEN numbers.b ELSE numbers.c END AS x "
        "FROM numbers",
    ),
    (
        sa.union(sa.select(c.a), sa.select(c.b)),
        sqlite,
        "/* compound */ SELECT numbers.a FROM numbers UNION SELECT numbers.b FROM numbers",
    ),
):
    assert sql(statement, dialect) == expected, sql(statement, dialect)


class Base(DeclarativeBase):
    pass


if ORDER != "never":
    from idgen.sqlalchemy import BinaryUUID, SwappedUUID

    class Row(Base):
        __tablename__ = "rows"
        n = sa.Column(sa.Integer, primary_key=True)
        binary = sa.Column(BinaryUUID())
        swapped = sa.Column(SwappedUUID())

    own: Any = Row.binary
    other: Any = Row.swapped
    insert = sqlite.insert(Row).values(n=1)
    wrong: list[Any] = [
        sa.insert(Row).from_select(["n", "swapped"], sa.select(Row.n, own)),
        sqlite.insert(Row).from_select(["n", "swapped"], sa.select(Row.n, own)),
        insert.on_conflict_do_update(index_elements=["n"], set_={"swapped": insert.excluded.binary}),
        sa.update(Row).values(swapped=own),
        sa.select(sa.cast(own, SwappedUUID())),
        sa.select(sa.func.coalesce(own, other)),
        sa.select(sa.func.ifnull(own, other)),
        sa.select(sa.func.max(own, type_=SwappedUUID())),
        sa.select(Row.n).where(own == other),
        sa.select(sa.case((Row.n == 1, own), else_=other)),
        sa.union(sa.select(own), sa.select(other)),
        sa.select(sa.values(sa.column("x", SwappedUUID()), name="v").data([(own,)])),
    ]
    engine = sa.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        for statement in wrong:
            runs: list[Callable[[], Any]] = [lambda: session.execute(statement), lambda: sql(statement)]
            for run in runs:
                try:
                    found = run()
                except sa.exc.CompileError as error:
                    assert "in different ways" in str(error), error
                else:
                    raise AssertionError(f"{found} for {statement}")
        id = uuid.uuid4()
        session.add(Row(n=1, binary=id))
        session.commit()
        assert session.scalars(sa.select(own).where(own == id)).one() == id
        assert session.scalars(sa.select(sa.func.max(own))).one() == id
        assert session.scalars(sa.select(sa.func.coalesce(own, own))).one() == id
print("all good")

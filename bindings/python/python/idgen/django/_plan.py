"""What keeps a migration from storing texts in the 16 bytes of a BinaryUUIDField."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core import checks
from django.core.management.base import CommandError
from django.db import connections, models, router
from django.db.migrations.operations import AlterField
from django.db.migrations.state import ProjectState

from idgen.django import _sql

_ADVICE = (
    "Replace the operation AlterField by idgen.django.operations.AlterUUIDField, with the same arguments: it "
    "converts the stored values"
)


def refuse_plain_alterations(**signal: Any) -> None:
    """Stops `migrate` before an AlterField that changes how UUIDs are stored: it converts no value."""
    label = signal["app_config"].label
    plan = signal.get("plan") or ()
    if not any(
        _is_plain(operation) and migration.app_label == label
        for migration, _ in plan
        for operation in migration.operations
    ):
        return
    connection = connections[signal["using"]]
    state = ProjectState.from_apps(signal["apps"])
    for migration, backwards in plan:
        if backwards:
            # The plan lacks the state before a migration that is undone. It was refused when it was applied.
            return
        for operation in migration.operations:
            if migration.app_label == label and _is_plain(operation):
                key = label, operation.model_name_lower
                old = state.models[key].fields.get(operation.name) if key in state.models else None
                if old is not None and changes_form(old, operation.field, connection):
                    raise CommandError(
                        f"The migration {migration} alters the field {operation.name} of "
                        f"{operation.model_name} from {_name(old)} to {_name(operation.field)}, and would "
                        f"leave its values as they are. {_ADVICE}."
                    )
            operation.state_forwards(migration.app_label, state)


def _is_plain(operation: Any) -> bool:
    return isinstance(operation, AlterField) and not getattr(operation, "converts_uuids", False)


def changes_form(old: Any, new: Any, connection: Any) -> bool:
    """Whether a column's values have to be converted, of which one form is that of a BinaryUUIDField."""
    if not any(hasattr(field, "uuid_form") for field in (old, new)):
        return False
    # A foreign key has the form of its target, which changes with it.
    if any(isinstance(field, models.ForeignKey) for field in (old, new)):
        return False
    return _sql.form(old, connection) != _sql.form(new, connection)


def _name(field: Any) -> str:
    swapped = "(swapped=True)" if getattr(field, "swapped", False) else ""
    return type(field).__name__ + swapped


def check_columns(field: Any, databases: Iterable[str]) -> list[checks.CheckMessage]:
    """Warns of an existing column of text, as an AlterField that was ordered past the check leaves it."""
    found: list[checks.CheckMessage] = []
    model = getattr(field, "model", None)
    # The output field of an expression has no column.
    if not hasattr(field, "column") or model is None or model._meta.abstract or model._meta.proxy:
        return found
    for alias in databases:
        if not router.allow_migrate_model(alias, model):
            continue
        kind = _kind(field, connections[alias])
        if kind and any(text in kind for text in ("char", "text", "uuid")):
            found.append(
                checks.Warning(
                    f"The column {model._meta.db_table}.{field.column} of {alias!r} is {kind}, but "
                    f"{type(field).__name__} stores {field.db_type(connections[alias])}.",
                    hint=f"{_ADVICE}.",
                    obj=field,
                    id="idgen.W001",
                )
            )
    return found


def _kind(field: Any, connection: Any) -> str | None:
    """The type of the column, where the database would take a wrong value; None if there is no column."""
    table, column = field.model._meta.db_table, field.column
    if connection.vendor == "mysql":
        sql = (
            "SELECT column_type FROM information_schema.columns "
            "WHERE table_schema = DATABASE() AND table_name = %s AND column_name = %s"
        )
    elif connection.vendor == "sqlite":
        sql = "SELECT type FROM pragma_table_info(%s) WHERE name = %s"
    else:
        return None
    with connection.cursor() as cursor:
        cursor.execute(sql, [table, column])
        row = cursor.fetchone()
    return None if row is None else str(row[0]).lower()

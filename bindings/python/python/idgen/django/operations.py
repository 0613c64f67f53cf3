"""A migration operation that converts columns of UUIDs. Needs Django.

::

    from idgen.django import BinaryUUIDField
    from idgen.django.operations import AlterUUIDField

    class Migration(migrations.Migration):
        dependencies = [("shop", "0007_last")]
        operations = [
            AlterUUIDField("order", "id", BinaryUUIDField(primary_key=True, default=idgen.v7)),
        ]
"""

from __future__ import annotations

import contextlib
from typing import Any

from django.db import NotSupportedError, models, transaction
from django.db.backends.base.schema import _related_non_m2m_objects  # type: ignore[attr-defined]
from django.db.migrations.operations import AlterField

from idgen import _convert
from idgen.django import _sql

__all__ = ["AlterUUIDField"]


class AlterUUIDField(AlterField):
    """AlterField for UUIDs: it also converts the stored values, forward and backward.

    One of the fields is a BinaryUUIDField. The other one is a UUIDField, a CharField whose max_length is 32
    (digits) or 36 and more (with hyphens), or a BinaryUUIDField with another ``swapped`` on PostgreSQL and
    SQLite. Foreign keys to the field are converted with it.

    First all values are read: if one is not a UUID, or if two texts are the same UUID in a unique column,
    the operation raises ValueError and changes nothing. On PostgreSQL and SQLite the migration is one
    transaction. MySQL and MariaDB commit each step, and nothing else may write to the tables meanwhile. There
    the operation may be repeated after an interruption: it continues where it ended.

    batch: how many rows one statement converts on MySQL and MariaDB, in columns that have an index.
    """

    converts_uuids = True

    def __init__(
        self, model_name: str, name: str, field: Any, preserve_default: bool = True, batch: int = 10_000
    ) -> None:
        if batch < 1:
            raise ValueError(f"batch must be 1 or more, not {batch}")
        self.batch = batch
        super().__init__(model_name, name, field, preserve_default)

    def deconstruct(self) -> Any:
        name, args, kwargs = super().deconstruct()
        if self.batch != 10_000:
            kwargs["batch"] = self.batch
        return name, args, kwargs

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        connection, references = schema_editor.connection, []
        to_model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(connection.alias, to_model):
            from_model = from_state.apps.get_model(app_label, self.model_name)
            old, new = from_model._meta.get_field(self.name), to_model._meta.get_field(self.name)
            before, after = _form(old, connection), _form(new, connection)
            if before != after:
                if schema_editor.collect_sql:
                    raise NotSupportedError(
                        f"the conversion of {self.model_name}.{self.name} is not only SQL: run migrate"
                    )
                if getattr(old, "db_default", models.NOT_PROVIDED) is not models.NOT_PROVIDED:
                    raise ValueError(f"{old} has a db_default: remove it in a migration before this one")
                references = list(_related_non_m2m_objects(old, new)) if old.unique else []
                self._convert(schema_editor, old, [rel for rel, _ in references], before, after)
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        if connection.vendor == "sqlite":
            _remake(schema_editor, references)

    def _convert(self, editor: Any, old: Any, relations: list[Any], before: str, after: str) -> None:
        references = [(relation.related_model, relation.field) for relation in relations]
        columns = [
            _convert.Column(
                table=editor.quote_name(model._meta.db_table),
                name=editor.quote_name(field.column),
                title=f"{model._meta.db_table}.{field.column}",
                unique=field.unique,
                indexed=field.unique or field.db_index,
                nullable=field.null,
            )
            for model, field in [(old.model, old), *references]
        ]
        vendor = editor.connection.vendor
        # If a step fails, Django checks the foreign keys before it rolls back: the savepoint does it first.
        able = editor.connection.features.can_rollback_ddl
        savepoint = transaction.atomic(editor.connection.alias) if able else contextlib.nullcontext()
        with savepoint, editor.connection.cursor() as cursor:
            if vendor == "sqlite":
                _convert.add_functions(editor.connection.connection)
            conversion = _convert.conversion(
                vendor, before, after, cursor.execute, cursor.fetchone, self.batch
            )
            conversion.check(columns)
            if vendor == "postgresql" and "swapped" not in (before, after) and after != "text":
                # Django's own statements cast the values, and it knows the indexes of texts.
                return
            if vendor != "sqlite":
                for model, field in references:
                    for name in editor._constraint_names(model, [field.column], foreign_key=True):
                        editor.execute(editor._delete_fk_sql(model, name))
            for column in columns:
                conversion.convert(column)

    def reduce(self, operation: Any, app_label: str) -> Any:
        # A later AlterField must not replace the conversion.
        return super(AlterField, self).reduce(operation, app_label)

    def describe(self) -> str:
        return f"Convert the UUIDs of field {self.name} on {self.model_name}"


def _remake(editor: Any, references: list[Any]) -> None:
    """Gives foreign keys the new type where Django does not: hidden ones, with related_name="+"."""
    for old, new in references:
        with editor.connection.cursor() as cursor:
            table = new.related_model._meta.db_table
            columns = editor.connection.introspection.get_table_description(cursor, table)
        kind = next(column.type_code for column in columns if column.name == new.field.column)
        if str(kind).lower() != new.field.db_type(editor.connection).lower():
            editor._remake_table(new.related_model, alter_fields=[(old.field, new.field)])


def _form(field: Any, connection: Any) -> str:
    if isinstance(field, models.CharField) and (length := field.max_length or 0) >= 32:
        return "text" if length < 36 else "hyphenated"
    found = _sql.form(field, connection)
    if found is None:
        raise TypeError(
            f"{field} holds no UUIDs: AlterUUIDField converts UUIDField, CharField and BinaryUUIDField"
        )
    return found

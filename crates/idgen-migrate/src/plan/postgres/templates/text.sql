{% import "macros.sql" as m -%}
--! Says what is missing, if the texts cannot be offered now.
{{ m.begins(p, "text") }}

{% if version >= 180000 %}
--! Adds columns that are computed when they are read, and take no space.
{% call m.retried(tables) %}
{{ m.required(p, "text") }}
{% for t in tables %}
      ALTER TABLE {{ m.table(t) }}
{% for c in t.columns %}
        ADD COLUMN IF NOT EXISTS {{ c.text }} {{ "bytea"|safe if c.spelling == "bytes" else "text"|safe }} GENERATED ALWAYS AS ({{ m.old("", c.new, c) }}) VIRTUAL{% if not loop.last %},{% else %};{% endif +%}
{% endfor %}
{% endfor %}
{% endcall %}

--< Says what stands in the way, if the texts cannot be dropped now.
{{ m.begins(p, "undo/text") }}

--< Drops the columns.
{% call m.retried(tables) %}
{{ m.required(p, "undo/text") }}
{{ m.each_column(tables, "DROP COLUMN IF EXISTS", "text") }}
{% endcall %}
{% else %}
{% for t in tables %}
--! Creates a view with the old texts, and with all columns that do not change.
CREATE OR REPLACE VIEW {{ t.schema }}.{{ t.view }} AS SELECT
{%- for c in t.columns %} {{ m.old("t", c.new, c) }} AS {{ c.text }}{% if not loop.last or t.others %},{% endif %}{% endfor %}
{%- for name in t.others %} t.{{ name }}{% if not loop.last %},{% endif %}{% endfor %} FROM {{ m.table(t) }} AS t

{% endfor %}
--< Says what stands in the way, if the texts cannot be dropped now.
{{ m.begins(p, "undo/text") }}

{% for t in tables %}
--< Drops the view.
DROP VIEW IF EXISTS {{ t.schema }}.{{ t.view }}

{% endfor %}
{% endif %}

--! Writes down that the step is done.
{{ m.ends(p, "text") }}

--< Writes down that the step is undone.
{{ m.ends(p, "undo/text") }}

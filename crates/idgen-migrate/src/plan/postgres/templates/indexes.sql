{% import "macros.sql" as m -%}
--! Says what is missing, if the indexes cannot be built now.
{{ m.begins(p, "indexes") }}

{% for t in tables %}
{% for i in t.indexes %}
--! Removes what a killed run left of it.
--? SELECT {{ m.invalid(t.schema, i.new) }}
DROP INDEX CONCURRENTLY IF EXISTS {{ t.schema }}.{{ i.new }}

--! Builds the index that replaces {{ i.name|safe }}.
--? SELECT to_regclass({{ m.table({"schema": t.schema, "name": i.new})|literal }}) IS NULL
CREATE {% if i.unique %}UNIQUE {% endif %}INDEX CONCURRENTLY {{ i.new }} ON {{ m.table(t) }} USING {{ i.method }} {{ i.new_columns|safe }}{{ i.ending|safe }}
{%- if i.new_condition %} WHERE {{ i.new_condition|safe }}{% endif %}


{% endfor %}
{% endfor %}
--! Writes down that the step is done.
{{ m.ends(p, "indexes") }}

--< Says what stands in the way, if the indexes cannot be dropped now.
{{ m.begins(p, "undo/indexes") }}
{% for t in tables %}
{% for i in t.indexes %}

--< Drops the index that would replace {{ i.name|safe }}.
DROP INDEX CONCURRENTLY IF EXISTS {{ t.schema }}.{{ i.new }}
{% endfor %}
{% endfor %}

--< Writes down that the step is undone.
{{ m.ends(p, "undo/indexes") }}

ALTER TABLE {{ table.new|name }}
{%- for column in table.keys %}
  MODIFY {{ column.name|name }} {{ column.new_type }}{% if not column.nullable %} NOT NULL{% endif %}
  {%- if column.default %} DEFAULT ({{ column.default }}){% endif %}
  {%- if column.comment %} COMMENT {{ column.comment|text }}{% endif %}{% if not loop.last or table.texts or foreign %},{% endif %}
{%- endfor %}
{%- for text in table.texts %}
  ADD COLUMN {{ text.name|name }} {{ text.type }} GENERATED ALWAYS AS ({{ text.value }}) VIRTUAL{% if not loop.last or foreign %},{% endif %}
{%- endfor %}
{%- for key in foreign %}
  ADD {% include "foreign.sql" %}{% if not loop.last %},{% endif %}
{%- endfor %}

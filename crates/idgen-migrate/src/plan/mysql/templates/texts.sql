ALTER TABLE {{ table.new|name }}
{%- for text in table.texts %}
  ADD COLUMN {{ text.name|name }} {{ text.type }} GENERATED ALWAYS AS ({{ text.value }}) VIRTUAL INVISIBLE,
{%- endfor %}
  ALGORITHM = DEFAULT

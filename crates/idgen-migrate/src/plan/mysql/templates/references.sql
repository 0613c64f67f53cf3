ALTER TABLE {{ table.new|name }}
{%- for key in foreign %}
  ADD {% include "foreign.sql" %},
{%- endfor %}
  ALGORITHM = INPLACE, LOCK = NONE

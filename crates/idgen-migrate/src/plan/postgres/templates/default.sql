{% import "macros.sql" as m -%}
--! New rows without an id get one of version 7.
{% call m.retried([table]) %}
      ALTER TABLE {{ m.table(table) }} ALTER COLUMN {{ column }} SET DEFAULT {{ made|safe }};
{% endcall %}

--< The default is what it was.
{% call m.retried([table]) %}
      ALTER TABLE {{ m.table(table) }} ALTER COLUMN {{ column }}
      {%- if default %} SET DEFAULT {{ default|safe }}{% else %} DROP DEFAULT{% endif %};
{% endcall %}

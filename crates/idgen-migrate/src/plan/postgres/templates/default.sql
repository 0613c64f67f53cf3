{% import "macros.sql" as m -%}
{% macro default_now() %}
      -- Names in the text are complete if no schema is searched.
      idgen_path := current_setting('search_path');
      PERFORM set_config('search_path', 'pg_catalog', true);
      idgen_now := (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef AS d JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
        WHERE a.attrelid = {{ m.table(table)|literal }}::regclass AND a.attname = {{ column|literal }});
      PERFORM set_config('search_path', idgen_path, true);
{% endmacro %}
--! New rows without an id get one of version 7.
{% call m.retried([table], "idgen_path text; idgen_now text;") %}
{{ default_now() }}
      IF idgen_now LIKE '%uuidv7()%' THEN
        RAISE NOTICE 'the default makes ids of version 7';
        EXIT;
      END IF;
      IF idgen_now IS DISTINCT FROM {% if default %}{{ default|literal }}{% else %}NULL{% endif %} THEN
        RAISE EXCEPTION 'the default is %, another one than when the plan was made: make another plan', COALESCE(idgen_now, 'gone');
      END IF;
      ALTER TABLE {{ m.table(table) }} ALTER COLUMN {{ column }} SET DEFAULT {{ made|safe }};
{% endcall %}

--< The default is what it was.
{% call m.retried([table], "idgen_path text; idgen_now text;") %}
{{ default_now() }}
      IF COALESCE(idgen_now, '') NOT LIKE '%uuidv7()%' THEN
        RAISE NOTICE 'the default is %, and not the one of this plan: nothing is left to undo', COALESCE(idgen_now, 'gone');
        EXIT;
      END IF;
      ALTER TABLE {{ m.table(table) }} ALTER COLUMN {{ column }}
      {%- if default %} SET DEFAULT {{ default|safe }}{% else %} DROP DEFAULT{% endif %};
{% endcall %}

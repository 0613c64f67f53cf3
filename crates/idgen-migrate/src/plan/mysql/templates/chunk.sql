{%- macro chunk(begin, end, after, of, limit, column, part) -%}
IF {{ after }} IS NULL THEN
      SELECT MIN(chunk.first), MAX(chunk.first) INTO {{ begin }}, {{ end }} FROM (
        SELECT c.{{ column|name }} AS first FROM {{ of|name }} AS c
        {%- if part %} WHERE {{ is_in(part, "c", column) }}{% endif %} ORDER BY c.{{ column|name }} LIMIT {{ limit }}) AS chunk;
    ELSE
      SELECT MIN(chunk.first), MAX(chunk.first) INTO {{ begin }}, {{ end }} FROM (
        SELECT c.{{ column|name }} AS first FROM {{ of|name }} AS c WHERE c.{{ column|name }} > {{ after }}
        {%- if part %} AND {{ is_in(part, "c", column) }}{% endif %}
        ORDER BY c.{{ column|name }} LIMIT {{ limit }}) AS chunk;
    END IF;
{%- endmacro -%}
{#- MariaDB's type UUID stores versions 1 to 5 with their last bytes first. Some versions of the server compare two ids in the
order in which they are stored only if both are stored in the same way. So each part is read in ranges of its own. -#}
{%- macro is_in(part, row, column) -%}
{%- set bytes = "CAST(" ~ row ~ "." ~ column|name ~ " AS BINARY(16))" -%}
{% if part == "others" %}NOT {% endif %}(ORD(SUBSTR({{ bytes }}, 7, 1)) BETWEEN 1 AND 95 AND ORD(SUBSTR({{ bytes }}, 9, 1)) >= 128)
{%- endmacro -%}

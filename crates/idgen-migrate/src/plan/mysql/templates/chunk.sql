{#- The position of a row: the column itself, or a conversion of it that compares as the server sorts the column. -#}
{%- macro place(row, column, as) -%}
{% if as %}CAST({{ row }}.{{ column|name }} AS {{ as }}){% else %}{{ row }}.{{ column|name }}{% endif %}
{%- endmacro -%}
{#- Finds the position of the last row of a chunk. The order of the rows decides only how large the chunk is: it consists of all rows whose position
is greater than that of the chunk before, and not greater than this one. -#}
{%- macro chunk(end, after, of, limit, column, as, part) -%}
SELECT MAX(chunk.place) INTO {{ end }} FROM (
      SELECT {{ place("c", column, as) }} AS place FROM {{ of|name }} AS c WHERE ({{ after }} IS NULL OR {{ place("c", column, as) }} > {{ after }})
      {%- if part %} AND {{ is_in(part, "c", column) }}{% endif %}
      ORDER BY {{ place("c", column, as) }} LIMIT {{ limit }}) AS chunk;
{%- endmacro -%}
{#- A condition that a row is in a chunk. The servers leave out what a variable without a value decides, and read a range of the index. -#}
{%- macro in_chunk(row, column, as, after, end) -%}
({{ after }} IS NULL OR {{ place(row, column, as) }} > {{ after }}) AND {{ place(row, column, as) }} <= {{ end }}
{%- endmacro -%}
{#- MariaDB's type UUID stores versions 1 to 5 with their last bytes first. Some versions of the server compare two ids in the
order in which they are stored only if both are stored in the same way. So each part is read in ranges of its own. -#}
{%- macro is_in(part, row, column) -%}
{%- set bytes = "CAST(" ~ row ~ "." ~ column|name ~ " AS BINARY(16))" -%}
{% if part == "others" %}NOT {% endif %}(ORD(SUBSTR({{ bytes }}, 7, 1)) BETWEEN 1 AND 95 AND ORD(SUBSTR({{ bytes }}, 9, 1)) >= 128)
{%- endmacro -%}

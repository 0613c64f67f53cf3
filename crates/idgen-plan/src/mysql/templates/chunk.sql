{%- macro chunk(begin, end, after, of, limit, table) -%}
IF {{ after }} IS NULL THEN
      SELECT MIN(chunk.first), MAX(chunk.first) INTO {{ begin }}, {{ end }} FROM (
        SELECT c.{{ table.first.name|name }} AS first FROM {{ of|name }} AS c ORDER BY c.{{ table.first.name|name }} LIMIT {{ limit }}) AS chunk;
    ELSE
      SELECT MIN(chunk.first), MAX(chunk.first) INTO {{ begin }}, {{ end }} FROM (
        SELECT c.{{ table.first.name|name }} AS first FROM {{ of|name }} AS c WHERE c.{{ table.first.name|name }} > {{ after }}
        ORDER BY c.{{ table.first.name|name }} LIMIT {{ limit }}) AS chunk;
    END IF;
{%- endmacro -%}

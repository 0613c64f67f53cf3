{%- macro chunk(begin, end, after, of, limit, column) -%}
IF {{ after }} IS NULL THEN
      SELECT MIN(chunk.first), MAX(chunk.first) INTO {{ begin }}, {{ end }} FROM (
        SELECT c.{{ column|name }} AS first FROM {{ of|name }} AS c ORDER BY c.{{ column|name }} LIMIT {{ limit }}) AS chunk;
    ELSE
      SELECT MIN(chunk.first), MAX(chunk.first) INTO {{ begin }}, {{ end }} FROM (
        SELECT c.{{ column|name }} AS first FROM {{ of|name }} AS c WHERE c.{{ column|name }} > {{ after }}
        ORDER BY c.{{ column|name }} LIMIT {{ limit }}) AS chunk;
    END IF;
{%- endmacro -%}

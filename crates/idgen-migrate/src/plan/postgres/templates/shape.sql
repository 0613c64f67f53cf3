{% import "macros.sql" as m -%}
--! What the server knows of the columns of the plan and of their tables.
{{ m.shape(tables) }}

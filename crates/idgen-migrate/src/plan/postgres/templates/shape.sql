{% import "attached.sql" as a -%}
--! What the server knows of the columns of the plan and of their tables.
{{ a.attached(tables, id, texts, version) }} ORDER BY 1

{% import "macros.sql" as m -%}
--! Makes the table.
CREATE TEMPORARY TABLE idgen_trial (LIKE {{ m.table(t) }} INCLUDING INDEXES INCLUDING STORAGE) ON COMMIT DROP
--! Reads the rows.
INSERT INTO pg_temp.idgen_trial SELECT * FROM {{ m.table(t) }} LIMIT {{ rows }}
--! Adds the new columns.
ALTER TABLE pg_temp.idgen_trial {% for c in t.columns %}ADD COLUMN {{ c.new }} {{ p.column_type|safe }}{% if not loop.last %}, {% endif %}{% endfor %}

--! Fills them, as the copy does.
UPDATE pg_temp.idgen_trial AS t SET {% for c in t.columns %}{{ c.new }} = {{ m.converted("t", c.name, c) }}{% if not loop.last %}, {% endif %}{% endfor %}

{% for i in t.indexes -%}
--! Builds an index.
CREATE INDEX ON pg_temp.idgen_trial USING {{ i.method }} {{ i.new_columns|safe }}
{% endfor %}
{% import "macros.sql" as m -%}
{% macro different(t) %}{% for c in t.columns %}t.{{ c.new }} IS DISTINCT FROM {{ m.converted("t", c.name, c) }}{% if not loop.last %} OR {% endif %}{% endfor %}{% endmacro %}
--! Says what is missing, if the rows cannot be verified now.
{{ m.begins(p, "verify") }}

{% for t in tables %}
--! Compares the new columns of all rows of {{ t.shown|safe }} with the old ones, once, while clients read and write.
DO $idgen$
DECLARE
  idgen_rows bigint := 0;
BEGIN
  BEGIN
    ALTER TABLE {{ m.table(t) }}{% for c in t.columns %} VALIDATE CONSTRAINT {{ c.same }}{% if c.not_null %}, VALIDATE CONSTRAINT {{ c.check }}{% endif %}{% if not loop.last %},{% endif %}{% endfor %};
  EXCEPTION WHEN check_violation THEN
    SELECT count(*) INTO idgen_rows FROM {{ m.table(t) }} AS t WHERE {{ different(t) }};
    -- They are copied again.
    DELETE FROM {{ schema }}.progress WHERE name = {{ t.shown|literal }};
    UPDATE {{ schema }}.tables SET generation = generation + 1 WHERE name = {{ t.shown|literal }};
    UPDATE {{ schema }}.plan SET verified = false;
    UPDATE {{ schema }}.steps SET state = 'new' WHERE step = 'backfill';
{% set show %}{{ t.shown|safe }}: rows without the new key: SELECT * FROM {{ m.table(t) }} AS t WHERE {{ different(t) }}{% endset %}
    RAISE NOTICE '%', {{ show|literal }};
  END;
  UPDATE {{ schema }}.tables SET wrong = idgen_rows WHERE name = {{ t.shown|literal }};
END
$idgen$

{% endfor %}
{% for t in tables %}
--! Estimates of queries need statistics of the new columns of {{ t.shown|safe }} before the switch.
ANALYZE {{ m.table(t) }} ({% for c in t.columns %}{{ c.new }}{% if not loop.last %}, {% endif %}{% endfor %})

{% endfor %}
--! Fails with what is not ready. The switch needs that this has succeeded.
DO $idgen$
DECLARE
  idgen_wrong text;
BEGIN
  SELECT string_agg(format('%s rows of %s have another new key than old key, or none', t.wrong, t.name), '; ' ORDER BY t.name) INTO idgen_wrong
    FROM {{ schema }}.tables AS t WHERE t.wrong > 0;
  IF idgen_wrong IS NOT NULL THEN
    RAISE EXCEPTION '%: the next file is %, which copies them again', idgen_wrong, {{ schema }}.next_file();
  END IF;
  PERFORM {{ schema }}.requires('verify');
  PERFORM {{ schema }}.unchanged('plan', true);
  UPDATE {{ schema }}.plan SET verified = true WHERE {{ schema }}.lacks('verify') IS NULL;
END
$idgen$

--! Writes down that the step is done.
{{ m.ends(p, "verify") }}

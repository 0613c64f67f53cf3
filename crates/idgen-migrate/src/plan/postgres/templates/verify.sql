{% import "macros.sql" as m -%}
--! A check always reads all rows.
DELETE FROM {{ schema }}.progress WHERE task = 'verify'

{% for t in tables %}
--! Compares the new columns of {{ t.shown|safe }} with the old ones.
{% call m.walk(schema, t, "verify") %}
      SELECT count(*), count(*) FILTER (WHERE {% for c in t.columns %}t.{{ c.new }} IS DISTINCT FROM {{ m.uuid("t", c.name, c) }}{% if not loop.last %} OR {% endif %}{% endfor %})
        INTO idgen_rows, idgen_wrong FROM {{ m.table(t) }} AS t
        WHERE t.ctid >= format('(%s,0)', idgen_at)::tid AND t.ctid < format('(%s,0)', idgen_at + idgen_step)::tid;
{% endcall %}

{% endfor %}
{% for t in tables %}
--! Reads {{ t.shown|safe }}.
CALL {{ schema }}.{{ t.tag ~ "_verify" }}()

{% endfor %}
--! Fails with what is not ready. The switch needs that this has succeeded.
DO $idgen$
DECLARE
  idgen_problems text[];
BEGIN
  SELECT array_agg(format('%s rows of %s differ', p.wrong, p.name)) INTO idgen_problems
    FROM {{ schema }}.progress AS p WHERE p.task = 'verify' AND (p.wrong > 0 OR NOT p.done);
{% for t in tables %}
{% for i in t.indexes %}
  IF NOT {{ m.valid(t.schema, i.new) }} THEN
    idgen_problems := idgen_problems || {{ ("the index " ~ i.new ~ " is not there or not valid")|literal }}::text;
  END IF;
{% endfor %}
{% for c in t.columns if c.not_null %}
  IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = {{ m.table(t)|literal }}::regclass AND conname = {{ c.check|literal }} AND convalidated) THEN
    idgen_problems := idgen_problems || {{ ("the constraint " ~ c.check ~ " of " ~ t.shown ~ " is not there or not valid")|literal }}::text;
  END IF;
{% endfor %}
{% endfor %}
{% for k in keys %}
  IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = {{ m.table(k.child)|literal }}::regclass AND conname = {{ k.new|literal }} AND convalidated) THEN
    idgen_problems := idgen_problems || {{ ("the constraint " ~ k.new ~ " is not there or not valid")|literal }}::text;
  END IF;
{% endfor %}
  idgen_problems := idgen_problems || {{ schema }}.changed();
  IF idgen_problems IS NOT NULL THEN
    RAISE EXCEPTION 'the new columns are not ready' USING DETAIL = array_to_string(idgen_problems, E'\n'),
      HINT = {{ ("Execute the steps from indexes on again, also after the way back of the switch. Was a table changed while its triggers were off? Then forget the progress with DELETE FROM " ~ schema ~ ".progress, and execute the steps from the copy on again.")|literal }};
  END IF;
  INSERT INTO {{ schema }}.state (step) VALUES ('verified') ON CONFLICT (step) DO UPDATE SET at = now();
END
$idgen$

{% import "macros.sql" as m -%}
{% for t in tables %}
--! Keeps the old columns of {{ t.shown|safe }} current after the switch, for the way back.
CREATE OR REPLACE FUNCTION {{ schema }}.{{ t.tag ~ "_reverse" }}() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $idgen$
BEGIN
  IF TG_OP = 'INSERT' AND current_setting('session_replication_role') <> 'replica'
    AND ({% for c in t.columns %}NEW.{{ c.kept }} IS NOT NULL{% if not loop.last %} OR {% endif %}{% endfor %}) THEN
    RAISE EXCEPTION 'a row has values for the old columns of %', {{ t.shown|literal }}
      USING HINT = 'An INSERT or COPY without a list of columns takes them in another order since the switch: name the columns.';
  END IF;
{% for c in t.columns %}
  IF TG_OP = 'INSERT' OR NEW.{{ c.name }} IS DISTINCT FROM OLD.{{ c.name }} THEN
{% if c.parent %}
    -- The same spelling as in the row that it refers to.
    NEW.{{ c.kept }} := COALESCE((SELECT p.{{ c.parent.kept }} FROM {{ m.table(c.parent) }} AS p
      WHERE p.{{ c.parent.column }} = NEW.{{ c.name }}), {{ m.old("NEW", c.name, c) }});
{% else %}
    NEW.{{ c.kept }} := {{ m.old("NEW", c.name, c) }};
{% endif %}
  END IF;
{% endfor %}
  RETURN NEW;
END
$idgen$

{% endfor %}
--! The switch, in one transaction.
{% call m.retried(tables) %}
      IF EXISTS (SELECT FROM {{ schema }}.state WHERE step = 'switched') THEN
        RAISE NOTICE 'the switch was made before';
        EXIT;
      END IF;
      IF NOT EXISTS (SELECT FROM {{ schema }}.state WHERE step = 'verified') THEN
        RAISE EXCEPTION 'the check of the new columns has not succeeded' USING HINT = 'Execute the steps before this one.';
      END IF;
{% for t in tables %}
      DROP TRIGGER zzz_idgen_forward ON {{ m.table(t) }};
{% endfor %}
{% for k in keys %}
      ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT {{ k.name }};
      ALTER TABLE {{ m.table(k.child) }} RENAME CONSTRAINT {{ k.new }} TO {{ k.name }};
{% endfor %}
{% for t in tables %}
{% for c in t.columns %}
{% if c.not_null %}
{% if c.not_null_name %}
      ALTER TABLE {{ m.table(t) }} RENAME CONSTRAINT {{ c.not_null_name }} TO {{ c.not_null_kept }};
      ALTER TABLE {{ m.table(t) }} ADD CONSTRAINT {{ c.not_null_name }} NOT NULL {{ c.new }};
{% else %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.new }} SET NOT NULL;
{% endif %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT {{ c.check }};
{% endif %}
{% if c.default %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.name }} DROP DEFAULT, ALTER COLUMN {{ c.new }} SET DEFAULT {{ c.new_default|safe }};
{% endif %}
{% endfor %}
{% for i in t.indexes %}
{% if i.primary %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT {{ i.name }}, ADD CONSTRAINT {{ i.name }} PRIMARY KEY USING INDEX {{ i.new }}{{ i.deferral|safe }};
{% elif i.constraint %}
      ALTER TABLE {{ m.table(t) }} RENAME CONSTRAINT {{ i.name }} TO {{ i.kept }};
      ALTER TABLE {{ m.table(t) }} ADD CONSTRAINT {{ i.name }} UNIQUE USING INDEX {{ i.new }}{{ i.deferral|safe }};
{% else %}
      ALTER INDEX {{ t.schema }}.{{ i.name }} RENAME TO {{ i.kept }};
      ALTER INDEX {{ t.schema }}.{{ i.new }} RENAME TO {{ i.name }};
{% endif %}
{% endfor %}
{% for c in t.columns %}
      ALTER TABLE {{ m.table(t) }} RENAME COLUMN {{ c.name }} TO {{ c.kept }};
      ALTER TABLE {{ m.table(t) }} RENAME COLUMN {{ c.new }} TO {{ c.name }};
{% if c.comment %}
      COMMENT ON COLUMN {{ m.table(t) }}.{{ c.name }} IS {{ c.comment|literal }};
{% endif %}
{% endfor %}
      CREATE TRIGGER zzz_idgen_reverse BEFORE INSERT OR UPDATE ON {{ m.table(t) }}
        FOR EACH ROW EXECUTE FUNCTION {{ schema }}.{{ t.tag ~ "_reverse" }}();
      ALTER TABLE {{ m.table(t) }} ENABLE ALWAYS TRIGGER zzz_idgen_reverse;
{% endfor %}
      INSERT INTO {{ schema }}.state (step) VALUES ('switched');
{% endcall %}

{% for t in tables %}
{% for i in t.indexes if i.primary %}
--< Removes what a killed run left of it.
DROP INDEX CONCURRENTLY IF EXISTS {{ t.schema }}.{{ i.kept }}

--< Builds the index of the old primary key of {{ t.shown|safe }}, which went with the switch.
CREATE UNIQUE INDEX CONCURRENTLY {{ i.kept }} ON {{ m.table(t) }} {{ i.kept_columns|safe }}{{ i.ending|safe }}

{% endfor %}
{% endfor %}
--< Adds the old foreign keys for new rows.
{% call m.retried(tables) %}
{% for k in keys %}
      ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT IF EXISTS {{ k.kept }},
        ADD CONSTRAINT {{ k.kept }} FOREIGN KEY ({{ k.child.kept }}) REFERENCES {{ m.table(k.parent) }} ({{ k.parent.kept }}){{ k.ending|safe }} NOT VALID;
{% endfor %}
{% endcall %}
{% for k in keys %}

--< Reads the rows of {{ k.child.name|safe }} and what they refer to, while clients read and write.
ALTER TABLE {{ m.table(k.child) }} VALIDATE CONSTRAINT {{ k.kept }}
{% endfor %}

--< Switches back, in one transaction. To switch again, build the indexes and constraints again, and verify.
{% call m.retried(tables) %}
      IF NOT EXISTS (SELECT FROM {{ schema }}.state WHERE step = 'switched') THEN
        RAISE NOTICE 'the switch is not made, or was undone before';
        EXIT;
      END IF;
{% for t in tables %}
      DROP TRIGGER zzz_idgen_reverse ON {{ m.table(t) }};
{% endfor %}
{% for k in keys %}
      ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT {{ k.name }};
      ALTER TABLE {{ m.table(k.child) }} RENAME CONSTRAINT {{ k.kept }} TO {{ k.name }};
{% endfor %}
{% for t in tables %}
{% for i in t.indexes %}
{% if i.primary %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT {{ i.name }}, ADD CONSTRAINT {{ i.name }} PRIMARY KEY USING INDEX {{ i.kept }}{{ i.deferral|safe }};
{% elif i.constraint %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT {{ i.name }};
      ALTER TABLE {{ m.table(t) }} RENAME CONSTRAINT {{ i.kept }} TO {{ i.name }};
{% else %}
      DROP INDEX {{ t.schema }}.{{ i.name }};
      ALTER INDEX {{ t.schema }}.{{ i.kept }} RENAME TO {{ i.name }};
{% endif %}
{% endfor %}
{% for c in t.columns %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.name }} DROP NOT NULL, ALTER COLUMN {{ c.name }} DROP DEFAULT;
{% if c.not_null and c.not_null_name %}
      ALTER TABLE {{ m.table(t) }} RENAME CONSTRAINT {{ c.not_null_kept }} TO {{ c.not_null_name }};
{% endif %}
{% if c.default %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.kept }} SET DEFAULT {{ c.default|safe }};
{% endif %}
      ALTER TABLE {{ m.table(t) }} RENAME COLUMN {{ c.name }} TO {{ c.new }};
      ALTER TABLE {{ m.table(t) }} RENAME COLUMN {{ c.kept }} TO {{ c.name }};
{% endfor %}
      CREATE TRIGGER zzz_idgen_forward BEFORE INSERT OR UPDATE ON {{ m.table(t) }}
        FOR EACH ROW EXECUTE FUNCTION {{ schema }}.{{ t.tag ~ "_forward" }}();
      ALTER TABLE {{ m.table(t) }} ENABLE ALWAYS TRIGGER zzz_idgen_forward;
{% endfor %}
      DELETE FROM {{ schema }}.state;
{% endcall %}

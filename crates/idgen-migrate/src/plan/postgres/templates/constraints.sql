{% import "macros.sql" as m -%}
--! Adds the constraints for new rows. Rows that are there are not read.
{% call m.retried(tables) %}
{{ m.not_switched(schema) }}
{% for t in tables %}
{% for c in t.columns if c.not_null %}
      IF NOT {{ m.has(t, c.check) }} THEN
        ALTER TABLE {{ m.table(t) }} ADD CONSTRAINT {{ c.check }} CHECK ({{ c.new }} IS NOT NULL) NOT VALID;
      END IF;
{% endfor %}
{% endfor %}
{% for k in keys %}
      IF NOT {{ m.has(k.child, k.new) }} THEN
        ALTER TABLE {{ m.table(k.child) }} ADD CONSTRAINT {{ k.new }} FOREIGN KEY ({{ k.child.new|names }})
          REFERENCES {{ m.table(k.parent) }} ({{ k.parent.new|names }}){{ k.new_ending|safe }} NOT VALID;
      END IF;
{% endfor %}
{% endcall %}
{% for t in tables %}
{% for c in t.columns if c.not_null %}

--! Reads {{ t.shown|safe }}, while clients read and write.
ALTER TABLE {{ m.table(t) }} VALIDATE CONSTRAINT {{ c.check }}
{% endfor %}
{% endfor %}
{% for k in keys %}

--! Reads the rows of {{ k.child.name|safe }} and what they refer to, while clients read and write.
ALTER TABLE {{ m.table(k.child) }} VALIDATE CONSTRAINT {{ k.new }}
{% endfor %}

--< Drops the constraints.
{% call m.retried(tables) %}
{{ m.not_switched(schema) }}
      DELETE FROM {{ schema }}.state;
{{ m.drop_constraints(tables, keys) }}
{% endcall %}

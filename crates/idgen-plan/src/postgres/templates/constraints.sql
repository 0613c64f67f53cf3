{% import "macros.sql" as m -%}
--! Adds the constraints for new rows. Rows that are there are not read.
{% call m.retried(tables) %}
{% for t in tables %}
{% for c in t.columns if c.not_null %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT IF EXISTS {{ c.check }},
        ADD CONSTRAINT {{ c.check }} CHECK ({{ c.new }} IS NOT NULL) NOT VALID;
{% endfor %}
{% endfor %}
{% for k in keys %}
      ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT IF EXISTS {{ k.new }},
        ADD CONSTRAINT {{ k.new }} FOREIGN KEY ({{ k.child.new }}) REFERENCES {{ m.table(k.parent) }} ({{ k.parent.new }}){{ k.ending|safe }} NOT VALID;
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
      DELETE FROM {{ schema }}.state;
{% for k in keys %}
      ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT IF EXISTS {{ k.new }};
{% endfor %}
{% for t in tables %}
{% for c in t.columns if c.not_null %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT IF EXISTS {{ c.check }};
{% endfor %}
{% endfor %}
{% endcall %}

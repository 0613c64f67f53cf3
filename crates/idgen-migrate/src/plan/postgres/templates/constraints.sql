{% import "macros.sql" as m -%}
--! Says what is missing, if the constraints cannot be added now.
{{ m.begins(p, "constraints") }}

--! Adds the constraints for new rows. Rows that are there are not read. From now on a row whose old and new keys differ cannot be written, whether triggers fire or not.
{% call m.retried(tables) %}
{{ m.required(p, "constraints") }}
{% for t in tables %}
{% for c in t.columns %}
      IF NOT {{ m.has(t, c.same) }} THEN
        ALTER TABLE {{ m.table(t) }} ADD CONSTRAINT {{ c.same }} CHECK ({{ m.same(c, "new", "name") }}) NOT VALID;
      END IF;
{% if c.not_null %}
      IF NOT {{ m.has(t, c.check) }} THEN
        ALTER TABLE {{ m.table(t) }} ADD CONSTRAINT {{ c.check }} CHECK ({{ c.new }} IS NOT NULL) NOT VALID;
      END IF;
{% endif %}
{% endfor %}
{% endfor %}
{% for k in keys %}
      IF NOT {{ m.has(k.child, k.new) }} THEN
        ALTER TABLE {{ m.table(k.child) }} ADD CONSTRAINT {{ k.new }} FOREIGN KEY ({{ k.child.new|names }})
          REFERENCES {{ m.table(k.parent) }} ({{ k.parent.new|names }}){{ k.new_ending|safe }} NOT VALID;
      END IF;
{% endfor %}
{% endcall %}
{% for k in keys %}

--! Reads the rows of {{ k.child.name|safe }} and what they refer to, while clients read and write.
ALTER TABLE {{ m.table(k.child) }} VALIDATE CONSTRAINT {{ k.new }}
{% endfor %}

--! Writes down that the step is done.
{{ m.ends(p, "constraints") }}

--< Says what stands in the way, if the constraints cannot be dropped now.
{{ m.begins(p, "undo/constraints") }}

--< Drops the constraints.
{% call m.retried(tables) %}
{{ m.required(p, "undo/constraints") }}
      UPDATE {{ schema }}.plan SET verified = false;
      SET LOCAL client_min_messages = warning;
{{ m.drop_constraints(tables, keys) }}
{% endcall %}

--< Writes down that the step is undone.
{{ m.ends(p, "undo/constraints") }}

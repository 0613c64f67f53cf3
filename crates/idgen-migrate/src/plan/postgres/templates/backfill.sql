{% import "macros.sql" as m -%}
{% for t in tables %}
--! Fills the new columns of {{ t.shown|safe }}, in the order of the blocks of its file.
{% call m.walk(schema, t, "backfill") %}
      idgen_wrong := 0;
      UPDATE {{ m.table(t) }} AS t SET {% for c in t.columns %}{{ c.new }} = {{ m.uuid("t", c.name, c) }}{% if not loop.last %}, {% endif %}{% endfor %}

        WHERE t.ctid >= format('(%s,0)', idgen_at)::tid AND t.ctid < format('(%s,0)', idgen_at + idgen_step)::tid
        AND ({% for c in t.columns %}t.{{ c.new }} IS DISTINCT FROM {{ m.uuid("t", c.name, c) }}{% if not loop.last %} OR {% endif %}{% endfor %});
      GET DIAGNOSTICS idgen_rows = ROW_COUNT;
{% endcall %}

{% endfor %}
{% for t in tables %}
--! Fills {{ t.shown|safe }}.
CALL {{ schema }}.{{ t.tag ~ "_backfill" }}()

{% endfor %}

{% import "macros.sql" as m -%}
{#- Everything that is attached to the tables, one property in each line. The search path must be `pg_catalog`, so that all names are
    complete. A line begins with `+` if it concerns a key, with `*` if it concerns a column of the plan itself, and otherwise with `-`.
    Rows of the catalog are read as a whole, without the fields that are listed: so a field that a later version adds is compared. -#}
{%- macro attached(tables, id, texts, version) -%}
WITH t (id, shown, keys) AS (
  SELECT k.id, k.shown, k.keys FROM (VALUES
{%- for t in tables %}
    (CAST(to_regclass({{ m.table(t)|literal }}) AS oid), {{ t.shown|literal }}, ARRAY[{% for c in t.columns %}{{ c.name|literal }}{% if not loop.last %}, {% endif %}{% endfor %}]::text[]){% if not loop.last %},{% endif %}
{% endfor %}
  ) AS k (id, shown, keys)
), c AS (
  -- Columns of the plan, of another plan, and keys.
  SELECT t.id, t.shown, a AS row, a.attnum AS number, a.attname::text AS name, {{ own("a.attname", id) }} AS own,
    a.attname = ANY ({{ texts|literals }}) AS text, a.attname = ANY (t.keys) OR a.attname ~ '_[a-z][a-z0-9]{7}_(new|old)$' AS key
  FROM t JOIN pg_attribute AS a ON a.attrelid = t.id AND a.attnum > 0 AND NOT a.attisdropped
), n AS (
  SELECT t.id, t.shown, t.keys, array_agg(c.number) FILTER (WHERE c.own) AS own, array_agg(c.number) FILTER (WHERE c.key) AS key
  FROM t JOIN c USING (id) GROUP BY 1, 2, 3
), s (mark, about, what) AS (
  SELECT CASE WHEN p.key IN ('relkind', 'relreplident', 'relforcerowsecurity', 'reloftype', 'relispartition') THEN '+' ELSE '-' END,
      t.shown, p.key || ' ' || p.value
    FROM t JOIN pg_class AS r ON r.oid = t.id CROSS JOIN jsonb_each_text(to_jsonb(r)
      - '{oid, relname, relnamespace, reltype, relfilenode, relpages, reltuples, relallvisible, relallfrozen, reltoastrelid, relhasindex, relisshared, relnatts, relchecks, relhasrules, relhastriggers, relhassubclass, relispopulated, relrewrite, relfrozenxid, relminmxid}'::text[]
      || jsonb_build_object('relowner', r.relowner::regrole, 'relam', (SELECT amname FROM pg_am WHERE oid = r.relam),
        'reltablespace', (SELECT spcname FROM pg_tablespace WHERE oid = r.reltablespace), 'reloftype', NULLIF(r.reloftype, 0)::regtype,
        'relpartbound', pg_get_expr(r.relpartbound, r.oid), 'options of its toast table', (SELECT reloptions FROM pg_class WHERE oid = r.reltoastrelid),
        'comment', obj_description(r.oid, 'pg_class'))) AS p
    WHERE p.value NOT IN ('', ' ', 'false')
  UNION ALL SELECT CASE WHEN c.key THEN '+' ELSE '-' END, c.shown || '.' || c.name, p.key || ' ' || p.value
    FROM c CROSS JOIN jsonb_each_text(to_jsonb(c.row)
      - '{attrelid, attname, atttypid, attlen, attnum, attcacheoff, atttypmod, attbyval, attalign, atthasdef, atthasmissing, attisdropped, attmissingval}'::text[]
      || jsonb_build_object('type', format_type((c.row).atttypid, (c.row).atttypmod), 'attcollation', NULLIF((c.row).attcollation, 0)::regcollation,
        'default', (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef AS d WHERE (d.adrelid, d.adnum) = (c.id, c.number)),
        'comment', col_description(c.id, c.number))) AS p
    WHERE NOT c.own AND NOT c.text AND p.value NOT IN ('', ' ', 'false')
  UNION ALL SELECT CASE WHEN l.objsubid = 0 THEN '-' WHEN c.key THEN '+' ELSE '-' END, concat_ws('.', t.shown, c.name), 'security label of ' || l.provider || ': ' || l.label
    FROM t JOIN pg_seclabel AS l ON (l.classoid, l.objoid) = ('pg_class'::regclass, t.id) LEFT JOIN c ON (c.id, c.number) = (t.id, l.objsubid)
  UNION ALL SELECT CASE WHEN i.indkey::int2[] && n.own THEN '*' WHEN i.indkey::int2[] && n.key OR i.indexrelid IN (
      SELECT d.objid FROM pg_depend AS d WHERE (d.classid, d.refclassid, d.refobjid) = ('pg_class'::regclass, 'pg_class'::regclass, n.id) AND d.refobjsubid = ANY (n.key))
      OR {{ whole("concat(i.indexprs::text, i.indpred::text)") }} THEN '+' ELSE '-' END,
      n.shown, format('index %s: %s', i.indexrelid::regclass, w.what)
    FROM n JOIN pg_index AS i ON i.indrelid = n.id JOIN pg_class AS r ON r.oid = i.indexrelid AND NOT {{ own("r.relname", id) }}
    CROSS JOIN LATERAL (
      SELECT pg_get_indexdef(i.indexrelid) UNION ALL SELECT p.key || ' ' || p.value FROM jsonb_each_text(to_jsonb(i)
        - '{indexrelid, indrelid, indnatts, indnkeyatts, indkey, indcollation, indclass, indoption, indexprs, indpred, indcheckxmin, indisready, indislive}'::text[]
        || jsonb_build_object('tablespace', (SELECT spcname FROM pg_tablespace WHERE oid = r.reltablespace), 'comment', obj_description(r.oid, 'pg_class'),
          'depends on extensions', (SELECT string_agg(e.extname, ', ' ORDER BY e.extname) FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
            WHERE (d.classid, d.objid, d.refclassid, d.deptype) = ('pg_class'::regclass, r.oid, 'pg_extension'::regclass, 'x')),
          'targets of statistics', (SELECT array_agg(a.attstattarget ORDER BY a.attnum) FROM pg_attribute AS a WHERE a.attrelid = r.oid AND a.attstattarget >= 0))) AS p
      WHERE p.value NOT IN ('', ' ', 'false')) AS w (what)
  UNION ALL SELECT CASE WHEN o.conrelid = n.id AND o.conkey && n.own OR o.confrelid = n.id AND o.confkey && n.own THEN '*'
      WHEN o.conrelid = n.id AND o.conkey && n.key OR o.confrelid = n.id AND o.confkey && n.key OR {{ whole("o.conbin::text") }} THEN '+' ELSE '-' END,
      n.shown, format('constraint %s of %s: %s', o.conname, o.conrelid::regclass, w.what)
    FROM n JOIN pg_constraint AS o ON n.id IN (o.conrelid, o.confrelid) AND NOT {{ own("o.conname", id) }}
    CROSS JOIN LATERAL (
      SELECT pg_get_constraintdef(o.oid) UNION ALL SELECT p.key || ' ' || p.value FROM jsonb_each_text(to_jsonb(o)
        - '{oid, conname, connamespace, conrelid, contypid, conindid, conparentid, confrelid, conkey, confkey, conpfeqop, conppeqop, conffeqop, confdelsetcols, conexclop, conbin}'::text[]
        || jsonb_build_object('comment', obj_description(o.oid, 'pg_constraint'), 'its triggers', (SELECT string_agg(DISTINCT g.tgenabled::text, ', ')
          FROM pg_trigger AS g WHERE g.tgconstraint = o.oid AND g.tgisinternal))) AS p
      WHERE p.value NOT IN ('', ' ', 'false')) AS w (what)
  UNION ALL SELECT '+', t.shown, format('trigger %s: %s', g.tgname, w.what)
    FROM t JOIN pg_trigger AS g ON g.tgrelid = t.id AND NOT g.tgisinternal AND g.tgname NOT LIKE {{ ("zzz\\_idgen\\_" ~ id ~ "\\_%")|literal }}
    CROSS JOIN LATERAL (
      SELECT pg_get_triggerdef(g.oid) UNION ALL SELECT p.key || ' ' || p.value FROM jsonb_each_text(to_jsonb(g)
        - '{oid, tgrelid, tgparentid, tgname, tgfoid, tgtype, tgisinternal, tgconstrrelid, tgconstrindid, tgconstraint, tgnargs, tgattr, tgargs, tgqual, tgoldtable, tgnewtable}'::text[]
        || jsonb_build_object('comment', obj_description(g.oid, 'pg_trigger'))) AS p
      WHERE p.value NOT IN ('', ' ', 'false')) AS w (what)
  UNION ALL SELECT '+', t.shown, format('rule %s: %s, enabled %s', r.rulename, pg_get_ruledef(r.oid), r.ev_enabled) FROM t JOIN pg_rewrite AS r ON r.ev_class = t.id
  UNION ALL SELECT '+', t.shown, format('inheritance: %s of %s', i.inhrelid::regclass, i.inhparent::regclass) FROM t JOIN pg_inherits AS i ON t.id IN (i.inhrelid, i.inhparent)
  UNION ALL SELECT CASE WHEN EXISTS (SELECT FROM pg_depend AS d WHERE (d.classid, d.objid, d.refclassid, d.refobjid) = ('pg_policy'::regclass, y.oid, 'pg_class'::regclass, n.id)
      AND d.refobjsubid = ANY (n.own)) THEN '*' WHEN EXISTS (SELECT FROM pg_depend AS d WHERE (d.classid, d.objid, d.refclassid, d.refobjid) = ('pg_policy'::regclass, y.oid, 'pg_class'::regclass, n.id)
      AND d.refobjsubid = ANY (n.key)) OR {{ whole("concat(y.polqual::text, y.polwithcheck::text)") }} THEN '+' ELSE '-' END, n.shown, format('policy %s: %s', y.polname, p.key || ' ' || p.value)
    FROM n JOIN pg_policy AS y ON y.polrelid = n.id CROSS JOIN jsonb_each_text(to_jsonb(y) - '{oid, polname, polrelid}'::text[]
      || jsonb_build_object('polroles', (SELECT array_agg(u::regrole::text ORDER BY 1) FROM unnest(y.polroles) AS u), 'polqual', pg_get_expr(y.polqual, y.polrelid),
        'polwithcheck', pg_get_expr(y.polwithcheck, y.polrelid), 'comment', obj_description(y.oid, 'pg_policy'))) AS p
    WHERE p.value NOT IN ('', ' ', 'false')
  UNION ALL SELECT CASE WHEN EXISTS (SELECT FROM pg_depend AS d WHERE (d.classid, d.objid, d.refclassid, d.refobjid) = ('pg_statistic_ext'::regclass, x.oid, 'pg_class'::regclass, n.id)
      AND d.refobjsubid = ANY (n.own)) THEN '*' WHEN EXISTS (SELECT FROM pg_depend AS d WHERE
      (d.classid, d.objid, d.refclassid, d.refobjid) = ('pg_statistic_ext'::regclass, x.oid, 'pg_class'::regclass, n.id)
      AND d.refobjsubid = ANY (n.key)) THEN '+' ELSE '-' END, n.shown, format('statistics %I.%I: %s', x.stxnamespace::regnamespace, x.stxname, w.what)
    FROM n JOIN pg_statistic_ext AS x ON x.stxrelid = n.id
    CROSS JOIN LATERAL (
      SELECT pg_get_statisticsobjdef(x.oid) UNION ALL SELECT p.key || ' ' || p.value FROM jsonb_each_text(to_jsonb(x)
        - '{oid, stxrelid, stxname, stxnamespace, stxkeys, stxkind, stxexprs}'::text[]
        || jsonb_build_object('stxowner', x.stxowner::regrole, 'comment', obj_description(x.oid, 'pg_statistic_ext'))) AS p
      WHERE p.value NOT IN ('', ' ', 'false')) AS w (what)
  UNION ALL SELECT '-', t.shown, format('publication %s: %s', b.pubname, p.key || ' ' || p.value)
    FROM t JOIN pg_publication AS b ON EXISTS (SELECT FROM pg_publication_tables AS l JOIN pg_namespace AS m ON m.nspname = l.schemaname
      JOIN pg_class AS r ON (r.relnamespace, r.relname) = (m.oid, l.tablename) WHERE l.pubname = b.pubname AND r.oid = t.id)
    CROSS JOIN jsonb_each_text(to_jsonb(b) - '{oid, pubname}'::text[] || jsonb_build_object('pubowner', b.pubowner::regrole)) AS p
    WHERE p.value NOT IN ('', ' ', 'false')
{% if version >= 150000 %}
  UNION ALL SELECT CASE WHEN r.prattrs::int2[] && n.own THEN '*' WHEN r.prattrs::int2[] && n.key THEN '+' ELSE '-' END, n.shown, format('publication %s: %s', b.pubname, p.key || ' ' || p.value)
    FROM n JOIN pg_publication_rel AS r ON r.prrelid = n.id JOIN pg_publication AS b ON b.oid = r.prpubid
    CROSS JOIN jsonb_each_text(to_jsonb(r) - '{oid, prpubid, prrelid}'::text[] || jsonb_build_object(
      'prattrs', (SELECT array_agg(c.name ORDER BY c.number) FROM c WHERE c.id = n.id AND c.number = ANY (r.prattrs::int2[])), 'prqual', pg_get_expr(r.prqual, r.prrelid))) AS p
    WHERE p.value NOT IN ('', ' ', 'false')
{% endif %}
  -- Views, functions, generated columns, policies of other tables and whatever else depends on the tables, their columns or the type of their rows.
  UNION ALL SELECT CASE WHEN d.refobjsubid = ANY (n.own) THEN '*' WHEN d.refobjsubid = ANY (n.key)
      -- Stored rows of the table, which would lose their keys with the old columns.
      OR d.refclassid = 'pg_type'::regclass AND (x.relkind IN ('r', 'p', 'm', 'f', 'c') OR q.typtype IN ('d', 'r')) THEN '+' ELSE '-' END,
      concat_ws('.', n.shown, CASE WHEN d.refobjsubid > 0 THEN (SELECT c.name FROM c WHERE (c.id, c.number) = (n.id, d.refobjsubid)) END), concat_ws(' ', i.type, i.identity)
    FROM n JOIN pg_class AS r ON r.oid = n.id JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = ('pg_class'::regclass, n.id)
      OR d.refclassid = 'pg_type'::regclass AND d.refobjid IN (r.reltype, (SELECT y.typarray FROM pg_type AS y WHERE y.oid = r.reltype))
    LEFT JOIN pg_class AS x ON (d.classid, d.objid) = ('pg_class'::regclass, x.oid)
    LEFT JOIN pg_type AS q ON (d.classid, d.objid) = ('pg_type'::regclass, q.oid)
    LEFT JOIN pg_attrdef AS f ON (d.classid, d.objid) = ('pg_attrdef'::regclass, f.oid)
    LEFT JOIN pg_rewrite AS v ON (d.classid, d.objid) = ('pg_rewrite'::regclass, v.oid)
    LEFT JOIN pg_class AS z ON z.oid = v.ev_class
    LEFT JOIN pg_policy AS y ON (d.classid, d.objid) = ('pg_policy'::regclass, y.oid)
    CROSS JOIN pg_identify_object(d.classid, d.objid, d.objsubid) AS i
    WHERE d.deptype IN ('n', 'a') AND d.classid NOT IN ('pg_constraint'::regclass, 'pg_trigger'::regclass, 'pg_statistic_ext'::regclass)
      -- Before version 15, a generated column depends on columns without an object between them.
      AND x.relkind IS DISTINCT FROM 'i' AND (d.classid, d.objid, d.objsubid = 0) <> ('pg_class'::regclass, n.id, true)
      -- The policies of the table itself are above; those of other tables read it.
      AND y.polrelid IS DISTINCT FROM n.id
      AND NOT (f.oid IS NOT NULL AND (f.adrelid, f.adnum) = (n.id, d.refobjsubid))
      AND NOT EXISTS (SELECT FROM c WHERE (c.id, c.number) = (f.adrelid, f.adnum) AND (c.own OR c.text))
      AND NOT COALESCE(z.relname = ANY ({{ texts|literals }}), false) AND v.ev_class IS DISTINCT FROM n.id
)
SELECT DISTINCT s.mark || s.about || ': ' || s.what AS what FROM s
{%- endmacro %}

{#- Whether an expression reads whole rows: then the catalog records no column for it. -#}
{%- macro whole(expression) -%}
COALESCE({{ expression|safe }} LIKE '%:varattno 0 %', false)
{%- endmacro %}

{#- Whether an object with this name belongs to the plan. -#}
{%- macro own(name, id) -%}
COALESCE({{ name|safe }} LIKE {{ ("%\\_" ~ id ~ "\\_%")|literal }}, false)
{%- endmacro %}

{#- Fails if the tables are not as they were when the plan was made. The path counts only until the end of the transaction. -#}
{%- macro fails_if_changed(p) %}
  PERFORM set_config('search_path', 'pg_catalog', true);
  DECLARE
    idgen_changed text[] := (
      SELECT array_agg({{ difference("n", "t") }} ORDER BY COALESCE(n.what, t.what))
      FROM ({{ attached(p.tables, p.id, p.texts, p.version) }}) AS n
      FULL JOIN unnest({{ p.shape|literals }}) AS t (what) ON t.what = n.what
      WHERE (t.what IS NULL OR n.what IS NULL) AND left(COALESCE(n.what, t.what), 1) <> '-');
  BEGIN
    IF {{ m.finished(p) }} THEN
      RAISE EXCEPTION 'this plan is finished: its last step was executed';
    END IF;
    IF idgen_changed IS NOT NULL THEN
      RAISE EXCEPTION 'the tables were changed since the plan was made: make another plan'
        USING DETAIL = array_to_string(idgen_changed, E'\n');
    END IF;
  END;
{%- endmacro %}

{#- A difference between what is now (`n`) and what was then (`t`), for a person. -#}
{%- macro difference(n, t) -%}
CASE WHEN {{ t|safe }}.what IS NULL THEN 'new: ' || substr({{ n|safe }}.what, 2) ELSE 'gone: ' || substr({{ t|safe }}.what, 2) END
{%- endmacro %}

{% import "macros.sql" as m -%}
--! Says what is missing, if the rows cannot be copied now.
{{ m.begins(p, "backfill") }}

{% for t in tables %}
--! Fills the new columns of {{ t.shown|safe }} in chunks of blocks of its file, each in a transaction of its own. Rows that move do so by an update, which the trigger sees. A file that was rewritten begins again.
CREATE OR REPLACE PROCEDURE {{ schema }}.{{ t.tag ~ "_backfill" }}() LANGUAGE plpgsql AS $idgen$
DECLARE
  idgen_file oid;
  idgen_now oid;
  idgen_at bigint;
  idgen_begin bigint;
  idgen_end bigint;
  idgen_step bigint;
  idgen_rows bigint;
  idgen_done boolean;
  idgen_users text;
  idgen_from timestamptz := clock_timestamp();
  idgen_said timestamptz := clock_timestamp();
BEGIN
  SELECT p.file, p.next_block, p.blocks, p.done INTO idgen_file, idgen_at, idgen_end, idgen_done FROM {{ schema }}.progress AS p WHERE p.name = {{ t.shown|literal }};
  idgen_begin := idgen_at;
  WHILE idgen_done IS NOT TRUE LOOP
    CALL {{ schema }}.pause();
    SELECT s.chunk_blocks INTO STRICT idgen_step FROM {{ schema }}.settings AS s;
    BEGIN
      -- Shorter than deadlock_timeout, so that never another session is ended for this one.
      SET LOCAL lock_timeout = '500ms';
      -- Nobody can rewrite the file while this is held.
      LOCK TABLE {{ m.table(t) }} IN ROW EXCLUSIVE MODE;
      idgen_now := pg_relation_filenode({{ m.table(t)|literal }}::regclass);
      IF idgen_file IS DISTINCT FROM idgen_now THEN
        IF idgen_at > 0 THEN
          RAISE NOTICE '%: the file of the table was rewritten, so the copy begins again', {{ t.shown|literal }};
        END IF;
        idgen_end := pg_relation_size({{ m.table(t)|literal }}::regclass) / current_setting('block_size')::bigint;
        INSERT INTO {{ schema }}.progress AS p (name, file, blocks) VALUES ({{ t.shown|literal }}, idgen_now, idgen_end)
          ON CONFLICT (name) DO UPDATE SET file = idgen_now, next_block = 0, blocks = idgen_end, rows = 0;
        idgen_file := idgen_now;
        idgen_at := 0;
        idgen_begin := 0;
      END IF;
      UPDATE {{ m.table(t) }} AS t SET {% for c in t.columns %}{{ c.new }} = {{ m.converted("t", c.name, c) }}{% if not loop.last %}, {% endif %}{% endfor %}

        WHERE t.ctid >= format('(%s,0)', idgen_at)::tid AND t.ctid < format('(%s,0)', idgen_at + idgen_step)::tid
        AND ({% for c in t.columns %}t.{{ c.new }} IS DISTINCT FROM {{ m.converted("t", c.name, c) }}{% if not loop.last %} OR {% endif %}{% endfor %});
      GET DIAGNOSTICS idgen_rows = ROW_COUNT;
      -- Updated rows have another place by now. One that is still here was skipped.
      IF EXISTS (SELECT FROM {{ m.table(t) }} AS t
        WHERE t.ctid >= format('(%s,0)', idgen_at)::tid AND t.ctid < format('(%s,0)', idgen_at + idgen_step)::tid
        AND ({% for c in t.columns %}t.{{ c.new }} IS DISTINCT FROM {{ m.converted("t", c.name, c) }}{% if not loop.last %} OR {% endif %}{% endfor %})) THEN
        RAISE EXCEPTION 'rows of % were not changed by the copy: a BEFORE UPDATE trigger has skipped them or changed their keys (%)', {{ t.shown|literal }}, COALESCE((
          SELECT string_agg(g.tgname, ', ' ORDER BY g.tgname) FROM pg_catalog.pg_trigger AS g WHERE g.tgrelid = {{ m.table(t)|literal }}::regclass
            AND NOT g.tgisinternal AND g.tgtype & 19 = 19 AND g.tgname NOT LIKE 'zzz\_idgen\_%'), 'none is there now')
          USING HINT = 'Let the trigger return NEW for updates that change none of its columns; or execute this file in a session with session_replication_role = replica (PGOPTIONS), in which it does not fire.';
      END IF;
      idgen_done := idgen_at + idgen_step >= idgen_end;
      UPDATE {{ schema }}.progress AS p SET file = idgen_file, blocks = idgen_end, next_block = idgen_at + idgen_step, rows = p.rows + idgen_rows,
        done = idgen_done, changed_at = clock_timestamp() WHERE p.name = {{ t.shown|literal }};
      IF NOT FOUND THEN
        RAISE EXCEPTION 'the columns or triggers of % were made anew while its rows were copied: execute this file again', {{ t.shown|literal }};
      END IF;
      idgen_at := idgen_at + idgen_step;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      -- What was written down of a new file is undone, too.
      idgen_done := false;
      idgen_file := (SELECT p.file FROM {{ schema }}.progress AS p WHERE p.name = {{ t.shown|literal }});
      idgen_users := (
{{ m.holders([t]) }}
      );
      RAISE NOTICE '%: rows of the blocks from % on are locked, and are tried again; locks are held by %', {{ t.shown|literal }}, idgen_at, COALESCE(idgen_users, 'nobody any more');
    END;
    COMMIT;
    IF clock_timestamp() > idgen_said + interval '10 seconds' THEN
      idgen_said := clock_timestamp();
      RAISE NOTICE '%: % of % blocks, about % more seconds', {{ t.shown|literal }}, idgen_at, idgen_end,
        CASE WHEN idgen_at > idgen_begin THEN round(extract(epoch FROM idgen_said - idgen_from)
          * greatest(idgen_end - idgen_at, 0) / (idgen_at - idgen_begin)) END;
    END IF;
  END LOOP;
  SELECT p.rows INTO idgen_rows FROM {{ schema }}.progress AS p WHERE p.name = {{ t.shown|literal }};
  RAISE NOTICE '%: % rows', {{ t.shown|literal }}, idgen_rows;
END
$idgen$

{% endfor %}
{% for t in tables %}
--! Fills {{ t.shown|safe }}.
CALL {{ schema }}.{{ t.tag ~ "_backfill" }}()

{% endfor %}
--! Writes down that the step is done.
{{ m.ends(p, "backfill") }}

{%- if plan.any_age %}
  -- The setting of the last statement stays for the rows that the client's statement has not reached yet. A locking read has that of the session again.
  SELECT COUNT(*) INTO phase FROM {{ plan.phase|name }} WHERE renamed > 2 LOCK IN SHARE MODE;
{%- endif %}
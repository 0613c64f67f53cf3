{% import "rights.sql" as r -%}
--! Shows the rights that the role does not have.
{{ r.lacking(p) }}

RENAME TABLE
{%- for rename in renames %}
  {{ rename[0]|name }} TO {{ rename[1]|name }}{% if not loop.last %},{% endif %}
{%- endfor %}

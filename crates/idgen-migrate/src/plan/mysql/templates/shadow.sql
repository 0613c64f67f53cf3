ALTER TABLE {{ table.new|name }}
{%- for column in table.keys %}
  MODIFY {{ column.name|name }} {{ column.new_type }}{% if not column.nullable %} NOT NULL{% endif %}{% if column.counts %} AUTO_INCREMENT{% endif %}{% if column.is_invisible %} INVISIBLE{% endif %}
  {%- if column.default %} DEFAULT {{ column.default }}{% endif %}
  {%- if column.comment %} COMMENT {{ column.comment|literal }}{% endif %},
{%- endfor %}
{%- for column in table.references %}
  CHANGE {{ column.name|name }} {{ column.integer|name }} {{ map.id_type }}{% if not column.nullable %} NOT NULL{% endif %}
  {%- if column.comment %} COMMENT {{ column.comment|literal }}{% endif %},
{%- endfor %}
{%- for column in table.owners %}
  ADD COLUMN {{ column.integer|name }} {{ map.id_type }}{% if not column.nullable %} NOT NULL{% endif %} AFTER {{ column.name|name }},
  {%- if column.is_primary %}
  DROP PRIMARY KEY,
  ADD PRIMARY KEY ({{ column.integer|name }}),
  ADD UNIQUE KEY ({{ column.name|name }}),
  {%- else %}
  ADD UNIQUE KEY ({{ column.integer|name }}),
  {%- endif %}
{%- endfor %}
{%- for support in table.supports %}
  DROP INDEX {{ support.name|name }},
  ADD INDEX {{ support.name|name }} ({{ support.columns|names }}),
{%- endfor %}
{%- for key in foreign %}
  ADD {% include "foreign.sql" %},
{%- endfor %}
{%- if table.row_format %}
  ROW_FORMAT = {{ table.row_format }},
{%- endif %}
  ALGORITHM = DEFAULT

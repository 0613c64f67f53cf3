{#- Variables of a trigger for what it asks the map, and the questions. -#}
{%- macro declare(asks) -%}
{%- for ask in asks %}
  DECLARE {{ ask.variable|name }} {{ ask.type }} DEFAULT NULL;
{%- endfor %}
{%- endmacro -%}
{%- macro run(asks, any_age) -%}
{%- for ask in asks %}
    {{ any_age }}CALL {{ ask.procedure|name }}({{ ask.value }}, {{ ask.variable|name }});
    {%- if ask.must %}
    IF NOT ({{ ask.variable|name }} <=> {{ ask.must }}) THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ ask.message|message }};
    END IF;
    {%- endif %}
{%- endfor %}
{%- endmacro -%}

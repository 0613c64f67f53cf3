CREATE TRIGGER IF NOT EXISTS {{ side.insert|name }} AFTER INSERT ON {{ side.from|name }} FOR EACH ROW
BEGIN
{% include "phase.sql" %}
  IF phase = {{ side.phase }} THEN
    INSERT INTO {{ side.to|name }} ({{ side.columns|names }})
    VALUES ({{ side.new|join(", ") }});
  END IF;
END

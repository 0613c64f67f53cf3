CONSTRAINT {{ key.new_name|name }} FOREIGN KEY ({{ key.columns|names }}) REFERENCES {{ key.new_to|name }} ({{ key.to_columns|names }}) ON DELETE {{ key.on_delete }} ON UPDATE {{ key.on_update }}

-- Four tables whose keys the plan changes, with everything around them that it must not lose.
CREATE SCHEMA sales;
CREATE DOMAIN percent AS numeric CHECK (VALUE BETWEEN 0 AND 100);

CREATE TABLE customers (
  number bigint GENERATED ALWAYS AS IDENTITY,
  id char(36) DEFAULT gen_random_uuid()::text CONSTRAINT customer_has_id NOT NULL,
  name text COLLATE "C" NOT NULL,
  email text UNIQUE,
  discount percent DEFAULT 0,
  -- A circle of foreign keys: the favourite order of a customer, which has a customer.
  favourite text,
  "the Boss" char(36),
  CONSTRAINT customer_key PRIMARY KEY (id) INCLUDE (email) WITH (fillfactor = 70),
  CONSTRAINT boss FOREIGN KEY ("the Boss") REFERENCES customers MATCH FULL ON UPDATE CASCADE ON DELETE SET NULL ("the Boss")
    DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT has_name CHECK (name <> ''),
  CONSTRAINT one_boss UNIQUE NULLS NOT DISTINCT ("the Boss", name)
);
COMMENT ON TABLE customers IS 'who buys';
COMMENT ON COLUMN customers.id IS E'it''s\na key: $idgen$';
COMMENT ON CONSTRAINT customer_key ON customers IS 'the key';
COMMENT ON INDEX customer_key IS 'the index of the key';
ALTER INDEX customer_key DEPENDS ON EXTENSION plpgsql;
COMMENT ON CONSTRAINT customer_has_id ON customers IS 'always';
COMMENT ON CONSTRAINT boss ON customers IS 'no boss has a boss';
COMMENT ON CONSTRAINT one_boss ON customers IS 'once';
ALTER TABLE customers CLUSTER ON customer_key;
ALTER TABLE customers ALTER id SET STATISTICS 500;
ALTER TABLE customers ALTER id SET (n_distinct = -1);
ALTER TABLE customers ALTER "the Boss" SET (n_distinct = 100, n_distinct_inherited = 50);
GRANT SELECT, INSERT ON customers TO PUBLIC;
GRANT UPDATE (name) ON customers TO PUBLIC;

CREATE TABLE sales."Orders" (
  id text COLLATE "C" PRIMARY KEY,
  customer char(36) CONSTRAINT "Who?" NOT NULL NO INHERIT CONSTRAINT "of customer" REFERENCES customers ON UPDATE CASCADE ON DELETE RESTRICT,
  replaces text REFERENCES sales."Orders" ON UPDATE SET NULL ON DELETE CASCADE,
  note text,
  price numeric DEFAULT 1,
  total numeric GENERATED ALWAYS AS (price * 2) STORED,
  later numeric GENERATED ALWAYS AS (price + 1) VIRTUAL,
  placed tstzrange,
  EXCLUDE USING gist (placed WITH &&)
);
CREATE INDEX "Orders by customer" ON sales."Orders" (customer DESC NULLS LAST, note COLLATE "C" NULLS FIRST, price) INCLUDE (placed)
  WITH (deduplicate_items = off) WHERE price > 0;
CREATE INDEX orders_hash ON sales."Orders" USING hash (customer);
ALTER INDEX sales.orders_hash DEPENDS ON EXTENSION plpgsql;
CREATE UNIQUE INDEX once ON sales."Orders" (replaces) WHERE replaces IS NOT NULL;
CREATE INDEX upper_note ON sales."Orders" (upper(note));
COMMENT ON INDEX sales."Orders by customer" IS 'for the page of a customer';
CREATE INDEX of_customer ON sales."Orders" (customer, id);
ALTER TABLE sales."Orders" CLUSTER ON of_customer;
ALTER TABLE sales."Orders" REPLICA IDENTITY FULL;
CREATE STATISTICS sales.prices ON note, price FROM sales."Orders";
CREATE VIEW sales.notes AS SELECT note, count(*) FROM sales."Orders" GROUP BY note;
CREATE MATERIALIZED VIEW sales.prices_of_all AS SELECT sum(price) FROM sales."Orders";

ALTER TABLE customers ADD CONSTRAINT favourite FOREIGN KEY (favourite) REFERENCES sales."Orders" DEFERRABLE;

-- A key of several columns, one of which is a foreign key.
CREATE TABLE tags (
  id char(36) REFERENCES customers ON DELETE CASCADE,
  tag varchar(20),
  PRIMARY KEY (tag, id)
);
ALTER TABLE tags ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON tags USING (tag = current_user);

-- Keys of several columns that refer to each other.
CREATE TABLE likes (
  id char(36),
  tag varchar(20),
  at timestamptz,
  CONSTRAINT liked FOREIGN KEY (id, tag) REFERENCES tags (id, tag) ON UPDATE CASCADE ON DELETE SET NULL (id)
);
COMMENT ON CONSTRAINT liked ON likes IS 'both';

-- No primary key.
CREATE UNLOGGED TABLE tokens (token varchar(36) NOT NULL, customer char(36) REFERENCES customers);
CREATE UNIQUE INDEX tokens_token ON tokens (token);
ALTER TABLE tokens SET (autovacuum_enabled = off);

CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.note := NEW.note; RETURN NEW; END';
CREATE TRIGGER touched BEFORE UPDATE OF note ON sales."Orders" FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER never BEFORE INSERT ON sales."Orders" FOR EACH ROW EXECUTE FUNCTION touch();
ALTER TABLE sales."Orders" DISABLE TRIGGER never;
CREATE FUNCTION orders_of(text) RETURNS SETOF sales."Orders" LANGUAGE sql AS 'SELECT * FROM sales."Orders" WHERE note = $1';
CREATE PUBLICATION part FOR TABLE customers, tags WHERE (tag <> 'x');

INSERT INTO customers (id, name) SELECT 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a';
INSERT INTO customers (name, "the Boss") SELECT 'b', id FROM customers;
INSERT INTO sales."Orders" (id, customer, note) SELECT gen_random_uuid(), id, 'first' FROM customers WHERE name = 'a';
UPDATE customers SET favourite = (SELECT id FROM sales."Orders") WHERE name = 'a';
INSERT INTO tags SELECT id, 'new' FROM customers;
INSERT INTO tokens SELECT gen_random_uuid(), id FROM customers;
ANALYZE;

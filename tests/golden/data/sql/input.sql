-- 0007 add tide table
BEGIN;

CREATE TABLE IF NOT EXISTS dock.tide (
  id bigint PRIMARY KEY, -- key; not a terminator
  note text DEFAULT 'a;b',
  level numeric(5,2)
); -- trailing
ALTER TABLE dock.tide ADD COLUMN side text;

-- this stands alone

/* trigger; keeps
   the log */
CREATE OR REPLACE FUNCTION log_tide() RETURNS trigger AS $body$
BEGIN
  INSERT INTO tide_log VALUES (NEW.id);
  RETURN NEW;
END;
$body$ LANGUAGE plpgsql;

CREATE UNIQUE INDEX CONCURRENTLY "tide level" ON tide (level);
COPY tide (id, note) FROM stdin;
1	a;b
2	c
\.
SELECT 1;
COMMIT;

-- Owned by the database team. Applied by their pipeline, not by this service.
CREATE TABLE deliveries (
  id           text PRIMARY KEY,
  order_id     text NOT NULL REFERENCES orders (id),
  endpoint     text NOT NULL,
  state        text NOT NULL CHECK (state IN ('pending', 'sending', 'delivered', 'failed')),
  max_attempts smallint NOT NULL DEFAULT 3,
  created_at   timestamptz NOT NULL
);

CREATE TABLE attempts (
  delivery_id  text NOT NULL REFERENCES deliveries (id),
  number       smallint NOT NULL,
  started_at   timestamptz NOT NULL,
  took_ms      integer NOT NULL,
  status       smallint,
  error        text,
  PRIMARY KEY (delivery_id, number)
);

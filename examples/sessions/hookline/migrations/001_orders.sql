-- Owned by the database team. Applied by their pipeline, not by this service.
CREATE TABLE orders (
  id          text PRIMARY KEY,
  merchant    text NOT NULL,
  currency    char(3) NOT NULL,
  total_minor bigint NOT NULL CHECK (total_minor >= 0),
  placed_at   timestamptz NOT NULL,
  body        jsonb NOT NULL
);

CREATE INDEX orders_merchant_placed ON orders (merchant, placed_at DESC);

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, describe, test } from "node:test";
import { sendDelivery } from "../src/deliveries/send.js";

describe("sending over HTTP", () => {
  let server;
  let base;
  const received = [];

  before(async () => {
    server = http.createServer((request, response) => {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        received.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
        if (request.url === "/never") return;
        if (request.url === "/cut") return void request.socket.destroy();
        response.writeHead(Number(request.url.slice(1)));
        response.end("answer");
      });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${server.address().port}`;
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const send = (path, more = {}) =>
    sendDelivery({ endpoint: base + path, body: "{}", headers: { "idempotency-key": "del_00001" }, timeoutMs: 500, ...more });

  test("gives the status and the text", async () => {
    assert.deepEqual(await send("/200"), { status: 200, text: "answer" });
  });

  test("a 500 is an outcome, not an exception", async () => {
    assert.equal((await send("/500")).status, 500);
  });

  test("sends the body and the headers", async () => {
    await send("/201", { body: '{"a":1}' });
    const last = received.at(-1);
    assert.equal(last.body, '{"a":1}');
    assert.equal(last.headers["idempotency-key"], "del_00001");
  });

  test("gives up after the timeout, and says so", async () => {
    assert.deepEqual(await send("/never", { timeoutMs: 60 }), { error: "no answer within 60 ms" });
  });

  test("a connection that is cut is an outcome", async () => {
    assert.equal((await send("/cut")).error, "socket hang up");
  });

  test("a refused connection is an outcome", async () => {
    const outcome = await sendDelivery({ endpoint: "http://127.0.0.1:9/", body: "", headers: {}, timeoutMs: 500 });
    assert.match(outcome.error, /ECONNREFUSED/);
  });
});

/**
 * One attempt: post the payload, wait for the answer, say what came of it. It never throws: a refused connection
 * and a status of 500 are both outcomes, and the worker decides what they mean.
 */
import http from "node:http";
import https from "node:https";

export function sendDelivery({ endpoint, body, headers, timeoutMs }) {
  const { request } = endpoint.startsWith("https:") ? https : http;
  return new Promise((resolve) => {
    const outgoing = request(endpoint, { method: "POST", headers, timeout: timeoutMs });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    outgoing.on("error", (error) => resolve({ error: error.message }));
    outgoing.on("response", (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString("utf8") }));
      response.on("error", (error) => resolve({ error: error.message }));
    });
    outgoing.end(body);
  });
}

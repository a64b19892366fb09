import { HttpError } from "./router.js";

const LIMIT = 256 * 1024;

/** The request body as JSON. Refused when it is too long or not JSON, before anything looks at it. */
export async function readJsonBody(request, limit = LIMIT) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > limit) throw new HttpError(413, `the body is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpError(400, "the body is not JSON");
  }
}

export function sendJson(response, status, value) {
  const text = JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

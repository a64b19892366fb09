/** Errors as OpenAI spells them, for both of its APIs. */
import type { Trouble, Violation, ViolationCode } from "./api.ts";

export interface ErrorFields {
  readonly status?: number;
  readonly type?: string;
  readonly param?: string;
  /** OpenAI's own code, not ours. */
  readonly named?: string;
}

export function error(code: ViolationCode, message: string, fields: ErrorFields = {}): Violation {
  const { status = 400, param = null, named = null } = fields;
  const type = fields.type ?? (status < 500 ? "invalid_request_error" : "server_error");
  return { code, message, status, body: { error: { message, type, param, code: named } } };
}

/** A prompt that does not fit has other words in each of the two, so it is not answered here. */
type Shared = Exclude<Trouble, { kind: "overflow" }>;

export function refuse(trouble: Shared): Violation {
  const [message, fields] = wordsFor(trouble);
  return error(trouble.kind, message, fields);
}

const NOT_JSON =
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)";
const SORRY = "The server had an error while processing your request. Sorry about that!";
const LIMITED: ErrorFields = { status: 429, type: "tokens", named: "rate_limit_exceeded" };

function wordsFor(trouble: Shared): readonly [string, ErrorFields] {
  switch (trouble.kind) {
    case "bad-json":
      return [NOT_JSON, {}];
    case "request-too-large":
      return ["Request Entity Too Large", { status: 413 }];
    case "unknown-model": {
      const why = `The model \`${trouble.model}\` does not exist or you do not have access to it.`;
      return [why, { status: 404, named: "model_not_found" }];
    }
    case "bad-key":
      return ["Incorrect API key provided.", { status: 401, named: "invalid_api_key" }];
    case "overloaded":
      return ["The engine is currently overloaded, please try again later.", { status: 503 }];
    case "rate-limit":
      return ["Rate limit reached for requests. Please try again later.", LIMITED];
    case "server-error":
      return [SORRY, { status: 500 }];
    case "scripted":
      return [trouble.message, { status: trouble.status }];
  }
}

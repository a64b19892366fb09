/** The three tools of a session: their schemas for the model, and how to run what it calls. */
import type { Policy } from "./plan/policy.ts";
import { messageOf, type Notices } from "./session-notices.ts";
import { answered } from "./tool-answer.ts";
import { type RefToolSchema, runTool, type ToolAnswer, type ToolContext, toolSchemasFor } from "./tools.ts";
import type { Json } from "./transcript/json.ts";

export interface SessionTools {
  readonly schemas: readonly RefToolSchema[];
  /** `input` as the SDK gives it: an object, or the text the model wrote. Answers whatever happens. */
  readonly run: (name: string, input: unknown) => Promise<ToolAnswer>;
}

export interface Giving extends ToolContext {
  /** Told when a host takes the schemas: from then on they stand in its prompts. */
  readonly onGiven: () => void;
  readonly policy: Pick<Policy, "retrieval">;
  readonly notices: Notices;
}

export function sessionTools({ onGiven, policy, notices, ...context }: Giving): SessionTools {
  return {
    get schemas() {
      onGiven();
      return toolSchemasFor(policy);
    },
    run: async (name, input) => {
      try {
        // Whatever is no JSON is answered as a wrong input.
        return await runTool(name, (input ?? null) as Json, context);
      } catch (error) {
        notices.report(error, `${name} could not be answered`);
        return broken(error, context);
      }
    },
  };
}

/** The store is in trouble: the model is told, for there may be another way to what it wanted to read. */
function broken(error: unknown, context: ToolContext): ToolAnswer {
  const text = `The originals cannot be reached now (${messageOf(error)}). Nothing is lost by it; go on without, or ask again later.`;
  return { ...answered(text, { error: { code: "store", message: text } }, context), isError: true };
}

/** The three tools of a session: their schemas for the model, and how to run what it calls. */
import type { Policy } from "./plan/policy.ts";
import { runTool, type ToolAnswer, type ToolContext, type toolSchemas, toolSchemasFor } from "./tools.ts";
import type { Json } from "./transcript/json.ts";

export interface SessionTools {
  readonly schemas: typeof toolSchemas;
  readonly run: (name: string, input: Json) => Promise<ToolAnswer>;
}

export interface Giving extends ToolContext {
  /** Told when a host takes the schemas: from then on they stand in its prompts. */
  readonly onGiven: () => void;
  readonly policy: Pick<Policy, "retrieval">;
}

export function sessionTools({ onGiven, policy, ...context }: Giving): SessionTools {
  return {
    get schemas() {
      onGiven();
      return toolSchemasFor(policy);
    },
    run: (name, input) => runTool(name, input, context),
  };
}

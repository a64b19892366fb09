/**
 * What of ours stands in every prompt (law 8): the schemas of our tools and the ref table of the page. A host that gives
 * our tools to the model may have told us so, with its own `tools`, or not; either way they were sent, and would not have
 * been without us.
 */
import { TABLE_HEADING } from "./apply/page.ts";
import type { LiveConversation } from "./live.ts";
import { estimatorFor } from "./measure/count.ts";
import type { Compaction } from "./plan/ledger.ts";
import type { SessionRequests } from "./session-requests.ts";
import { toolSchemas } from "./tools.ts";
import { isList, type Json, object, string } from "./transcript/json.ts";

export interface Ours {
  /** In the prompt that was sent. */
  readonly sentTokens: number;
  /** Of that, what the whole history was counted with: it must not count as sent without us. */
  readonly countedTokens: number;
}

export class Overhead {
  #areToolsGiven = false;
  readonly #tables = new WeakMap<Compaction, number>();

  /** The host took our schemas, so the model has them, whether or not the host tells us. */
  toolsAreGiven(): void {
    this.#areToolsGiven = true;
  }

  of({ folded, around }: LiveConversation, { model, scale, calibration }: SessionRequests): Ours {
    const isNamed = namesOurTools(around.tools);
    const schemas = isNamed || this.#areToolsGiven ? Math.round(schemaTokens(model) * scale) : 0;
    // Tools we are not told of are counted all the same once the provider has reported: they are in what it adds.
    const isCounted = isNamed || calibration !== undefined;
    return {
      sentTokens: schemas + Math.round(this.#tableTokens(folded, model) * scale),
      countedTokens: isCounted ? schemas : 0,
    };
  }

  /** Counted once: a page stands for many requests. */
  #tableTokens(folded: Compaction | undefined, model: string | undefined): number {
    if (!folded) return 0;
    const tokens = this.#tables.get(folded) ?? tableTokens(folded.page, model);
    this.#tables.set(folded, tokens);
    return tokens;
  }
}

export function schemaTokens(model: string | undefined): number {
  const counter = estimatorFor(model);
  return toolSchemas.reduce((sum, schema) => sum + counter.tool(schema), 0);
}

/** The last heading of that name: above it stands the summary, whose lines may quote anything. */
export function tableTokens(page: Compaction["page"], model: string | undefined): number {
  const at = page?.text.lastIndexOf(`\n${TABLE_HEADING}\n`) ?? -1;
  return page === undefined || at < 0 ? 0 : estimatorFor(model).text(page.text.slice(at));
}

/** Whether our tools are among those the host sends, whatever the wire calls its fields and the host our tools. */
export function namesOurTools(tools: Json | undefined): boolean {
  const names = isList(tools) ? tools.flatMap(namesIn) : Object.keys(object(tools));
  return names.some((name) => /(?:^|__|[.:/])read_ref$/.test(name));
}

function namesIn(tool: Json): readonly string[] {
  const fields = object(tool);
  const declared = fields["functionDeclarations"];
  if (isList(declared)) return declared.flatMap(namesIn);
  const name = string(fields["name"]) ?? string(object(fields["function"])["name"]);
  return name === undefined ? [] : [name];
}

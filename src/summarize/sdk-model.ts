/**
 * A model of the AI SDK, told by the marks it bears, and how it is reached. The SDK's own types are named in no declaration
 * of ours: whoever imports us would have them read by the compiler, and they need `skipLibCheck` and the types of a browser.
 */
export type SdkModel =
  | string
  | {
      readonly specificationVersion: "v2" | "v3";
      readonly provider: string;
      readonly modelId: string;
      doGenerate(options: never): PromiseLike<unknown>;
    };

/** Tools as the SDK takes them, by name. */
export type SdkTools = Readonly<Record<string, object>>;

/** The API a provider's model is asked by: the host's, where the provider has it. */
export type Api = "anthropic-messages" | "openai-chat" | "openai-responses";

export type Provider = "anthropic" | "openai" | "openai-compatible";

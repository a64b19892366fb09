/**
 * How each provider says that a prompt does not fit, as data, and what only sounds like it. Merged from what harnesses
 * and gateways recognise and from providers' own words; read in order, so that the vague texts come last.
 */
export interface OverflowRow {
  readonly provider: string;
  /** In the words of the error. */
  readonly says?: RegExp;
  /** As `code`, `type` or name of the error, word for word. */
  readonly code?: string;
  /** Only with this status: the words alone are too common. */
  readonly status?: number;
  /** The request was too many bytes, not too many tokens: images and documents weigh more than they cost. */
  readonly isBytes?: true;
}

/** Looked at first. Waiting, paying or asking for a shorter answer helps against these; compacting does not. */
export const NOT_OVERFLOW: readonly RegExp[] = [
  /rate.?limit/i,
  /too many requests/i,
  // Bedrock throttles with "Too many tokens, please wait before trying again."
  /throttl/i,
  /^service unavailable\b/i,
  /please wait before trying/i,
  /\b(?:tokens|requests) per (?:min|hour|day)/i,
  /\bquota\b/i,
  /string_above_max_length/i,
  /invalid 'user'.*string too long/i,
  // Preserved thinking: the history changed under a sealed thought.
  /bound to a different conversation/i,
  // The answer asked for is larger than the model can write, whatever the prompt.
  /max_tokens: \d+ > \d+, which is the maximum allowed/i,
  /max(?:imum|_completion|_output)?[_ ]tokens(?: is too large| you requested exceeds? the model limit)/i,
];

/** What the status says for itself: not allowed, too fast, overloaded. */
export const NOT_OVERFLOW_STATUS: readonly number[] = [401, 403, 429, 503, 529];

export const OVERFLOWS: readonly OverflowRow[] = [
  { provider: "Anthropic", says: /prompt (?:is )?too long(?!; exceeded)/i },
  { provider: "Anthropic, with max_tokens", says: /input length and `max_tokens` exceed context limit/i },
  { provider: "Anthropic, bytes", code: "request_too_large", isBytes: true },
  {
    provider: "Anthropic, bytes",
    says: /request_too_large|request exceeds the maximum (?:allowed )?(?:size|number of bytes)/i,
    isBytes: true,
  },
  { provider: "Bedrock", says: /input is too long for requested model|too many input tokens/i },
  { provider: "Bedrock", says: /prompt: length: 1\.\.|expected maxLength:/i },
  { provider: "OpenAI Responses", says: /exceeds the context window/i },
  { provider: "OpenAI, Azure", says: /input tokens exceed the configured limit/i },
  { provider: "OpenAI, vLLM, DeepSeek, OpenRouter", says: /maximum context length is [\d,]+ tokens/i },
  { provider: "OpenRouter", says: /exceeds (?:the )?maximum allowed input length of [\d,]+ tokens?/i },
  {
    provider: "LiteLLM",
    says: /exceeds (?:the )?(?:model'?s )?maximum context length(?: of [\d,]+ tokens?|\s*\([\d,]+\))/i,
  },
  { provider: "LiteLLM", says: /ContextWindowExceededError/ },
  { provider: "Gemini", says: /input token count.{0,80}exceeds the maximum number of tokens allowed/i },
  { provider: "Gemini, bytes", says: /request payload size exceeds/i, isBytes: true },
  { provider: "xAI", says: /maximum prompt length is [\d,]+/i },
  { provider: "Cerebras", says: /current length is .{1,40} while limit is/i },
  // Behind Cerebras, which says the same and then gives numbers.
  { provider: "Groq", says: /reduce the length of the messages or completion/i },
  { provider: "Mistral", says: /too large for model with [\d,]+ maximum context length/i },
  { provider: "Mistral", says: /prompt has too many tokens/i },
  {
    provider: "Together, SGLang",
    says: /input \([\d,]+ tokens\) is longer than the model'?s context length/i,
  },
  {
    provider: "Hugging Face TGI, Together, SageMaker",
    says: /`inputs` tokens \+ `max_new_tokens` must be|length limit exceeded/i,
  },
  {
    provider: "GitHub Copilot",
    says: /\b(?:tokens?|prompt|input|context)\b.{0,80}exceeds the limit of [\d,]+/i,
  },
  { provider: "GitHub Copilot, bytes", says: /failed to parse request/i, status: 413, isBytes: true },
  { provider: "MiniMax", says: /context window exceeds limit/i },
  { provider: "Kimi", says: /exceeded model token limit/i },
  { provider: "DashScope, Qwen", says: /range of input length should be/i },
  { provider: "z.ai", code: "1261" },
  { provider: "llama.cpp", code: "exceed_context_size_error" },
  { provider: "llama.cpp", says: /exceeds the available context size|is larger than the max context size/i },
  {
    provider: "LM Studio",
    says: /greater than the context length|context length (?:is|of) only [\d,]+ tokens/i,
  },
  {
    provider: "Ollama",
    says: /prompt too long; exceeded (?:max )?context length|input length.{0,80}exceeds.{0,40}context length/i,
  },
  { provider: "DS4", says: /prompt has [\d,]+ tokens?, but the configured context size is [\d,]+ tokens?/i },
  { provider: "Groq", says: /reduce the length of the messages/i },
  { provider: "Cerebras", says: /^4(?:00|13)\s*(?:status code)?\s*\(no body\)/i },
  { provider: "Cohere", says: /too many tokens/i },
  { provider: "any", code: "context_length_exceeded" },
  { provider: "any", says: /context[_ ]length[_ ]exceeded|token limit exceeded/i },
  { provider: "any, bytes", says: /(?:request entity|payload|content) too large/i, isBytes: true },
  { provider: "any, bytes", status: 413, isBytes: true },
];

/** Where an overflow says how much was sent and how much would have fit. Each name is taken where it is first found. */
export const OVERFLOW_NUMBERS: readonly RegExp[] = [
  /(?<tokens>[\d,]+) tokens? > (?<limit>[\d,]+)/i,
  /exceed context limit: (?<tokens>[\d,]+) \+ (?<output>[\d,]+) > (?<limit>[\d,]+)/i,
  /Max input tokens: (?<limit>[\d,]+), request input token count: (?<tokens>[\d,]+)/i,
  /token count (?:\((?<tokens>[\d,]+)\) )?exceeds the maximum number of tokens allowed \(?(?<limit>[\d,]+)/i,
  /request \((?<tokens>[\d,]+) tokens\) exceeds the available context size \((?<limit>[\d,]+)/i,
  /\((?<tokens>[\d,]+) tokens\) is (?:longer|larger) than the (?:model'?s context length|max context size) \((?<limit>[\d,]+)/i,
  /prompt has (?<tokens>[\d,]+) tokens?, but the configured context size is (?<limit>[\d,]+)/i,
  /Prompt contains (?<tokens>[\d,]+) tokens.{0,80}too large for model with (?<limit>[\d,]+) maximum/i,
  /count of (?<tokens>[\d,]+) exceeds the limit of (?<limit>[\d,]+)/i,
  /current length is (?<tokens>[\d,]+) while limit is (?<limit>[\d,]+)/i,
  /exceeded model token limit: (?<limit>[\d,]+)(?: \(requested: (?<tokens>[\d,]+))?/i,
  /cannot exceed (?<limit>[\d,]+) - received (?<tokens>[\d,]+)/i,
  /must be <= (?<limit>[\d,]+)\. Given: (?<tokens>[\d,]+) `inputs` tokens and (?<output>[\d,]+)/i,
  /maximum prompt length is (?<limit>[\d,]+)(?: but the request contains (?<tokens>[\d,]+))?/i,
  /range of input length should be \[\d+, ?(?<limit>[\d,]+)\]/i,
  /maximum context length(?: is| of|\s*\() ?(?<limit>[\d,]+)/i,
  /configured limit of (?<limit>[\d,]+)/i,
  /maximum allowed input length of (?<limit>[\d,]+)/i,
  /context length (?:is|of) only (?<limit>[\d,]+)/i,
  /keep the first (?<tokens>[\d,]+) tokens/i,
  // vLLM before 0.10 and OpenAI's completions: the prompt alone, not the sum with the answer.
  /\((?<tokens>[\d,]+) (?:in (?:the|your) (?:messages|prompt)|of text input)[;,] ?(?<output>[\d,]+)? ?/i,
  /has (?<tokens>[\d,]+) input tokens/i,
  /contains(?: at least)? (?<tokens>[\d,]+) input tokens/i,
  /resulted in (?<tokens>[\d,]+) tokens/i,
  /requested (?:about |a total of )?(?<tokens>[\d,]+) tokens/i,
  /(?:prompt|input) length(?: of)? \(?(?<tokens>[\d,]+)(?: tokens)?\)? exceeds/i,
];

/** The smallest thinking budget that Anthropic accepts. */
const fewest = 1_024

/**
 * The fields to look for. Inside a text, such as a file's content, their quotes would be escaped by
 * backslashes.
 */
const fields = ['"budget_tokens":', '"thinkingBudget":']

/**
 * `fetch` that keeps the thinking budget within the requested reply: the SDK adds Anthropic's
 * budget on top, and Google's may fill the whole reply. At most half of a reply is thinking.
 */
export function withThinkingInside(fetch: typeof globalThis.fetch, replyTokens: number): typeof globalThis.fetch {
  return (url, init) => {
    const body = init?.body
    if (typeof body !== 'string' || !fields.some((field) => body.includes(field))) return fetch(url, init)
    return fetch(url, { ...init, body: JSON.stringify(bounded(JSON.parse(body), replyTokens)) })
  }
}

/** The fields of Anthropic's and Google's requests that set the thinking budget. */
interface Body {
  readonly thinking?: { readonly budget_tokens?: number }
  readonly max_tokens?: number
  readonly generationConfig?: { readonly thinkingConfig?: { readonly thinkingBudget?: number } }
}

function bounded(body: Body, replyTokens: number): Body {
  const { thinking, generationConfig: config, ...others } = body
  const budget = thinking?.budget_tokens
  if (budget !== undefined) {
    // A model's own limit may be lower than the requested one.
    const max_tokens = Math.min(replyTokens, body.max_tokens ?? replyTokens)
    const budget_tokens = Math.min(budget, Math.floor(max_tokens / 2))
    return { ...others, max_tokens, ...(budget_tokens >= fewest && { thinking: { ...thinking, budget_tokens } }) }
  }
  const ofGoogle = config?.thinkingConfig?.thinkingBudget
  if (ofGoogle === undefined) return body
  const thinkingBudget = Math.min(ofGoogle, Math.floor(replyTokens / 2))
  return { ...body, generationConfig: { ...config, thinkingConfig: { ...config?.thinkingConfig, thinkingBudget } } }
}

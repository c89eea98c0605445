/** The fewest tokens of thinking that Anthropic takes. */
const fewest = 1_024

/** Inside a text, such as a file that was read, the quotes have backslashes. */
const fields = ['"budget_tokens":', '"thinkingBudget":']

/**
 * `fetch` that keeps a budget of thinking inside the reply that was asked for: the SDK adds
 * Anthropic's on top, and Google's may fill the whole reply. At most half of a reply is thinking.
 */
export function withThinkingInside(fetch: typeof globalThis.fetch, replyTokens: number): typeof globalThis.fetch {
  return (url, init) => {
    const body = init?.body
    if (typeof body !== 'string' || !fields.some((field) => body.includes(field))) return fetch(url, init)
    return fetch(url, { ...init, body: JSON.stringify(bounded(JSON.parse(body), replyTokens)) })
  }
}

/** The fields of a request of Anthropic's and of Google's that say how much is thought. */
interface Body {
  readonly thinking?: { readonly budget_tokens?: number }
  readonly max_tokens?: number
  readonly generationConfig?: { readonly thinkingConfig?: { readonly thinkingBudget?: number } }
}

function bounded(body: Body, replyTokens: number): Body {
  const { thinking, generationConfig: config, ...others } = body
  const budget = thinking?.budget_tokens
  if (budget !== undefined) {
    // A model may write less than was asked for.
    const max_tokens = Math.min(replyTokens, body.max_tokens ?? replyTokens)
    const budget_tokens = Math.min(budget, Math.floor(max_tokens / 2))
    return { ...others, max_tokens, ...(budget_tokens >= fewest && { thinking: { ...thinking, budget_tokens } }) }
  }
  const ofGoogle = config?.thinkingConfig?.thinkingBudget
  if (ofGoogle === undefined) return body
  const thinkingBudget = Math.min(ofGoogle, Math.floor(replyTokens / 2))
  return { ...body, generationConfig: { ...config, thinkingConfig: { ...config?.thinkingConfig, thinkingBudget } } }
}

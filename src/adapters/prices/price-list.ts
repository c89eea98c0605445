import type { Usage } from '../../domain/message.ts'
import type { Prices } from '../../ports/prices.ts'

/** Dollars for a million tokens. Without a price of its own, what is read from or written to a cache costs as input. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cache_read?: number
  readonly cache_write?: number
}

/** Names that the list knows under the same name. */
const listed: ReadonlySet<string> = new Set(['anthropic', 'openai', 'google'])

/** They run on the user's own machine, or play what is there already. */
const free: ReadonlySet<string> = new Set(['ollama', 'replay'])

/** A list of public prices, loaded when first needed; the user's own, by model id, come first. */
export function createPrices(own: Readonly<Record<string, Price>>): Prices {
  return {
    async cost(model, usage) {
      const price = Object.hasOwn(own, model) ? own[model] : undefined
      if (price !== undefined) return Math.ceil(atPrice(price, usage))
      const [provider = '', name = ''] = /^([^:]*):(.*)$/s.exec(model)?.slice(1) ?? []
      if (free.has(provider)) return 0
      if (!listed.has(provider)) return null
      const { calcPrice } = await import('@pydantic/genai-prices')
      const found = calcPrice(
        {
          input_tokens: usage.input,
          output_tokens: usage.output,
          cache_read_tokens: usage.cacheRead,
          cache_write_tokens: usage.cacheWrite,
        },
        name,
        { providerId: provider },
      )
      return found ? Math.ceil(found.total_price * 1e6) : null
    },
  }
}

/** A dollar for a million tokens is a millionth of a dollar for one. */
function atPrice(price: Price, { input, output, cacheRead, cacheWrite }: Usage): number {
  const plain = input - cacheRead - cacheWrite
  const { cache_read: read = price.input, cache_write: write = price.input } = price
  return plain * price.input + cacheRead * read + cacheWrite * write + output * price.output
}

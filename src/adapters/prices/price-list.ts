import type { MatchLogic, ModelInfo } from '@pydantic/genai-prices'
import type { Usage } from '../../domain/lane/message.ts'
import type { Prices } from '../../ports/prices.ts'

/**
 * Dollars for a million tokens. Without a price of its own, what is read from or written to a cache
 * costs as input.
 */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cache_read?: number
  readonly cache_write?: number
}

/** Names that the list knows under the same name. */
const listed: ReadonlySet<string> = new Set(['anthropic', 'openai', 'google'])

/** Servers of the user's own, or what plays what is there already. */
const free: ReadonlySet<string> = new Set(['ollama', 'lmstudio', 'llamacpp', 'vllm', 'replay'])

/**
 * A list of public prices, loaded when first needed; the user's own, by `provider:model`, come
 * first.
 */
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
      return found && isNamed(found.model, name) ? Math.ceil(found.total_price * 1e6) : null
    },
  }
}

/** What providers add to the name of a model: a date, a number of three digits, or `latest`. */
const versions = /(?:-latest|[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-\d{2}-(?:\d{2}|\d{4})|-\d{3})$/

/**
 * The list also takes any name that begins or goes on like one that it has. Such a name may be of
 * another model, with another price.
 */
function isNamed({ id, match }: ModelInfo, name: string): boolean {
  const known = [id, ...namesOf(match)]
  const bare = known.map((each) => each.replace(versions, ''))
  return known.includes(name) || bare.includes(name) || bare.includes(name.replace(versions, ''))
}

function namesOf(match: MatchLogic): readonly string[] {
  if ('or' in match) return match.or.flatMap(namesOf)
  if ('and' in match) return match.and.flatMap(namesOf)
  return 'regex' in match ? [] : Object.values(match)
}

/** A dollar for a million tokens is a millionth of a dollar for one. */
function atPrice(price: Price, { input, output, cacheRead, cacheWrite }: Usage): number {
  const plain = input - cacheRead - cacheWrite
  const { cache_read: read = price.input, cache_write: write = price.input } = price
  return plain * price.input + cacheRead * read + cacheWrite * write + output * price.output
}

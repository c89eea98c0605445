import type { findProvider, MatchLogic, ModelInfo } from '@pydantic/genai-prices'
import type { Usage } from '../../domain/lane/message.ts'
import { isHosted, isLocal, replayProvider } from '../../domain/providers.ts'
import type { Prices } from '../../ports/prices.ts'
import { type ListMemory, rememberListed } from './list-memory.ts'

/**
 * Dollars per million tokens. Tokens read from or written to a cache cost as much as input, unless
 * they have their own price.
 */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cache_read?: number
  readonly cache_write?: number
}

/**
 * Prices of models: the user's own by `provider:model`, and a public list, which is loaded when it
 * is first needed. Since loading it takes long, `memory` caches which models are in it.
 */
export function createPrices(own: Readonly<Record<string, Price>>, memory?: ListMemory): Prices {
  // The list's entry for each requested model, since a search takes half a millisecond.
  const listed = new Map<string, Provider | null>()

  async function priced(provider: string, name: string): Promise<Provider | null> {
    const id = `${provider}:${name}`
    const known = listed.get(id)
    if (known !== undefined) return known
    const found = await listedPrice(provider, name)
    listed.set(id, found)
    return found
  }

  const isListed = rememberListed(memory, async (model) => {
    const [provider, name] = partsOf(model)
    return (await priced(provider, name)) !== null
  })

  return {
    async knows(model) {
      const [provider] = partsOf(model)
      if (Object.hasOwn(own, model) || isLocal(provider) || provider === replayProvider) return true
      return isHosted(provider) && isListed(model)
    },
    async cost(model, usage) {
      const ownPrice = Object.hasOwn(own, model) ? own[model] : undefined
      if (ownPrice !== undefined) return Math.ceil(atPrice(ownPrice, usage))
      const [provider, name] = partsOf(model)
      if (isLocal(provider) || provider === replayProvider) return 0
      if (!isHosted(provider) || !(await isListed(model))) return null
      const found = await priced(provider, name)
      if (found === null) return null
      const { calcPrice } = await library()
      const price = calcPrice(
        {
          input_tokens: usage.input,
          output_tokens: usage.output,
          cache_read_tokens: usage.cacheRead,
          cache_write_tokens: usage.cacheWrite,
        },
        name,
        { provider: found },
      )
      return price && Math.ceil(price.total_price * 1e6)
    },
  }
}

function partsOf(model: string): readonly [provider: string, name: string] {
  const [provider = '', name = ''] = /^([^:]*):(.*)$/s.exec(model)?.slice(1) ?? []
  return [provider, name]
}

type Provider = NonNullable<ReturnType<typeof findProvider>>

let loaded: Promise<typeof import('@pydantic/genai-prices')> | undefined

/** Returns the library, which is loaded on first use. */
function library(): NonNullable<typeof loaded> {
  loaded ??= import('@pydantic/genai-prices')
  return loaded
}

/** The provider with only that model; null if it is not in the list. */
async function listedPrice(provider: string, name: string): Promise<Provider | null> {
  const { calcPrice } = await library()
  const found = calcPrice({}, name, { providerId: provider })
  return found && isNamed(found.model, name) ? { ...found.provider, models: [found.model] } : null
}

/** Suffixes that providers add to a model's name: a date, a number of three digits, or `latest`. */
const versions = /(?:-latest|[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-\d{2}-(?:\d{2}|\d{4})|-\d{3})$/

/**
 * The list also matches names that merely begin or end like a listed one. Such a name may belong to
 * another model with another price.
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

/** A dollar per million tokens is a millionth of a dollar per token. */
function atPrice(price: Price, { input, output, cacheRead, cacheWrite }: Usage): number {
  const plain = input - cacheRead - cacheWrite
  const { cache_read: read = price.input, cache_write: write = price.input } = price
  return plain * price.input + cacheRead * read + cacheWrite * write + output * price.output
}

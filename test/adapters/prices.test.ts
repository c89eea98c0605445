import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createPrices } from '../../src/adapters/prices/price-list.ts'

const million = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 }
const usd = async (model: string, usage: Partial<typeof million>, own = {}) => {
  const cost = await createPrices(own).cost(model, { ...million, input: 0, ...usage })
  return cost === null ? null : cost / 1e6
}

describe('the list of public prices', () => {
  const sonnet = 'anthropic:claude-sonnet-4-5'

  test.each([
    [{ input: 100_000 }, 0.3],
    [{ output: 100_000 }, 1.5],
    [{ input: 100_000, cacheRead: 100_000 }, 0.03],
    [{ input: 100_000, cacheWrite: 100_000 }, 0.375],
    [{ input: 100_000, cacheRead: 60_000, cacheWrite: 30_000, output: 1_000 }, 0.03 + 0.018 + 0.1125 + 0.015],
  ])('prices %o apart', async (usage, expected) => {
    expect(await usd(sonnet, usage)).toBeCloseTo(expected, 5)
  })

  test.each(['openai:gpt-5', 'google:gemini-2.5-pro'])('knows %s', async (model) => {
    expect(await usd(model, { input: 10_000, output: 1_000 })).toBeGreaterThan(0)
  })

  test.each([
    'anthropic:claude-sonnet-4-5-20250929',
    'anthropic:claude-sonnet-4-5-latest',
    'openai:gpt-5-2025-08-07',
    'google:gemini-2.0-flash-001',
  ])('knows a version of a model that it has: %s', async (model) => {
    expect(await usd(model, { input: 10_000, output: 1_000 })).toBeGreaterThan(0)
  })

  test.each([
    'anthropic:claude-sonnet-5-99-foo',
    'anthropic:claude-opus-4-5-fast',
    'google:my-gemini-1.5-pro-tuned',
    'openai:gpt-5-nano-of-mine',
  ])('does not confuse %s with a model of a similar name', async (model) => {
    expect(await usd(model, { input: 10_000 })).toBeNull()
  })

  test.each(['anthropic:no-such-model', 'openai:ft:gpt-x:me', 'wire:claude-sonnet-4-5', 'anthropic', 'toString:x'])(
    'does not know %s, and says so',
    async (model) => {
      expect(await usd(model, { input: 10_000 })).toBeNull()
      expect(await usd(model, {})).toBeNull()
    },
  )
})

test.each(['ollama:qwen3', 'lmstudio:a', 'llamacpp:a', 'vllm:a', 'replay:/tmp/demo.json'])(
  '%s costs nothing',
  async (model) => {
    expect(await usd(model, { input: 10_000, output: 10_000 })).toBe(0)
  },
)

test("the user's own prices come first, and without a price of its own a cache costs as much as input", async () => {
  const usage = { input: 1_000_000, cacheRead: 500_000, cacheWrite: 100_000, output: 100_000 }
  const own = {
    'ollama:big': { input: 1, output: 2 },
    'anthropic:claude-sonnet-4-5': { input: 1, output: 2, cache_read: 0.1, cache_write: 4 },
  }
  expect(await usd('ollama:big', usage, own)).toBeCloseTo(1.2)
  expect(await usd('anthropic:claude-sonnet-4-5', usage, own)).toBeCloseTo(0.4 + 0.05 + 0.4 + 0.2)
})

test('a part of a millionth of a dollar is a whole one', async () => {
  expect(await createPrices({ 'a:b': { input: 0.1, output: 0 } }).cost('a:b', { ...million, input: 1 })).toBe(1)
})

describe('which models the list has', () => {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
  })
  const fresh = () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-prices-'))
    folders.push(folder)
    return join(folder, 'cache', 'listed-prices')
  }
  const sonnet = 'anthropic:claude-sonnet-4-5'

  test('is remembered for the next process, until the list is another one', async () => {
    const file = fresh()
    const knows = (model: string, edition = '1') => createPrices({}, { file, edition }).knows(model)
    expect([await knows(sonnet), await knows('anthropic:nobody')]).toEqual([true, false])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      edition: '1',
      models: { [sonnet]: true, 'anthropic:nobody': false },
    })
    writeFileSync(file, JSON.stringify({ edition: '1', models: { [sonnet]: false } }))
    expect([await knows(sonnet), await knows(sonnet, '2')]).toEqual([false, true])
  })

  test.each(['', '{', '[]', '{"edition":"1"}', '{"edition":"1","models":{"a":1}}'])(
    'is looked up where the memory holds %j',
    async (text) => {
      const file = fresh()
      mkdirSync(dirname(file))
      writeFileSync(file, text)
      expect(await createPrices({}, { file, edition: '1' }).knows(sonnet)).toBe(true)
    },
  )

  test('needs no memory, and none for what the user prices or what is free', async () => {
    const file = fresh()
    const prices = createPrices({ 'mine:x': { input: 1, output: 1 } }, { file, edition: '1' })
    const asked = ['mine:x', 'ollama:x', 'replay:x.json', 'mine:y', 'nobody:x']
    expect(await Promise.all(asked.map((model) => prices.knows(model)))).toEqual([true, true, true, false, false])
    expect(existsSync(file)).toBe(false)
    mkdirSync(dirname(file))
    writeFileSync(file, '')
    const blocked = { file: join(file, 'is no folder'), edition: '1' }
    expect(await createPrices({}, blocked).knows(sonnet)).toBe(true)
  })
})

import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { repositoryJsonSchema, userOnlyKeys } from '../../src/config/schema.ts'

test('config.schema.json is current; `npm run config-schema` makes it', async () => {
  const shipped = await readFile(new URL('../../config.schema.json', import.meta.url), 'utf8')
  expect(JSON.parse(shipped)).toEqual(repositoryJsonSchema())
})

test('models, their context, timeouts and prices, hooks, instructions, providers, trusted keys, repositories, sandbox and target are the user’s alone', () => {
  expect([...userOnlyKeys].sort()).toEqual([
    'context',
    'instructions',
    'model_timeouts',
    'models',
    'notify',
    'prices',
    'providers',
    'receipts',
    'repositories',
    'sandbox',
    'target',
  ])
})

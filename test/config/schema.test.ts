import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { repositoryJsonSchema, userJsonSchema } from '../../src/config/json-schema.ts'
import { userOnlyKeys } from '../../src/config/schema.ts'

test.each([
  ['config.schema.json', repositoryJsonSchema()],
  ['user-config.schema.json', userJsonSchema()],
])('%s is current; `npm run config-schema` makes it', async (file, schema) => {
  const shipped = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  expect(JSON.parse(shipped)).toEqual(schema)
})

test('agents, editors, commits, the dashboard, models, their fallback, context, timeouts and prices, forges, the hub, hubs, hooks, instructions, MCP servers, waiting, providers, trusted keys, repositories, sandbox, slots, state, target and telemetry are the user’s alone', () => {
  expect([...userOnlyKeys].sort()).toEqual([
    'acp',
    'agents',
    'commit',
    'context',
    'dashboard',
    'forges',
    'hub',
    'hubs',
    'instructions',
    'max_wait',
    'mcp',
    'model_fallback',
    'model_timeouts',
    'models',
    'notify',
    'prices',
    'providers',
    'receipts',
    'repositories',
    'sandbox',
    'slots',
    'state',
    'target',
    'telemetry',
  ])
})

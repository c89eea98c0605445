import { expect, test } from 'vitest'
import { hubClients } from '../../src/compose.ts'
import { recordQueries } from '../../src/domain/hub/record-queries.ts'
import type { Records } from '../../src/ports/store.ts'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { queriesToAsk } from '../scenarios/world/paths-to-read.ts'
import { ask } from '../server/browser.ts'
import { createHubAndClone } from './hub-and-clone.ts'

test('every row that a client reads is the row of the state, and no odd question is more than refused', async () => {
  const world = await createHubAndClone((at) => at.replay(greenLanes))
  await world.client('task', 'say new')
  const { DRYDOCK_HUB_TOKEN: token = '' } = world.env
  const there = (await hubClients(world.env))({ url: world.url, token }).openRecords()
  const here = (await world.fixture.open()).openRecords()
  const run = (await here.machines({ kind: 'run' })).at(-1)?.id ?? ''
  const lanes = (await here.machines({ kind: 'lane', run })).map(({ id }) => id)
  const verifications = (await here.verifications(run)).map(({ runId }) => ({ run_id: runId }))
  const queries = queriesToAsk({ run, lanes, verifications, message: '1' }) as { query: string; args: unknown[] }[]
  expect(new Set(queries.map(({ query }) => query))).toEqual(new Set(recordQueries))
  type Ask = (...args: unknown[]) => Promise<unknown>
  const from = async (records: Records, { query, args }: (typeof queries)[number]) => {
    const dates = args.map((arg) => (typeof arg === 'object' && arg && 'from' in arg ? withDates(arg) : arg))
    return [query, await (records[query as 'machine'] as Ask)(...dates)]
  }
  const answers = await Promise.all(queries.map((each) => from(there, each)))
  for (const [i, each] of queries.entries()) expect(answers[i]).toEqual(await from(here, each))
  await here.close()

  const send = (query: unknown, args: unknown) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    return ask(world.port, '/api/records', {
      method: 'POST',
      headers,
      body: JSON.stringify({ queries: [{ query, args }] }),
    })
  }
  for (const query of [
    'hubTokens',
    'hubToken',
    'hubSession',
    'commandAt',
    'close',
    'transact',
    '__proto__',
    'constructor',
  ])
    expect([query, (await send(query, ['x'])).status]).toEqual([query, 400])
  const odd = [
    null,
    {},
    [],
    ['\0'],
    ["'; drop table machines; --"],
    -1,
    1e300,
    { kind: { '>': '' } },
    { run: ['a'] },
    true,
  ]
  for (const query of recordQueries)
    for (const arg of odd)
      expect([200, 400], `${query} ${JSON.stringify(arg)}`).toContain((await send(query, [arg])).status)
  expect((await send('machine', ['a', 'b'])).status).toBe(400)
  expect((await world.client('status')).exitCode).toBe(0)
})

function withDates(span: object): object {
  const { from, to, points } = span as { from: string; to: string; points: number }
  return { from: new Date(from), to: new Date(to), points }
}

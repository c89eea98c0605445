import { expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { ask, dialectNames, wireModel } from '../../wire/wire-models.ts'
import { startWireServer } from '../../wire/wire-server.ts'

const said = { text: 'Half of' }

/** True if a failed call is known to have cost nothing. */
async function isFree(name: (typeof dialectNames)[number], turn: WireTurn): Promise<boolean> {
  const server = await startWireServer([turn])
  try {
    // Only a server that hangs uses the whole timeout.
    const firstByteMs = turn.fault === 'hang' ? 200 : 60_000
    const reply = await ask(wireModel(name, server.origin, { firstByteMs }))
    if (reply.stop !== 'error') throw new Error('it did not fail')
    return reply.error.free ?? false
  } finally {
    await server.close()
  }
}

test.each(dialectNames)('%s: a call that is refused costs nothing', async (name) => {
  for (const kind of ['rate_limited', 'overloaded', 'auth', 'unknown_model', 'no_access', 'context_overflow'] as const)
    expect([kind, await isFree(name, { error: { kind } })]).toEqual([kind, true])
})

test.each(dialectNames)(
  '%s: a call that failed when its answer had begun, or of which nobody knows, may have cost something',
  async (name) => {
    for (const fault of ['hang', 'reset', 'broken', 'no_end', 'error_event'] as const)
      expect([fault, await isFree(name, { ...said, fault })]).toEqual([fault, false])
    expect(await isFree(name, { refusal: { status: 504, body: 'upstream took too long' } })).toBe(false)
  },
)

test.each(dialectNames)('%s: a call that reached nobody costs nothing', async (name) => {
  const server = await startWireServer([])
  await server.close()
  expect(await ask(wireModel(name, server.origin))).toMatchObject({ stop: 'error', error: { free: true } })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { malformedReplies } from '../wire/malformed/malformed-replies.ts'
import type { Comes, MalformedReply } from '../wire/malformed/malformed-reply.ts'
import { refusalsOf } from '../wire/request-rules.ts'
import type { Dialect, WireTurn } from '../wire/turn.ts'
import { dialectNames, wireModel } from '../wire/wire-models.ts'
import { startWireServer, type WireRequest } from '../wire/wire-server.ts'
import { openWorkshop, type Workshop } from './wire-lane.ts'

const good: WireTurn = { calls: [{ tool: 'submit_change', input: { summary: 'done' } }] }

/** One for each format, so that the formats run in parallel. */
let workshops: ReadonlyMap<string, Workshop>
beforeAll(async () => {
  workshops = new Map(await Promise.all(dialectNames.map(async (name) => [name, await openWorkshop()] as const)))
})
afterAll(() => Promise.all([...workshops.values()].map((workshop) => workshop.close())))

/**
 * A lane whose model gives these replies; every request is checked against the rules of its
 * provider.
 */
async function laneWith(dialect: Dialect['name'], turns: (request: WireRequest, number: number) => WireTurn) {
  const wire = await startWireServer((request, number) => {
    const refusals = refusalsOf(dialect, request.body)
    return refusals.length === 0 ? turns(request, number) : { refusal: { status: 400, body: refusals.join('; ') } }
  })
  try {
    const workshop = workshops.get(dialect)
    if (workshop === undefined) throw new Error(`there is no workshop for ${dialect}`)
    return { ...(await workshop.run(wireModel(dialect, wire.origin))), requests: wire.requests }
  } finally {
    await wire.close()
  }
}

function turnOf({ turn }: MalformedReply, dialect: Dialect['name']): WireTurn | null {
  return typeof turn === 'function' ? turn(dialect) : turn
}

/** The lane's outcome, in the words of the corpus. */
async function comesTo(each: MalformedReply, dialect: Dialect['name']): Promise<object | string | null> {
  const turn = turnOf(each, dialect)
  if (turn === null) return null
  const { end, made, messages, file, requests } = await laneWith(dialect, (_, number) => (number === 1 ? turn : good))
  const [first, second] = requests
  if (end.type === 'model_failed' && requests.length === 1) return { ended: end.error.message }
  const submitted = end.type === 'call' && end.call.tool === 'submit_change' && requests.length === 2
  if (!submitted || !first || !second) return { end, requests: requests.length }
  if (first.raw === second.raw) return 'again'
  const [call] = made
  if (call?.ok === true) return { ran: call.tool, output: call.output, file }
  const told = messages.flatMap((message, i) => {
    if (message.role === 'tool') return message.results.map(({ output }) => output)
    return message.role === 'user' && i > 0 ? [message.text] : []
  })
  return { told: told.join('\n'), isSent: told.every((text) => second.raw.includes(beginningOf(text))) }
}

/** The start of a text that every request contains in the same letters. */
function beginningOf(text: string): string {
  return /^[^"\\\p{Cc}]*/u.exec(text)?.[0] ?? ''
}

function expected(comes: Comes): unknown {
  if (comes === 'again') return comes
  if ('ended' in comes) return { ended: expect.stringContaining(comes.ended) }
  if ('told' in comes) return { told: expect.stringContaining(comes.told), isSent: true }
  return {
    ran: comes.ran,
    output: comes.output === undefined ? expect.any(String) : expect.stringContaining(comes.output),
    file: comes.file ?? 'one\ntwo\n',
  }
}

test.each(malformedReplies)('$name', async (each) => {
  const found = Object.fromEntries(
    await Promise.all(dialectNames.map(async (dialect) => [dialect, await comesTo(each, dialect)] as const)),
  )
  const wanted = dialectNames.map((dialect) => {
    const comes = typeof each.comes === 'function' ? each.comes(dialect) : each.comes
    return [dialect, turnOf(each, dialect) === null ? null : expected(comes)] as const
  })
  expect(found).toEqual(Object.fromEntries(wanted))
})

/** A lane that fails repeatedly waits for its provider instead: `models-gate.test.ts`. */
const answeredKinds = malformedReplies.filter(
  ({ comes, turn }) => typeof comes === 'object' && !('ended' in comes) && typeof turn === 'object' && !turn.sent,
)

test.each(
  answeredKinds.map((each, i) => [each.name, dialectNames[i % dialectNames.length] ?? 'openai', each] as const),
)('%s, over and over, ends the lane of a model of %s', async (_, dialect, { turn }) => {
  const { end, requests } = await laneWith(dialect, () => turn as WireTurn)
  // Cut replies lead to a question to a human.
  const isCut = (turn as WireTurn).stop === 'length'
  expect(end).toMatchObject(isCut ? { error: { kind: 'reply_truncated' } } : { type: 'stopped' })
  expect(requests.length).toBeLessThanOrEqual(limits.codingIterations)
})

import { describe, expect, test } from 'vitest'
import { conversationOf } from '../../src/agents/conversation.ts'
import type { LaneDependencies, LaneStep } from '../../src/agents/lane.ts'
import { advanceLane } from '../../src/agents/tool-loop.ts'
import type { AgentRole, Lane } from '../../src/domain/lane/lane.ts'
import type { Message } from '../../src/domain/lane/message.ts'
import { softAndHard } from '../../src/domain/lane/next-request.ts'
import { nextState } from '../../src/domain/machines.ts'
import type { ModelReply, ModelRequest } from '../../src/ports/model.ts'
import { asking, laneOf, says } from './asking.ts'

const never = new AbortController().signal

describe.each([
  ['architect_scoping', 'submit_reply', { response: 'Found.' }],
  ['architect_stories', 'submit_stories', { stories: [] }],
  ['architect_review', 'submit_reply', { response: 'Fine.', verdict: 'APPROVED' }],
] as const)('a lane of %s that reads on and on', (role, terminal, input) => {
  test('is warned from its eighth request on, may only hand in from the twelfth, and ends before the sixteenth', async () => {
    const { asked, step, results } = await readOn(role)
    expect(asked.map(lastWarning)).toEqual([
      ...Array(7).fill(null),
      ...Array(4).fill(`Finish now and call \`${terminal}\` with what you have.`),
      ...Array(4).fill(`Every call except \`${terminal}\` is now refused.`),
    ])
    expect(results).toEqual([
      ...Array(11).fill({ ok: true, output: '(nothing)' }),
      ...Array(4).fill({ ok: false, output: `You have reached the limit. Only \`${terminal}\` is accepted now.` }),
    ])
    expect(step).toMatchObject({
      event: 'stopped',
      data: { iterations: 15 },
      request: { type: 'stopped', stop: 'iteration_limit' },
    })
  })

  test('can still hand in with its fifteenth', async () => {
    const calls = [{ id: '1', tool: terminal, input }]
    const limits = softAndHard({ soft: 8, hard: 16 })
    const lane: Lane = { ...laneOf({ role, limits, turn: 15, iterations: 15, calls }), state: 'ACTING' }
    const step = await advanceLane(lane, asking(says('')), never)
    expect(step).toMatchObject({ event: 'handed_over', request: { type: 'call', call: { tool: terminal } } })
  })
})

/**
 * Continues a lane whose model only reads, until the lane ends. The calls differ, since repeated
 * ones would stop it earlier.
 */
async function readOn(role: AgentRole) {
  const reads = (turn: number): ModelReply => ({
    stop: 'calls',
    text: '',
    raw: null,
    usage: null,
    calls: [{ id: `${turn}`, tool: 'list_files', input: { pattern: `*.${turn}` } }],
  })
  const nothing = async () => ({ ok: true, output: '(nothing)' })
  const asked: ModelRequest[] = []
  const messages: Message[] = [{ role: 'user', text: 'Look.' }]
  const deps: LaneDependencies = {
    ...asking(says('')),
    model: {
      id: 'scripted',
      async reply(request) {
        asked.push({ ...request, messages: [...request.messages] })
        return reads(request.turn)
      },
    },
    readContext: async (signal) => ({
      files: async () => ({ ok: false, outcome: await nothing() }),
      signal,
      diff: nothing,
      artifact: nothing,
      output: nothing,
      messages: nothing,
    }),
  }
  let lane = laneOf({ role, limits: softAndHard({ soft: 8, hard: 16 }) })
  let step: LaneStep
  do {
    step = await advanceLane(lane, { ...deps, conversation: conversationOf(lane.data, messages) }, never)
    messages.push(...step.messages)
    lane = { ...lane, state: nextState(lane, step.event) ?? lane.state, data: step.data }
  } while (lane.state !== 'ENDED')
  const results = messages.flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ ok, output }) => ({ ok, output })) : [],
  )
  return { asked, step, results }
}

/** The rule of the warning at the end of a request; null without a warning. */
function lastWarning({ messages }: ModelRequest): string | null {
  const last = messages.at(-1)
  if (last?.role !== 'user' || !last.text.startsWith('<iteration_limit>')) return null
  return /(Finish now|Every call)[^.]*\./.exec(last.text)?.[0] ?? last.text
}

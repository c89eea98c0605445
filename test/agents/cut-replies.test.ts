import { expect, test } from 'vitest'
import { failCall } from '../../src/agents/fail-call.ts'
import { advanceLane } from '../../src/agents/tool-loop.ts'
import type { LaneData } from '../../src/domain/lane/lane.ts'
import type { ModelReply } from '../../src/ports/model.ts'
import { asking, laneOf, says } from './asking.ts'

const never = new AbortController().signal
const cut = says('Here is the whole file:', 'length')

/** The lane's message after each reply, or the kind of failure that a human learns of. */
async function told(replies: readonly ModelReply[]) {
  let data: LaneData = laneOf().data
  const heard: string[] = []
  for (const reply of replies) {
    const step = await advanceLane(laneOf(data), asking(reply), never)
    // The data as the store would return it.
    data = { ...data, ...step.data }
    const last = step.messages.at(-1)
    const isAsked = step.request?.type === 'model_failed'
    heard.push(isAsked ? `human: ${step.request.error.message}` : last?.role === 'user' ? last.text : '')
  }
  return heard
}

test('two replies that are cut in a row: it is told to split the work; after a third a human is asked', async () => {
  const [first, second, third, again] = await told([cut, cut, cut, cut])
  expect(first).toContain('Take a smaller step')
  expect(second).toMatch(/last 2 replies were cut off.*Split the work/)
  expect(third).toMatch(/human: 3 replies of scripted in a row were cut at their limit of \d+ tokens/)
  // After a resume the lane has as many tries again, since a person has changed something.
  expect(again).toContain('Take a smaller step')
})

test('a complete reply, with or without a call, restarts the count', async () => {
  const heard = await told([cut, cut, says('Done.'), cut, cut])
  expect(heard.filter((each) => each.startsWith('human'))).toEqual([])
})

test('a failed call in between does not hide that replies are cut', async () => {
  const step = await advanceLane(laneOf({ cutReplies: 2 }), asking(cut), never)
  const failed = await failCall(
    { ...laneOf().data, cutReplies: 2 },
    { kind: 'overloaded', message: 'busy', retryable: true, retryAfterMs: null },
    asking(cut).patience,
  )
  expect([step.request?.type, failed.data.cutReplies]).toEqual(['model_failed', 2])
})

test('the tokens of a reply whose provider counts none are estimated, and those of a recording are not', async () => {
  const deps = asking(says('x'.repeat(3_000)))
  const step = await advanceLane(laneOf(), deps, never)
  expect(step.modelCall).toMatchObject({ usage: { input: deps.conversation.tokens }, isEstimated: true })
  expect(step.modelCall?.usage?.output).toBeGreaterThan(900)
  expect(step.modelCall?.usage?.output).toBeLessThan(1_100)
  const model = { ...deps.model, script: { human: [], mergeOrder: null } }
  expect((await advanceLane(laneOf(), { ...deps, model }, never)).modelCall?.usage).toBeNull()
  const counted = { ...says('Hm.'), usage: { input: 7, output: 1, cacheRead: 0, cacheWrite: 0 } } as ModelReply
  const known = (await advanceLane(laneOf(), asking(counted), never)).modelCall
  expect([known?.usage?.input, known?.isEstimated]).toEqual([7, undefined])
})

import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import type { Lane, LaneData } from '../../src/domain/lane/lane.ts'
import { withRefusal } from '../../src/domain/lane/refusals.ts'
import { newRun, type Run, type RunRequest } from '../../src/domain/run/run.ts'
import type { ScoutQueryData } from '../../src/domain/scout/scout-query.ts'
import { newStory, type Story } from '../../src/domain/story/story.ts'
import type { Records } from '../../src/ports/store.ts'
import { acceptStories } from '../../src/workflow/architect/plan-spec.ts'
import type { WorkflowDependencies } from '../../src/workflow/dependencies.ts'
import type { Act, Decision } from '../../src/workflow/lane/decision.ts'
import { refuseCall } from '../../src/workflow/lane/refuse-call.ts'
import { withStandIn } from '../../src/workflow/lane/stand-in.ts'
import { askScout } from '../../src/workflow/scout/ask-scout.ts'
import { failScoutTry } from '../../src/workflow/scout/scout-query.ts'
import { laneOf } from '../agents/asking.ts'
import { createMemoryClock } from '../world/clock.ts'
import { createMemoryStore } from '../world/store.ts'

/** Maps a type to its plain data; a type with anything else becomes never. */
type Plain<T> = unknown extends T
  ? never
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends
          | ((...given: never[]) => unknown)
          | Date
          | RegExp
          | Error
          | Promise<unknown>
          | ReadonlyMap<never, unknown>
      ? never
      : T extends readonly (infer Each)[]
        ? readonly Plain<Each>[]
        : { readonly [Key in keyof T]: Plain<T[Key]> }

interface Prompting {
  readonly moves: readonly { readonly prompt: (speak: (text: string) => string) => string }[]
}

const request = { kind: 'spec', spec: { text: 'Make it.', source: 'text' }, asIs: false } as unknown as RunRequest
const signal = new AbortController().signal
const asked = { scout: 'codebase', question: 'Which clock?', story: 'dates', n: 1, attempt: 1 } as const

interface Crew {
  readonly deps: WorkflowDependencies
  readonly run: Run
  readonly story: Story
  readonly lane: (data: Partial<LaneData>) => Lane
}

/** A Run with one story and a scout's query of its editor; the store is read-only from here on. */
async function crew(query: Partial<ScoutQueryData> = {}): Promise<Crew> {
  const clock = createMemoryClock()
  const store = await createMemoryStore({ clock })
  onTestFinished(() => store.close())
  const task = { text: 'Parse dates.', constraints: [], non_goals: [], files: [] }
  const given = { target: null, configFile: null, models: null, budgetUsd: null, maxWaitSec: null }
  const run = { id: 'run', kind: 'run', run: 'run', story: null, state: 'MONITORING' } as const
  const story = { id: 'run/dates', kind: 'story', run: 'run', story: 'dates', state: 'PLANNING' } as const
  const ofStory = { name: 'dates', task, planned: null, dryRun: false, base: 'b'.repeat(40), slot: 'slot-1' }
  const [ofRun, data] = [newRun({ ...given, request }), { ...asked, problems: [], slot: 'slot-1', asker: 'run/editor' }]
  await store.transact(async (tx) => {
    await tx.insertMachine({ ...run, data: ofRun })
    await tx.insertMachine({ ...story, data: newStory(ofStory) })
    await tx.insertMachine({
      ...story,
      id: 'query',
      kind: 'scout_query',
      state: 'RUNNING',
      data: { ...data, ...query },
    })
  })
  const records: Records = store
  return {
    deps: { store: records, clock } as unknown as WorkflowDependencies,
    run: { ...run, version: 1, data: ofRun },
    story: { ...story, version: 1, data: newStory(ofStory) },
    lane: (more) => ({ ...laneOf(more), story: 'dates' }),
  }
}

/** The decision after a round trip through JSON, as a store or a connection would see it. */
function plainly(decision: Decision): Decision {
  const copy = JSON.parse(JSON.stringify(decision)) as Decision
  expect(structuredClone(decision)).toEqual(decision)
  expect(copy).toEqual(decision)
  return copy
}

test('an act has nothing but data, so no decision can hide what it does', () => {
  expectTypeOf<Act>().toExtend<Plain<Act>>()
  expectTypeOf<Prompting>().not.toExtend<Plain<Prompting>>()
  expectTypeOf<{ readonly next: 'rest' | Date }>().not.toExtend<Plain<{ readonly next: 'rest' | Date }>>()
  expectTypeOf<{ readonly cause: unknown }>().not.toExtend<Plain<{ readonly cause: unknown }>>()
})

test("a question to a scout counts in the story, and is a query that the editor's lane waits for", async () => {
  const { deps, run, story, lane } = await crew()
  const input = { scout: 'codebase', question: 'Which clock?' } as const
  const decision = await askScout(deps, { run, lane: lane({ role: 'editor_planning' }), input })
  const { queries } = story.data
  expect(plainly(decision)).toEqual([
    { type: 'edit_story', story, data: { queries: { ...queries, codebase: 1 } } },
    {
      type: 'open_query',
      run: 'run',
      story: 'dates',
      data: { ...asked, problems: [], slot: 'slot-1', asker: 'run/lane' },
    },
  ])
})

test.each([
  [1, 'is tried again after a pause', ['end_lane', 'move_query'], { event: 'try_failed', pauseMs: expect.any(Number) }],
  [3, 'is answered without a report', ['end_lane', 'move_query', 'answer_lane'], { event: 'failed' }],
])('the end of try %i of a scout: its question %s', async (attempt, _, types, moved) => {
  const { deps, run, lane } = await crew({ attempt })
  const failed = { run, lane: lane({}), problem: 'it talked', wasHeard: true }
  const decision = plainly(await failScoutTry(deps, failed, signal))
  expect(decision.map(({ type }) => type)).toEqual(types)
  expect(decision[1]).toMatchObject(moved)
})

test('a call that is refused too often ends the lane, and a human is asked what it was refused for', async () => {
  const { deps, run, lane } = await crew()
  const calls = [{ id: 'c1', tool: 'submit_stories', input: {} }]
  const output = 'These stories cannot be built.'
  const waiting = (refusals: LaneData['refusals'] = {}) =>
    lane({ key: 'architect/STORY_GENERATION', role: 'architect_stories', parent: 'run', calls, refusals })
  const refuse = (refused: Lane) => refuseCall(deps, { run, lane: refused, output }, signal)
  const answer = { lane: 'run/lane', output, ok: false, isRefusal: true }
  expect(plainly(await refuse(waiting()))).toEqual([{ type: 'answer_lane', answer }])

  const about = { tool: 'submit_stories', reason: output }
  const often = withRefusal({ refusals: withRefusal({}, about) }, about)
  expect(plainly(await refuse(waiting(often)))).toEqual([
    { type: 'answer_lane', answer: { ...answer, hold: true } },
    { type: 'stop_lane', lane: 'run/lane' },
    {
      type: 'escalate_run',
      run: 'run',
      question: expect.objectContaining({ evidence: expect.stringContaining(output) }),
    },
  ])
})

test('a set of stories is refused, listed, shown to a human, or built', async () => {
  const { run, lane } = await crew()
  const dates = { id: 'dates', title: 'Parse dates', content: '', acceptance_criteria: ['09:30 is parsed'] }
  const stories = [{ ...dates, depends_on: [], files_hint: [] }]
  const taken = (spec: object, given: typeof stories) => {
    const asked = { ...run, data: { ...run.data, request: { ...request, ...spec } } } as Run
    return plainly(acceptStories({ run: asked, lane: lane({}), input: { stories: given } }))
  }
  expect(taken({}, [])).toEqual([
    { type: 'refuse_stories', run: 'run', lane: 'run/lane', problems: ['there are no stories'] },
  ])
  const ended = { type: 'end_lane', lane: 'run/lane' }
  const listed = { type: 'end_run', run: 'run', event: 'stories_listed', data: { stories, answer: stories } }
  expect(taken({ planOnly: true }, stories)).toEqual([ended, listed])
  expect(taken({ reviewStories: true }, stories)).toEqual([{ type: 'show_stories', run: 'run', stories }])
  expect(taken({}, stories)).toEqual([ended, { type: 'start_stories', run: 'run', stories }])
})

test('a model whose quota is used up is noted as out, and its stand-in is told', async () => {
  const { run, lane } = await crew()
  const models = { architect: null, editor: 'a:b', scout: 'a:b', fallback: { scout: ['c:d'] } }
  const asking = lane({ model: 'a:b' })
  const step = { event: 'again', data: asking.data, messages: [], failure: { message: 'No credit.', exhausted: true } }
  const now = new Date('2031-01-01T00:00:00Z')
  const { note } = withStandIn(step as never, { lane: asking, run: { ...run, data: { ...run.data, models } }, now })
  const outage = { by: 'c:d', reason: 'No credit.' }
  const data = { lane: asking.data.key, from: 'a:b', to: 'c:d', reason: 'No credit.' }
  expect(plainly(note)).toEqual([
    { type: 'note_model', run: 'run', model: 'a:b', at: now.toISOString(), outage },
    { type: 'tell', event: { run: 'run', story: 'dates', type: 'model_replaced', data } },
  ])
})

import { execFile } from 'node:child_process'
import { writeFile as write } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openDrydock } from '../src/compose.ts'
import type { Event } from '../src/domain/event.ts'
import type { PlannedStory } from '../src/domain/story/planned-story.ts'
import { alwaysGreen, approve, storyPlan, submit, writeFile } from '../test/scenarios/world/crew.ts'
import { call, createFixture, type Fixture, type Turns } from '../test/scenarios/world/fixture.ts'
import type { GroupFigures } from './benchmarks.ts'
import { median } from './statistics.ts'

const owner = fileURLToPath(new URL('./crew-process.ts', import.meta.url))
const editors = 64
const rounds = 5
/** Turns that each of many editors takes before it hands in its change. */
const turns = 10

/**
 * Measures stories on a large repository one after the other, and many editors side by side; the
 * model is scripted and answers at once.
 */
export async function measureCrew(large: Fixture): Promise<GroupFigures> {
  const one = await measureStories(large)
  const many = await measureEditors()
  return { ...one, ...many }
}

/**
 * Measures a chain of stories: each starts when the previous one has landed, with a warm mirror.
 */
async function measureStories(fixture: Fixture): Promise<GroupFigures> {
  const ids = Array.from({ length: rounds }, (_, i) => `story-${i}`)
  const planned = ids.map((id, i) => story(id, i === 0 ? [] : [`story-${i - 1}`]))
  const { events, verifyingMs } = await build(fixture, { planned, coders: 1, lanes: ids.map((id) => lanesOf(id, 1)) })
  const warm = ids.slice(1)
  const overhead = warm.map((id) => spanOf(events, id) - (verifyingMs.get(id) ?? 0))
  const dispatch = warm.map((id) => {
    const asked = events.find(({ story: of, type }) => of === id && type === 'model_call')
    return Date.parse(asked?.at ?? '') - startOf(events, id)
  })
  return {
    'ready story to its first model call': median(dispatch),
    'a whole story over its verifications': median(overhead),
  }
}

async function measureEditors(): Promise<GroupFigures> {
  const fixture = await createFixture({ steps: [alwaysGreen] })
  try {
    const ids = Array.from({ length: editors }, (_, i) => `story-${i}`)
    const planned = ids.map((id) => story(id, []))
    const lanes = ids.map((id) => lanesOf(id, turns))
    const { events, felt } = await build(fixture, { planned, coders: editors, lanes })
    const spans = ids.map((id) => spanOf(events, id))
    return {
      '64 editors, slowest story': Math.max(...spans) / median(spans),
      '64 editors, memory': felt.peakMiB,
      '64 editors, event loop, p99': felt.loopP99Ms,
    }
  } finally {
    await fixture.remove()
  }
}

function story(id: string, depends_on: readonly string[]): PlannedStory {
  return {
    id,
    title: `Make ${id}`,
    content: 'Make it.',
    acceptance_criteria: ['it is there'],
    depends_on,
    files_hint: [],
  }
}

function lanesOf(id: string, reads: number): Readonly<Record<string, Turns>> {
  const looks = Array.from({ length: reads }, (_, i) =>
    call('read_file', { path: 'value.txt', offset: 1, limit: i + 1 }),
  )
  return {
    [`editor/${id}/PLANNING`]: [storyPlan(id)],
    [`architect/REQUEST/plan/${id}/1`]: [approve()],
    [`editor/${id}/CODING`]: [...looks, writeFile(`${id}.txt`, 'x\n'), submit(id)],
    [`architect/REQUEST/code/${id}/1`]: [call('get_diff', { coder_id: '${coder_id}' }), approve()],
  }
}

interface Building {
  readonly planned: readonly PlannedStory[]
  readonly coders: number
  readonly lanes: readonly Readonly<Record<string, Turns>>[]
}

interface Built {
  readonly events: readonly Event[]
  /** Milliseconds spent in verifications, by story. */
  readonly verifyingMs: ReadonlyMap<string, number>
  readonly felt: { readonly loopP99Ms: number; readonly peakMiB: number }
}

/** Builds the stories in a separate process, with a separate state. */
async function build(fixture: Fixture, { planned, coders, lanes }: Building): Promise<Built> {
  const env = { ...fixture.env, DRYDOCK_HOME: `${fixture.folder}/crew-${coders}` }
  const model = await fixture.replay(Object.assign({}, ...lanes))
  const drydock = await openDrydock({ directory: fixture.repo, env })
  const run = `crew-${coders}`
  const spec = { text: 'Make it', source: 'text' }
  const request = { kind: 'spec', spec, planOnly: false, reviewStories: false, stories: planned } as const
  const models = { architect: model, editor: model, scout: model }
  const configFile = `${fixture.folder}/crew.json`
  await write(configFile, JSON.stringify({ verification: { steps: [alwaysGreen] } }))
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile, models })
  const { stdout } = await promisify(execFile)(process.execPath, [owner, fixture.repo, run, String(coders)], { env })
  const records = drydock.openRecords()
  if (records === null) throw new Error('there is no state')
  const events = await records.events({ run, after: 0, limit: 1_000_000 })
  const verifyingMs = new Map<string, number>()
  for (const { story: of, manifest } of await records.verifications(run)) {
    if (manifest === null || of === null) throw new Error('a verification failed')
    const ms = Date.parse(manifest.timestamp_end) - Date.parse(manifest.timestamp_start)
    verifyingMs.set(of, (verifyingMs.get(of) ?? 0) + ms)
  }
  await records.close()
  return { events, verifyingMs, felt: JSON.parse(stdout.trim().split('\n').at(-1) ?? '') }
}

function startOf(events: readonly Event[], story: string): number {
  return momentOf(events, story, 'SETUP')
}

/** Milliseconds from the assignment of the slot to DONE. */
function spanOf(events: readonly Event[], story: string): number {
  return momentOf(events, story, 'DONE') - startOf(events, story)
}

function momentOf(events: readonly Event[], story: string, state: string): number {
  const event = events.find((each) => each.type === 'state' && each.story === story && each.data.to === state)
  if (!event) throw new Error(`${story} was never ${state}`)
  return Date.parse(event.at)
}

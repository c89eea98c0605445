import { expect } from 'vitest'
import type { StateReader } from '../../../src/ports/store.ts'
import { approve, createCrewFixture, greenStory, type Lanes, specLanes } from '../world/crew.ts'
import { call, type Fixture } from '../world/fixture.ts'
import { processesOf } from '../world/process.ts'
import { type Story, survivors } from './kill.ts'

const look = (pattern: string) => call('list_files', { pattern, coder_id: '${coder_id}' })

/** Two stories; the review of one reads up to its limit, and ends after a human's answer. */
const lanes: Lanes = {
  ...specLanes('one', 'two'),
  ...greenStory('one'),
  ...greenStory('two'),
  'architect/REQUEST/code/one/1': [look('*.txt'), look('*.md'), approve()],
}

const guidance = 'The file is all there is to it.'

/** A stored Run of a crew that has not started, with a recorded human. */
export async function storedCrew(coders: number, env: Readonly<Record<string, string>> = {}): Promise<Story> {
  return storeCrew(await createCrewFixture({ config: crewConfig, env }), coders)
}

/** Low limits, so that the crew soon asks its human. */
export const crewConfig = { architect: { request_soft_limit: 2, request_hard_limit: 3 } }

/** Stores the crew's Run in this repository. */
export async function storeCrew<Made extends Fixture>(fixture: Made, coders: number): Promise<Story<Made>> {
  const model = await fixture.replay(lanes, { human: [{ escalation: 1, reply: guidance }] })
  const drydock = await fixture.open()
  const spec = { text: 'Make the files', source: 'text' }
  const request = { kind: 'spec', spec, planOnly: false, reviewStories: false, stories: null } as const
  const run = 'make-the-files-000000'
  const models = { architect: model, editor: model, scout: model }
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
  return { fixture, run, coders }
}

/**
 * Everything that a crew's Run leaves, without parts that differ between runs: times, ids, and the
 * order of simultaneous work.
 */
export async function remainsOfCrew({ fixture, run }: Story) {
  const records = (await fixture.open()).openRecords()
  const machines = async (kind: 'run' | 'story' | 'lane' | 'request' | 'merge' | 'verification') =>
    (await records.machines({ kind, run })).map(({ id, story, state }) =>
      kind === 'merge' || kind === 'verification' ? `${kind} ${story} ${state}` : `${id} ${state}`,
    )
  const events = await records.events({ run, after: 0, limit: 10_000 })
  const kinds = ['run', 'story', 'lane', 'request', 'merge', 'verification'] as const
  const chat = await records.chat({ run })
  // PostgreSQL does not reuse an id that was lost with its transaction.
  const places = new Map(chat.map(({ id }, i) => [id, i + 1]))
  const placed = (text: string) =>
    text.replace(/"(id|reply_to|message)":"(\d+)"/g, (_, name, id) => `"${name}":"${places.get(id)}"`)
  const left = {
    machines: (await Promise.all(kinds.map(machines))).flat().sort(),
    events: events.map(({ type, story, data }) => placed(normalized({ type, story, data }))).sort(),
    conversations: await conversations(records, run),
    chat: chat.map(({ agent_id, post_type, reply_to, story, content }) =>
      normalized({ agent_id, post_type, story, answers: reply_to !== null, content }),
    ),
    totals: await records.totals(run),
    isIdle: await records.isIdle(run),
    commands: await records.pendingCommands(),
    branches: await fixture.git('branch', '--list', 'drydock/*'),
    user: [await fixture.git('status', '--porcelain'), await fixture.git('branch', '--show-current')],
  }
  await expectVerified({ fixture, run }, records)
  await records.close()
  return left
}

async function conversations(records: StateReader, run: string): Promise<Readonly<Record<string, unknown>>> {
  const lanes = await records.machines({ kind: 'lane', run })
  const said = await Promise.all(lanes.map(async ({ id }) => [id, normalized(await records.messages(id))] as const))
  return Object.fromEntries(said.sort(([a], [b]) => a.localeCompare(b)))
}

function normalized(value: unknown): string {
  return (
    JSON.stringify(value)
      .replace(/run_\d{8}_\d{6}_\w{6}/g, 'run_id')
      .replace(/\b[0-9a-f]{7,40}\b/g, 'sha')
      .replace(/coder-\d{3}/g, 'coder')
      .replace(/\bsnapshot \d+/gi, 'snapshot')
      .replace(/ in [\d.]+ s/g, '')
      // An edit that was interrupted after it happened reports that instead of happening twice.
      .replace(/Created \w+\.txt\.|Done \(before an interruption\)\./g, 'written')
  )
}

/** One commit for each story, in a straight line, each of them exactly the verified commit. */
async function expectVerified({ fixture, run }: Pick<Story, 'fixture' | 'run'>, records: StateReader): Promise<void> {
  const log = await fixture.git(
    'log',
    '--format=%H %P %(trailers:key=Verified-By,valueonly,separator=)',
    'main..drydock/make-the-files',
  )
  const commits = log.split('\n').map((line) => line.split(' '))
  expect(commits).toHaveLength(2)
  for (const [sha = '', ...rest] of commits) {
    expect(rest).toHaveLength(2)
    expect(await records.verification(rest[1] ?? '')).toMatchObject({ run, status: 'PASS', commitSha: sha })
  }
  const files = await fixture.git('ls-tree', '--name-only', 'drydock/make-the-files')
  expect(files.split('\n')).toEqual(['.drydock', 'one.txt', 'two.txt', 'value.txt'])
}

/** The required result of every such Run, whatever happened to it. */
export async function expectWhole(story: Story): Promise<void> {
  const { events, chat, isIdle, user } = await remainsOfCrew(story)
  const calls = events.filter((event) => event.startsWith('{"type":"model_call"'))
  expect(new Set(calls).size).toBe(calls.length)
  expect(chat).toEqual([
    expect.stringContaining('"post_type":"escalate"'),
    expect.stringMatching(/"agent_id":"human","post_type":"reply".*"answers":true.*The file is all/),
  ])
  expect(events.filter((event) => event.startsWith('{"type":"escalation_answered"'))).toHaveLength(1)
  expect({ isIdle, user }).toEqual({ isIdle: true, user: ['', 'main'] })
}

/** Waits until no process of the Run is left. */
export async function expectQuiet({ fixture }: Story): Promise<void> {
  await expect.poll(() => processesOf(fixture.folder)).toEqual([])
}

/** Both Runs must have the same, correct result. Their fixtures are removed. */
export async function expectSame(stormy: Story, calm: Story): Promise<void> {
  await Promise.all([stormy, calm].map(expectQuiet))
  await expectWhole(calm)
  await expectWhole(stormy)
  expect(await remainsOfCrew(stormy)).toEqual(await remainsOfCrew(calm))
  expect(survivors(stormy)).toEqual([])
  await Promise.all([calm, stormy].map(({ fixture }) => fixture.remove()))
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StateReader } from '../../../src/ports/store.ts'
import { type Lanes, planned, type StoryInput } from './crew.ts'
import { type CommandResult, type Fixture, resultOf } from './fixture.ts'

/** A whole replay file: the models' turns, the person's replies, and the order of merges. */
export interface Script {
  readonly lanes: Lanes
  /** Replies to the escalations, in the order of the questions. */
  readonly human?: readonly string[]
  readonly mergeOrder?: readonly string[]
}

/**
 * Writes the script as the fixture's replay file, replacing an earlier one, and returns the model
 * id that plays it.
 */
export async function writeScript(fixture: Fixture, { lanes, human, mergeOrder }: Script): Promise<string> {
  const replay = {
    version: 1,
    lanes,
    ...(human && { human: human.map((reply, i) => ({ escalation: i + 1, reply })) }),
    ...(mergeOrder && { merge_order: mergeOrder }),
  }
  const file = join(fixture.folder, 'replay.json')
  await writeFile(file, JSON.stringify(replay))
  return `replay:${file}`
}

const asRead = ['--json', '--no-wait'] as const

/** Builds the spec `Make the files` by a script, and returns the output of `--json`. */
export async function play(fixture: Fixture, script: Script, ...flags: readonly string[]): Promise<CommandResult> {
  const model = await writeScript(fixture, script)
  return fixture.drydock('run', 'Make the files', '--model', model, ...asRead, ...flags)
}

/** Replies to the newest question, or to the named one, while no process runs, and resumes. */
export async function replyAndResume(fixture: Fixture, asked: CommandResult, text: string): Promise<CommandResult> {
  const message = escalations(asked).at(-1)?.id
  if (message === undefined) throw new Error(`nobody was asked: ${asked.stdout}\n${asked.stderr}`)
  await fixture.drydock('reply', message, text)
  return fixture.drydock('resume', ...asRead)
}

/** Answers a story's last question while no process runs, and resumes. */
export async function answerStory(fixture: Fixture, story: string, text: string): Promise<CommandResult> {
  const id = await withRecords(fixture, async (records) => {
    const run = (await records.machines({ kind: 'run' })).at(-1)?.id ?? ''
    return (await records.chat({ run, story, postType: 'escalate' })).at(-1)?.id ?? ''
  })
  const { exitCode, stderr } = await fixture.drydock('reply', id, text)
  if (exitCode !== 0) throw new Error(stderr)
  return fixture.drydock('resume', ...asRead)
}

export interface OpenQuestion {
  readonly id: string
  readonly story: string | null
  readonly question: string
}

/** The questions during a command, in order. */
export function escalations({ events }: CommandResult): readonly OpenQuestion[] {
  return events.filter(({ type }) => type === 'escalation') as unknown as readonly OpenQuestion[]
}

export function statesOf(result: CommandResult): Readonly<Record<string, string>> {
  const stories = resultOf(result).stories as readonly { readonly id: string; readonly state: string }[]
  return Object.fromEntries(stories.map(({ id, state }) => [id, state]))
}

/** The index of the event that first moved a story into a state; -1 if there is none. */
export function firstMove({ events }: CommandResult, story: string, to: string): number {
  return events.findIndex((event) => event.type === 'state' && event.story === story && event.to === to)
}

export async function withRecords<T>(fixture: Fixture, read: (records: StateReader) => Promise<T>): Promise<T> {
  const records = (await fixture.open()).openRecords()
  try {
    return await read(records)
  } finally {
    await records.close()
  }
}

/** Writes a file of stories for `run --plan`. */
export async function writePlan(fixture: Fixture, ...stories: readonly StoryInput[]): Promise<string> {
  const file = join(fixture.folder, 'plan.json')
  await writeFile(file, JSON.stringify({ stories: stories.map(planned) }))
  return file
}

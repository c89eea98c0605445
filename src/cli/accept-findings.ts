import { randomUUID } from 'node:crypto'
import type { StateReader } from '../compose.ts'
import { acceptNoChange } from '../domain/claim.ts'
import type { Command } from '../domain/command.ts'
import type { TrackedFinding } from '../domain/gate/finding.ts'
import { heldByGate } from '../domain/gate/gate-finding.ts'
import { hasCrew, type Run } from '../domain/run/run.ts'
import type { Story } from '../domain/story/story.ts'
import { endStates } from '../domain/story/story-machine.ts'
import type { CommonOptions, Context } from './context.ts'
import { apply } from './control.ts'
import { findWork } from './find-run.ts'
import { handOver } from './hand-over.ts'
import { open } from './open.ts'
import { reading } from './reading.ts'
import { sayHandedOver } from './say-handed-over.ts'
import { usage } from './usage.ts'

type Accept = Extract<Command, { kind: 'accept' }>

interface Accepting {
  /** A Run or a story; null for the last task that has a result. */
  readonly id: string | null
  readonly ids: readonly string[]
}

/**
 * `accept <id> <finding...>`: a human takes findings as they are, of a task's result or of a story
 * that is being built.
 */
export function accept(
  context: Context,
  [id = '', ...ids]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  return acceptFindings(context, { id, ids }, options)
}

/** The same for `task --accept <id>` without a text, which speaks of the last task. */
export async function acceptFindings(context: Context, accepting: Accepting, options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const command = await reading(drydock, (records) => acceptCommand(records, accepting))
  const { run, story, findings } = command
  if (story === undefined) return apply(context, { drydock, command, runs: [run], options, only: true, holds: false })
  const handed = await handOver(drydock, `accept/${randomUUID()}`, command)
  context.output.emit({ type: 'accept', run, story, findings })
  sayHandedOver(context, handed)
  return 0
}

/**
 * DrydockError `bad_usage` for an id that is no finding there, or has nothing left to be accepted.
 */
export async function acceptCommand(records: StateReader | null, { id, ids }: Accepting): Promise<Accept> {
  const { run, story } = id === null ? await lastTask(records) : await findWork(records, id)
  if (hasCrew(run)) return acceptOfCrew(records, { run, story, ids })
  if (run.data.request.kind !== 'task' || !hasResult(run))
    throw usage(`${run.id} is no task that has ended with a result.`, `See: drydock status ${run.id}`)
  const found = heldByGate(story?.data.reviews?.code.findings ?? []).map((finding) => finding.id)
  checkIds(run.id, run.state === 'NO_CHANGE' ? [...found, acceptNoChange] : found, ids)
  return { kind: 'accept', run: run.id, findings: ids }
}

async function lastTask(records: StateReader | null) {
  const runs = ((await records?.machines({ kind: 'run' })) ?? []) as readonly Run[]
  const run = runs.findLast((each) => each.data.request.kind === 'task' && hasResult(each))
  if (run === undefined) throw usage('No task has ended with a result.', 'Of a story: drydock accept <story> <id>…')
  return findWork(records, run.id)
}

function hasResult({ state }: Run): boolean {
  return state === 'DONE' || state === 'NO_CHANGE'
}

interface OfCrew {
  readonly run: Run
  /** Null when only the Run was named: then it is the story that has these findings. */
  readonly story: Story | null
  readonly ids: readonly string[]
}

async function acceptOfCrew(records: StateReader | null, { run, story: named, ids }: OfCrew): Promise<Accept> {
  const story = named ?? (await storyWith(records, run, ids))
  if (endStates.includes(story.state))
    throw usage(`${story.id} is ${story.state}: nothing of it waits for that.`, `See: drydock report ${story.id}`)
  checkIds(
    story.id,
    findingsOf(story).map(({ id }) => id),
    ids,
  )
  return { kind: 'accept', run: run.id, story: story.story ?? '', findings: ids }
}

async function storyWith(records: StateReader | null, run: Run, ids: readonly string[]): Promise<Story> {
  const stories = ((await records?.machines({ kind: 'story', run: run.id })) ?? []) as readonly Story[]
  const open = stories.filter((story) => !endStates.includes(story.state) && findingsOf(story).length > 0)
  const having = open.filter((story) => ids.every((id) => findingsOf(story).some((finding) => finding.id === id)))
  const [story] = having
  if (story !== undefined && having.length === 1) return story
  const what = having.length === 0 ? `No story of ${run.id} has` : `Several stories of ${run.id} have`
  const known = open.map(
    (each) =>
      `drydock accept ${each.id} ${findingsOf(each)
        .map((finding) => finding.id)
        .join(' ')}`,
  )
  const todo = known.length === 0 ? 'None has open findings.' : `These can be: ${known.join(', ')}`
  throw usage(`${what} the findings ${ids.join(', ')}.`, todo)
}

function findingsOf({ data: { reviews } }: Story): readonly TrackedFinding[] {
  return Object.values(reviews).flatMap(({ findings }) => findings.filter(({ state }) => state === 'open'))
}

function checkIds(what: string, known: readonly string[], ids: readonly string[]): void {
  const unknown = ids.filter((id) => !known.includes(id))
  if (unknown.length === 0) return
  const todo = known.length === 0 ? 'It has none.' : `Its findings: ${known.join(', ')}`
  throw usage(`${what} has no finding ${unknown.join(', ')}.`, todo)
}

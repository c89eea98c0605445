import { done, type ReadContext, refuse, type ToolOutcome, type Tree } from '../agents/tools/tool.ts'
import type { Run } from '../domain/run/run.ts'
import type { Story } from '../domain/story/story.ts'
import { endStates } from '../domain/story/story-machine.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { Records } from '../ports/store.ts'
import type { Workspaces } from '../ports/workspace.ts'
import { readArtifact } from '../workflow/lane/lane-context.ts'
import { messageLine } from '../workflow/lane/post-message.ts'
import { list, storiesOf } from '../workflow/machines.ts'
import { requestedCommits, storyDiff } from '../workflow/story/story-diff.ts'
import type { SlotReaders } from './slot-readers.ts'

export interface McpReading {
  readonly workspaces: Workspaces
  readonly artifacts: Artifacts
  readonly readers: SlotReaders
  /** The state beside its owner; null while there is none. */
  readonly openRecords: () => (Records & { close(): Promise<void> }) | null
}

/**
 * What the read tools of the architect work on for whoever follows a Run from outside: every
 * workspace, and what belongs to `run`, or to the latest that has started. Nothing is changed: not
 * even a snapshot is taken.
 */
export function mcpReadContext(deps: McpReading, run: string | undefined, signal: AbortSignal): ReadContext {
  return {
    signal,
    files: (coder) => (coder === undefined ? tipOf(deps, run) : workspaceOf(deps, coder, signal)),
    diff: (of) => diffOf(deps, of),
    artifact: (reference) => artifactOf(deps, run, reference),
    messages: () => messagesOf(deps, run),
  }
}

async function tipOf(deps: McpReading, id: string | undefined): Promise<Tree> {
  const found = await readRun(deps, id, async (records, run) => ({ run: run.id, tip: await tipSha(records, run) }))
  if ('ok' in found) return { ok: false, outcome: found }
  const { run, tip } = found
  if (tip === null) return { ok: false, outcome: refuse(`${run} has not started: there is no branch of it yet.`) }
  return { ok: true, files: deps.workspaces.committed(tip) }
}

/** A task's branch is made in the end, at what was verified last. */
async function tipSha(records: Records, { id, state, data }: Run): Promise<string | null> {
  const [story] = data.tip === null && state === 'DONE' ? await storiesOf(records, id) : []
  return data.tip ?? story?.data.attempts.at(-1)?.sha ?? data.base
}

async function workspaceOf({ readers }: McpReading, coder: string, signal: AbortSignal): Promise<Tree> {
  const files = await readers.workspace(coder, signal)
  return files === null ? { ok: false, outcome: noSlot(coder) } : { ok: true, files }
}

async function diffOf(
  deps: McpReading,
  { coderId = '', ...of }: Parameters<ReadContext['diff']>[0],
): Promise<ToolOutcome> {
  const story = await reading(deps, (records) => storyIn(records, coderId))
  if (story === null) return refuse(`No story is in ${coderId}. See where they are: status`)
  const { snapshot } = story.data
  if (snapshot === null)
    return refuse(`${story.id} is in ${coderId}, and has not been snapshotted yet: read its files.`)
  const requested = await reading(deps, async (records) => (records === null ? [] : requestedCommits(records, story)))
  const diff = await storyDiff(deps, { ...of, story, to: snapshot.sha, requested })
  return diff.ok ? done(`story ${story.id}\n${diff.output}`) : diff
}

/** The story that works in a slot; else the last that did and was not moved out. */
async function storyIn(records: Records | null, slot: string): Promise<Story | null> {
  const all = records === null ? [] : await list(records, 'story')
  const inside = all.filter(({ data }) => data.slot === slot)
  return inside.findLast(({ state }) => !endStates.includes(state)) ?? inside.at(-1) ?? null
}

async function artifactOf(deps: McpReading, id: string | undefined, reference: string): Promise<ToolOutcome> {
  const [runId = ''] = reference.split('/')
  const stories = await readRun(deps, id, (records, run) => storiesOf(records, run.id))
  if ('ok' in stories) return stories
  const story = stories.find(({ data }) => [...data.attempts, data.merging].some((each) => each?.runId === runId))
  return readArtifact(deps, story ?? null, reference)
}

async function messagesOf(deps: McpReading, id: string | undefined): Promise<ToolOutcome> {
  const messages = await readRun(deps, id, (records, run) => records.chat({ run: run.id }))
  if ('ok' in messages) return messages
  if (messages.length === 0) return done('(no messages)')
  return done(messages.map((message) => `${message.story ?? 'run'} ${messageLine(message)}`).join('\n'))
}

/** Reads of a Run, or of the latest that has started; a refusal when there is none. */
async function readRun<T extends object>(
  deps: McpReading,
  id: string | undefined,
  read: (records: Records, run: Run) => Promise<T>,
): Promise<T | ToolOutcome> {
  return reading(deps, async (records) => {
    const runs = records === null ? [] : await list(records, 'run')
    const run = id === undefined ? runs.findLast(({ data }) => data.base !== null) : runs.find((each) => each.id === id)
    if (records !== null && run) return read(records, run)
    return refuse(id === undefined ? 'No run has started yet.' : `There is no run ${id}. See: status`)
  })
}

async function reading<T>({ openRecords }: McpReading, read: (records: Records | null) => Promise<T>): Promise<T> {
  const records = openRecords()
  try {
    return await read(records)
  } finally {
    await records?.close()
  }
}

function noSlot(coder: string): ToolOutcome {
  return refuse(`There is no workspace ${coder}. They are called coder-001, coder-002 and so on; see status.`)
}

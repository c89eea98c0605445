import { done, type ReadContext, refuse, type ToolOutcome, type Tree } from '../../../agents/tools/tool.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import { endStates } from '../../../domain/story/story-machine.ts'
import type { Artifacts } from '../../../ports/artifacts.ts'
import type { History } from '../../../ports/history.ts'
import type { Records } from '../../../ports/store.ts'
import { messageLine } from '../../../workflow/chat/post-message.ts'
import { readArtifact } from '../../../workflow/lane/lane-context.ts'
import { storiesOf } from '../../../workflow/machines.ts'
import { requestedCommits, storyDiff } from '../../../workflow/story/story-diff.ts'
import { reading } from '../../reading.ts'
import type { StateAccess } from '../../state-access.ts'
import { latestOf } from '../find/find-work.ts'
import type { SlotReaders } from './slot-readers.ts'

export interface OutsideSources {
  readonly history: History
  readonly artifacts: Artifacts
  readonly readers: SlotReaders
  readonly openRecords: StateAccess['openRecords']
}

/**
 * The sources of the architect's read tools for an observer outside of a Run: every workspace, and
 * the work of `run` or of the latest started Run. Read-only; does not even take snapshots.
 */
export function outsideContext(deps: OutsideSources, run: string | undefined, signal: AbortSignal): ReadContext {
  return {
    signal,
    files: (coder) => (coder === undefined ? tipOf(deps, run) : workspaceOf(deps, coder, signal)),
    diff: (of) => diffOf(deps, of),
    artifact: (reference) => artifactOf(deps, run, reference),
    output: async () => refuse('What a command printed is read by its own editor alone.'),
    messages: () => messagesOf(deps, run),
  }
}

async function tipOf(deps: OutsideSources, id: string | undefined): Promise<Tree> {
  const found = await readRun(deps, id, async (records, run) => ({ run: run.id, tip: await tipSha(records, run) }))
  if ('ok' in found) return { ok: false, outcome: found }
  const { run, tip } = found
  if (tip === null) return { ok: false, outcome: refuse(`${run} has not started: there is no branch of it yet.`) }
  return { ok: true, files: deps.history.committed(tip) }
}

/**
 * The newest commit of a Run. A task's branch is only made at its end, from the last verified
 * commit.
 */
async function tipSha(records: Records, { id, state, data }: Run): Promise<string | null> {
  const [story] = data.tip === null && state === 'DONE' ? await storiesOf(records, id) : []
  return data.tip ?? story?.data.attempts.at(-1)?.sha ?? data.base
}

async function workspaceOf({ readers }: OutsideSources, coder: string, signal: AbortSignal): Promise<Tree> {
  const files = await readers.workspace(coder, signal)
  return files === null ? { ok: false, outcome: noSlot(coder) } : { ok: true, files }
}

async function diffOf(
  deps: OutsideSources,
  { coderId = '', ...of }: Parameters<ReadContext['diff']>[0],
): Promise<ToolOutcome> {
  const story = await reading(deps, (records) => storyIn(records, coderId))
  if (story === null) return refuse(`No story is in ${coderId}. See where they are: status`)
  const { snapshot } = story.data
  if (snapshot === null)
    return refuse(`${story.id} is in ${coderId}, and has not been snapshotted yet: read its files.`)
  const requested = await reading(deps, (records) => requestedCommits(records, story))
  const diff = await storyDiff(deps, { ...of, story, to: snapshot.sha, requested })
  return diff.ok ? done(`story ${story.id}\n${diff.output}`) : diff
}

/**
 * The story that works in a slot, or else the last one that did and whose files are still there.
 */
async function storyIn(records: Records, slot: string): Promise<Story | null> {
  const all = await records.machines({ kind: 'story' })
  const inside = all.filter(({ data }) => data.slot === slot)
  return inside.findLast(({ state }) => !endStates.includes(state)) ?? inside.at(-1) ?? null
}

async function artifactOf(deps: OutsideSources, id: string | undefined, reference: string): Promise<ToolOutcome> {
  const [runId = ''] = reference.split('/')
  const stories = await readRun(deps, id, (records, run) => storiesOf(records, run.id))
  if ('ok' in stories) return stories
  const story = stories.find(({ data }) => [...data.attempts, data.merging].some((each) => each?.runId === runId))
  return readArtifact(deps, story ?? null, reference)
}

async function messagesOf(deps: OutsideSources, id: string | undefined): Promise<ToolOutcome> {
  const messages = await readRun(deps, id, (records, run) => records.chat({ run: run.id }))
  if ('ok' in messages) return messages
  if (messages.length === 0) return done('(no messages)')
  return done(messages.map((message) => `${message.story ?? 'run'} ${messageLine(message)}`).join('\n'))
}

/** Reads a Run, or the latest that has started. Returns a refusal if there is none. */
async function readRun<T extends object>(
  deps: OutsideSources,
  id: string | undefined,
  read: (records: Records, run: Run) => Promise<T>,
): Promise<T | ToolOutcome> {
  return reading(deps, async (records) => {
    const runs = await records.machines({ kind: 'run' })
    const started = runs.filter(({ data }) => data.base !== null)
    const run = id === undefined ? latestOf(started) : runs.find((each) => each.id === id)
    if (run) return read(records, run)
    return refuse(id === undefined ? 'No run has started yet.' : `There is no run ${id}. See: status`)
  })
}

function noSlot(coder: string): ToolOutcome {
  return refuse(`There is no workspace ${coder}. They are called coder-001, coder-002 and so on; see status.`)
}

import { plansFirst } from '../../domain/run/plans-first.ts'
import { beganWith } from '../../domain/run/run.ts'
import { type ContextPlace, type Story, slotOf } from '../../domain/story/story.ts'
import { stuckReport } from '../../domain/story/stuck-report.ts'
import type { GateDependencies } from '../../gate/dependencies.ts'
import { InfraFailure } from '../../gate/infra-failure.ts'
import { prepareFailed } from '../../gate/layers/prepare-failed.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { contextFolder, placeContextFiles } from '../editor/context-file.ts'
import { guideFor } from '../guide/guide-for.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, runOf } from '../machines.ts'
import type { CommitDependencies } from '../merge/dependencies.ts'
import { announcePrepare } from '../verification/announce-prepare.ts'
import { type AskedAgain, askedAgain } from '../verification/asked-again.ts'
import { advanceStory } from './advance-story.ts'
import type { StoryDependencies } from './dependencies.ts'
import { type EditorStart, moveStory, type StoryMove } from './move-story.ts'
import { keptCommit, snapshotDiff } from './snapshot.ts'
import { tellMoved } from './tell-moved.ts'
import { tellingProgress } from './tell-progress.ts'
import { keepLastLook } from './work-looks.ts'

/** The parts that prepare a workspace, and then repeat unanswered requests. */
export interface SetUpDependencies
  extends StoryDependencies,
    CommitDependencies,
    DecisionDependencies,
    Pick<GateDependencies, 'layers'> {}

/**
 * SETUP: the slot's workspace becomes a fresh clone of the base, with the last snapshot's files
 * after a retry.
 */
export async function setUpStory(
  deps: SetUpDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const stored = await load(deps.store, 'story', id)
  const look = stored.data.pending?.moved?.lost ? await keepLastLook(deps, stored) : null
  const story = { ...stored, data: { ...stored.data, ...look } }
  const [probe, guide, contextPlace] = await Promise.all([
    deps.sandbox.probe({ remembered: true }),
    guideFor(deps, story),
    prepareWorkspace(deps, story, signal),
  ])
  if (!probe.ok) {
    // No context file can be written without a sandbox; the report needs none.
    const stop = { infra: probe.error }
    const kept = await keptCommit(deps, story.data)
    const data = { stop, stuckReport: stuckReport({ ...story.data, stop }, { kept }) }
    await commit(async (tx) => {
      await advanceStory(tx, deps, await load(tx, 'story', id), { event: 'infra_error', data })
    })
    return
  }
  await makeBaseLayers(deps, story, signal)
  const [diff, again] = await Promise.all([snapshotDiff(deps, story.data), askedAgain(deps, story)])
  await commit(async (tx) => {
    await goOn(tx, deps, await load(tx, 'story', id), { guide, diff, data: { contextPlace, ...look }, ...again })
  })
}

/** Starts with the plan, or, in a restored workspace, with the pending move. */
async function goOn(
  tx: Transaction,
  deps: DecisionDependencies,
  story: Story,
  prepared: EditorStart & Pick<StoryMove, 'data'> & AskedAgain,
): Promise<void> {
  const { pending } = story.data
  if (pending === null) {
    const event = plansFirst(await load(tx, 'run', story.run)) ? 'workspace_ready' : 'ready_to_code'
    await advanceStory(tx, deps, story, { event, ...prepared })
    return
  }
  const { data } = prepared
  const back = await moveStory(tx, deps.clock, story, { event: 'workspace_back', ...(data && { data }) })
  if (back === null) throw new Error(`story ${story.id} does not wait for its workspace in ${story.state}`)
  const told = await tellMoved(tx, back)
  const { event, answer, notes } = pending
  // The stored answer belongs to the stored event.
  const move = { ...prepared, event, notes, data: { pending: null, ...told }, ...(answer && { answer }) } as StoryMove
  await advanceStory(tx, deps, back, move)
}

/**
 * Agents see the dependencies, too. If they cannot be installed at the base commit, no change can
 * fix that: INFRA_ERROR.
 */
async function makeBaseLayers(
  deps: Pick<WorkflowDependencies, 'store' | 'layers' | 'engine'>,
  story: Story,
  signal: AbortSignal,
): Promise<void> {
  const run = await runOf(deps.store, story)
  if (run.data.config === null) throw new Error(`run ${run.id} has not started`)
  const { base } = story.data
  const slot = slotOf(story)
  const input = {
    config: run.data.config,
    commit: base,
    base,
    isFromStart: beganWith(run, base),
    checkout: slot,
    onStep: announcePrepare(deps, { run: run.id, story: story.story }),
    onOutput: () => undefined,
  }
  const made = await deps.layers.make(input, signal)
  if (!made.ok) throw new InfraFailure(prepareFailed(made))
}

/**
 * Restores the story's files from its last snapshot, and its context files, in its slot; returns
 * the place of the context files.
 */
export async function prepareWorkspace(
  deps: StoryDependencies,
  story: Story,
  signal: AbortSignal,
): Promise<ContextPlace> {
  const { base, snapshot } = story.data
  const slot = slotOf(story)
  await deps.sandboxes.close(deps.workTrees.path(slot))
  const [folder] = await Promise.all([
    contextFolder(deps, story.data),
    tellingProgress(deps, story, (onProgress) =>
      deps.workTrees.prepare({ slot, tip: base, ...(snapshot && { tree: snapshot.sha }), onProgress }, signal),
    ),
  ])
  const run = await runOf(deps.store, story)
  const readOnlyPaths = run.data.config?.sandbox.readOnlyPaths ?? []
  const files = await deps.store.contextFiles(story.run, story.story ?? '')
  const problem = await placeContextFiles(deps, { files, folder, slot, readOnlyPaths }, signal)
  return { folder, problem }
}

import type { Story } from '../domain/story.ts'
import { stuckReport } from '../domain/stuck-report.ts'
import type { Commit } from '../ports/engine.ts'
import { announcePrepare } from './announce-prepare.ts'
import { placeContextFile } from './context-file.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { readGuide } from './guide.ts'
import { InfraFailure } from './infra-failure.ts'
import { load } from './machines.ts'
import { moveStory } from './move-story.ts'
import { prepareFailed } from './prepare-failed.ts'
import { snapshotDiff } from './snapshot.ts'

/** SETUP: the slot's workspace becomes a fresh clone of the base, with the last snapshot's files after a retry. */
export async function setUpStory(
  deps: WorkflowDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const story = await load(deps.store, 'story', id)
  const [probe, guide] = await Promise.all([
    deps.sandbox.probe(),
    readGuide(deps, story.data.base),
    prepareWorkspace(deps, story, signal),
  ])
  if (!probe.ok) {
    // No context file can be written without a sandbox; the report needs none.
    const stop = { infra: probe.error }
    const data = { stop, stuckReport: stuckReport({ ...story.data, stop }) }
    await commit(async (tx) => {
      await moveStory(tx, deps.clock, await load(tx, 'story', id), { event: 'infra_error', data })
    })
    return
  }
  await makeBaseLayers(deps, story, signal)
  const diff = await snapshotDiff(deps, story.data)
  await commit(async (tx) => {
    await moveStory(tx, deps.clock, await load(tx, 'story', id), { event: 'workspace_ready', guide, diff })
  })
}

/** Agents see the dependencies, too. What the base commit cannot get, no change can mend: INFRA_ERROR. */
async function makeBaseLayers(deps: WorkflowDependencies, story: Story, signal: AbortSignal): Promise<void> {
  const run = await load(deps.store, 'run', story.run)
  if (run.data.config === null) throw new Error(`run ${run.id} has not started`)
  const { base, slot } = story.data
  const input = {
    ...{ config: run.data.config, commit: base, base, checkout: slot },
    onStep: announcePrepare(deps, { run: run.id, story: story.story }),
    onOutput: () => undefined,
  }
  const made = await deps.layers.make(input, signal)
  if (!made.ok) throw new InfraFailure(prepareFailed(made))
}

/** Puts the story's files, as its last snapshot has them, and its context files into its slot. */
export async function prepareWorkspace(deps: WorkflowDependencies, story: Story, signal: AbortSignal): Promise<void> {
  const { slot, base, snapshot } = story.data
  await deps.sandboxes.close(deps.workspaces.path(slot))
  await deps.workspaces.prepare({ slot, tip: base, ...(snapshot && { tree: snapshot.sha }) }, signal)
  const run = await load(deps.store, 'run', story.run)
  const readOnlyPaths = run.data.config?.sandbox.readOnlyPaths ?? []
  for (const file of await deps.store.contextFiles(story.run, story.story ?? '')) {
    await placeContextFile(deps, { file, slot, readOnlyPaths }, signal)
  }
}

import { DrydockError } from '../domain/drydock-error.ts'
import { limits } from '../domain/limits.ts'
import { isEnded, type Run, type RunData } from '../domain/run.ts'
import type { RunConfig } from '../domain/run-config.ts'
import { newStory, type Story } from '../domain/story.ts'
import { slug } from '../domain/text.ts'
import { verificationId } from '../domain/verification.ts'
import type { Commit } from '../ports/engine.ts'
import type { Transaction } from '../ports/store.ts'
import { openQuery } from './ask-scout.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { freeBranch } from './free-branch.ts'
import { list, load, storyOf } from './machines.ts'
import { moveStory } from './move-story.ts'
import { prepareWorkspace } from './set-up-story.ts'

/** A Run with everything pinned that its start pins. */
type Pinned = Omit<RunData, 'slot' | 'base' | 'config'> & {
  readonly slot: string
  readonly base: string
  readonly config: RunConfig
}

/** WAITING with a slot: pins base commit, configuration and branch, and starts the work; or puts a Run back that comes from ERROR or a retry. */
export async function startRun(
  deps: WorkflowDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const run = await load(deps.store, 'run', id)
  const [pinned, existing] = await Promise.all([pin(deps, run, signal), existingBranches(deps, run)])
  const story = await storyOf(deps.store, id)
  const fresh = run.data.base === null || story?.state === 'QUEUED'
  const returned = story && !fresh ? { ...story, data: { ...story.data, slot: pinned.slot } } : null
  if (returned && !pinned.unkept) await prepareWorkspace(deps, returned, signal)
  else if (!returned && pinned.request.kind === 'scout') {
    await deps.workspaces.prepare({ slot: pinned.slot, tip: pinned.base }, signal)
  }
  await commit(async (tx) => {
    const data: RunData = { ...pinned, parked: [], unkept: false }
    const branch = pinned.branch ?? (await reserveBranch(tx, run, existing))
    const started = await tx.updateMachine(run, { state: 'MONITORING', data: { ...data, branch } })
    await tx.appendEvent({
      run: id,
      story: null,
      type: 'run_state',
      data: { from: 'WAITING', to: 'MONITORING', base: pinned.base, branch, slot: pinned.slot },
    })
    if (fresh) return startWork(deps, tx, { run: started, pinned, story })
    if (returned) await tx.updateMachine(returned, { state: returned.state, data: returned.data })
    for (const machine of pinned.parked) {
      const waiting = await tx.machine(machine)
      if (waiting) await tx.enqueue(waiting)
    }
  })
}

async function pin(deps: WorkflowDependencies, run: Run, signal: AbortSignal): Promise<Pinned> {
  const { slot, base, config, request, target, configFile } = run.data
  if (slot === null) throw new Error(`run ${run.id} has no slot`)
  const updated = deps.workspaces.updateMirror(signal)
  if (base !== null && config !== null) return updated.then(() => ({ ...run.data, slot, base, config }))
  const read = async () => {
    const { sha } = await deps.workspaces.target(target)
    const repositoryText = await deps.workspaces.fileAt(sha, '.drydock/config.json', limits.configBytes)
    const stepsRequired = request.kind !== 'scout'
    return { base: sha, config: await deps.readConfig({ repositoryText, configFile, stepsRequired }) }
  }
  const [pinned] = await Promise.all([read(), updated])
  return { ...run.data, slot, ...pinned }
}

/** The branches of the user's repository; one named like the folder of all run branches stands in their way. */
async function existingBranches(deps: WorkflowDependencies, run: Run): Promise<readonly string[]> {
  if (run.data.request.kind !== 'task') return []
  const branches = await deps.workspaces.branches('drydock')
  if (!branches.includes('drydock')) return branches
  throw new DrydockError('branch_in_the_way', 'A branch named "drydock" stands in the way of drydock/<name>.', {
    todo: 'Rename it: git branch -m drydock <another name>   then run: drydock resume',
  })
}

/** The name of the run branch: new in the repository, and not promised to another Run. */
async function reserveBranch(tx: Transaction, run: Run, existing: readonly string[]): Promise<string | null> {
  const { request } = run.data
  if (request.kind !== 'task' || request.dryRun) return null
  const promised = (await list(tx, 'run')).filter(({ state }) => !isEnded(state)).map((other) => other.data.branch)
  return freeBranch(`drydock/${slug(request.task.text)}`, new Set([...existing, ...promised]))
}

interface Start {
  readonly run: Run
  readonly pinned: Pinned
  /** A QUEUED one that is retried. */
  readonly story: Story | null
}

async function startWork(deps: WorkflowDependencies, tx: Transaction, { run, pinned, story }: Start): Promise<void> {
  const { request, slot, base } = pinned
  switch (request.kind) {
    case 'task': {
      const queued = story ?? (await insertStory(tx, run, pinned))
      await moveStory(tx, deps.clock, queued, { event: 'slot_assigned', data: { slot } })
      return
    }
    case 'verify': {
      const now = deps.clock.now()
      const runId = verificationId(now, deps.clock.random())
      const data = { runId, commit: request.commit, base, checkout: slot, requestedAt: now.toISOString() }
      await tx.enqueue(
        await tx.insertMachine({ id: runId, kind: 'verification', run: run.id, story: null, state: 'REQUESTED', data }),
      )
      return
    }
    case 'scout': {
      const { scout, question } = request
      await openQuery(tx, run.id, null, {
        scout,
        question,
        story: 'task',
        n: 1,
        attempt: 1,
        problems: [],
        slot,
        asker: null,
      })
      return
    }
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}

async function insertStory(tx: Transaction, run: Run, { request, slot, base }: Pinned): Promise<Story> {
  if (request.kind !== 'task') throw new Error('only a task has a story')
  const data = newStory({ name: 'task', task: request.task, dryRun: request.dryRun, base, slot })
  return (await tx.insertMachine({
    id: `${run.id}/task`,
    kind: 'story',
    run: run.id,
    story: 'task',
    state: 'QUEUED',
    data,
  })) as Story
}

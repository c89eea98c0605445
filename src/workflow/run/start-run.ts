import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { type Budget, withRunUsd } from '../../domain/run/budget.ts'
import { followedBy, type Run } from '../../domain/run/run.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import { onlyStory } from '../../domain/story/name-of.ts'
import { newStory, type Story } from '../../domain/story/story.ts'
import { verificationId } from '../../domain/verification/verification.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import { beginAcceptance } from '../architect/acceptance/begin-acceptance.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storiesOf, storyId } from '../machines.ts'
import { attachWaiting } from '../remark/attach-remarks.ts'
import { reviewsWithRemarks, tipOf } from '../remark/follow-up.ts'
import { queueRested } from '../rest/queue-rested.ts'
import { openQuery } from '../scout/ask-scout.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { moveStory } from '../story/move-story.ts'
import { setUpElsewhere } from '../story/move-workspaces.ts'
import { prepareWorkspace } from '../story/set-up-story.ts'
import { tellingProgress } from '../story/tell-progress.ts'
import { isElsewhere } from '../story/workspace.ts'
import { branchesBeside, reserveBranch } from './branches.ts'
import { announceUnpriced, checkPrices, unpricedModels } from './check-prices.ts'
import type { StartDependencies } from './dependencies.ts'
import { moveRun } from './move-run.ts'
import { readPins } from './read-pins.ts'

/** What is pinned when a Run starts, and holds for all of it. */
export interface Pins {
  readonly base: string
  readonly config: RunConfig
  readonly budget: Budget
}

/**
 * WAITING with a slot: pins base commit, configuration and branch, and starts the work; or puts a
 * Run back that comes from ERROR or a retry.
 */
export async function startRun(
  deps: StartDependencies & StoryDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const run = await load(deps.store, 'run', id)
  const { slot, request, unkept, rest } = run.data
  if (slot === null) throw new Error(`run ${run.id} has no slot`)
  const [{ pins, existing }, unpriced] = await Promise.all([
    pin(deps, run, signal),
    unpricedModels(deps, run.data.models),
  ])
  checkPrices(unpriced, { ...pins, budgetUsd: run.data.budgetUsd })
  const story = (await storiesOf(deps.store, id))[0] ?? null
  const followed = followedBy(run)
  // Its work would not fit on what others have put there since.
  if (followed !== null && story !== null && story.state !== 'DONE') await tipOf(deps, followed)
  const fresh = run.data.base === null || story?.state === 'QUEUED'
  const returned = story && !fresh ? { ...story, data: { ...story.data, slot } } : null
  const isAway = await isElsewhere(deps, slot)
  if (isAway) {
    if (request.kind === 'scout' && !fresh) throw cannotGoOn()
  } else if (returned && !unkept) await prepareWorkspace(deps, returned, signal)
  else if (!fresh && request.kind === 'scout')
    await tellingProgress(deps, about(run), (onProgress) =>
      deps.workTrees.prepare({ slot, tip: pins.base, onProgress }, signal),
    )
  // Only this host has the user's files.
  const commitSha = request.kind === 'verify' && isAway ? await commitOf(deps, run, slot) : null
  await commit(async (tx) => {
    const branch = run.data.branch ?? (await reserveBranch(tx, run, existing))
    const started = await moveRun(tx, run, {
      event: 'started',
      data: { ...pins, branch, rest: null, unkept: false },
      log: { base: pins.base, branch, slot },
      next: 'rest',
    })
    await announceUnpriced(tx, run, { models: unpriced, budget: pins.budget })
    if (fresh) return startWork(deps, tx, { run: started, slot, pins, story, commitSha })
    if (returned) await (isAway ? setUpElsewhere(tx, deps, { run: started, story: returned }) : tx.edit(returned, {}))
    await queueRested(tx, rest?.machines ?? [])
  })
}

/** What is verified: the user's files as they are now, when no commit was named. */
async function commitOf(
  deps: Pick<WorkflowDependencies, 'userRepository' | 'clock'>,
  { data: { request } }: Run,
  slot: string,
): Promise<string | null> {
  if (request.kind !== 'verify' || request.commit !== null) return null
  return (await deps.userRepository.snapshotUserTree(`refs/drydock/verify/${slot}`, deps.clock.now())).sha
}

const about = ({ id }: Run) => ({ run: id, story: null })

function cannotGoOn(): DrydockError {
  return new DrydockError('host_gone', 'The slot of this question is on another machine now.', {
    todo: 'Ask again: drydock scout',
  })
}

/**
 * Brings the mirror up to date, and reads what a Run is to be pinned to; one that is pinned already
 * stays so. Also returns the branches that its own is beside.
 */
export async function pin(
  deps: StartDependencies,
  run: Run,
  signal: AbortSignal,
): Promise<{ readonly pins: Pins; readonly existing: readonly string[] }> {
  const { base, config, budget, budgetUsd, request, target, configFile } = run.data
  const updated = tellingProgress(deps, about(run), (onProgress) =>
    deps.userRepository.updateMirror(signal, onProgress),
  )
  const existing = async () => branchesBeside(run, await updated)
  if (base !== null && config !== null) {
    return { pins: { base, config, budget: budget ?? config.budget ?? limits.budget }, existing: await existing() }
  }
  const baseOf = async () => {
    const followed = followedBy(run)
    if (followed !== null) return tipOf(deps, followed)
    const head = target === null ? (await updated).head : null
    return head ?? (await deps.userRepository.target(target)).sha
  }
  const read = async () => {
    const sha = await baseOf()
    const followed = followedBy(run)
    const stepsRequired = request.kind !== 'scout' && request.kind !== 'interview'
    const isGuided = request.kind !== 'verify' && request.kind !== 'scout'
    const [config, mcp] = await Promise.all([
      // What agents have built decides nothing about how it is verified.
      readPins(deps, { sha: followed?.base ?? sha, configFile, stepsRequired, isGuided }),
      request.kind === 'verify' ? [] : deps.mcpServers().then((servers) => servers?.offered() ?? []),
    ])
    const budget = withRunUsd(config.budget, budgetUsd, run.data.policy)
    return { base: sha, config: { ...config, ...(mcp.length > 0 && { mcp }) }, budget }
  }
  const [pins, beside] = await Promise.all([read(), existing()])
  return { pins, existing: beside }
}

interface Start {
  readonly run: Run
  readonly slot: string
  readonly pins: Pins
  /** A QUEUED one that is retried. */
  readonly story: Story | null
  /** What a verification on another host verifies; null when the request says it. */
  readonly commitSha: string | null
}

async function startWork(deps: Pick<WorkflowDependencies, 'clock'>, tx: Transaction, starting: Start): Promise<void> {
  const { run, slot, pins, story, commitSha } = starting
  const { request } = run.data
  switch (request.kind) {
    case 'task': {
      const queued = story ?? (await insertStory(tx, starting))
      await moveStory(tx, deps.clock, queued, { event: 'slot_assigned', data: { slot } })
      return
    }
    case 'verify': {
      const now = deps.clock.now()
      const runId = verificationId(now, deps.clock.random())
      const { base } = pins
      const data = {
        runId,
        commit: commitSha ?? request.commit,
        base,
        checkout: slot,
        requestedAt: now.toISOString(),
        merge: null,
      }
      await tx.create({ id: runId, kind: 'verification', run: run.id, story: null, data }, 'queue')
      return
    }
    case 'scout': {
      const { scout, question } = request
      await openQuery(tx, run.id, null, {
        ...{ scout, question, story: 'task', n: 1, attempt: 1, problems: [], slot, asker: null },
      })
      return
    }
    case 'spec':
    case 'interview':
      throw new Error(`run ${run.id} is a crew's, and has no slot`)
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}

async function insertStory(tx: Transaction, { run, slot, pins }: Start): Promise<Story> {
  const { request } = run.data
  if (request.kind !== 'task') throw new Error('only a task has a story')
  const { task, dryRun, follows } = request
  const fresh = newStory({ name: follows?.name ?? 'task', task, planned: null, dryRun, base: pins.base, slot })
  const data = follows === undefined ? fresh : { ...fresh, reviews: await reviewsWithRemarks(tx, fresh, follows) }
  const id = storyId(run.id, onlyStory)
  const created = await tx.create({ id, kind: 'story', run: run.id, story: onlyStory, data }, 'rest')
  await beginAcceptance(tx, run, created)
  // What was said while the task waited for its slot.
  return follows === undefined ? attachWaiting(tx, created) : created
}

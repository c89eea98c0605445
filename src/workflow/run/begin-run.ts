import { limits } from '../../domain/limits.ts'
import { withRunUsd } from '../../domain/run/budget.ts'
import { followedBy, type Run } from '../../domain/run/run.ts'
import type { Commit } from '../../ports/engine.ts'
import { beginSpec } from '../architect/begin-spec.ts'
import { beginInterview } from '../architect/interview/begin-interview.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { tipOf } from '../remark/follow-up.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { tellingProgress } from '../story/tell-progress.ts'
import { beginInSlot } from './begin-in-slot.ts'
import type { Beginning, FirstWork, Pins } from './beginning.ts'
import { branchesBeside, reserveBranch } from './branches.ts'
import { announceUnpriced, checkPrices, unpricedModels } from './check-prices.ts'
import type { StartDependencies } from './dependencies.ts'
import { moveRun } from './move-run.ts'
import { pinRepositories } from './pin-repositories.ts'
import { readPins } from './read-pins.ts'

type BeginDependencies = StartDependencies &
  StoryDependencies &
  DecisionDependencies &
  Pick<WorkflowDependencies, 'architect' | 'beside'>

/**
 * WAITING: pins base commit, configuration and branch, and starts the first work of the request; or
 * continues a Run that comes from ERROR, a cancellation or a retry.
 */
export async function beginRun(
  deps: BeginDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const run = await load(deps.store, 'run', id)
  const { policy, slot, tip, budgetUsd, models } = run.data
  const [{ pins, existing }, unpriced] = await Promise.all([pin(deps, run, signal), unpricedModels(deps, models)])
  checkPrices(unpriced, { ...pins, budgetUsd })
  const others = await pinRepositories(deps, run, pins.config, signal)
  const { move, work } = await firstWork(deps, { run, pins, stories: await storiesOf(deps.store, id) }, signal)
  await commit(async (tx) => {
    const announce = () => announceUnpriced(tx, run, { models: unpriced, budget: pins.budget })
    const branch = run.data.branch ?? (await reserveBranch(tx, run, [...existing, ...others.branches]))
    const merged = policy.result === 'merged' && { tip: tip ?? pins.base }
    const data = { ...pins, ...others.data, ...merged, branch, rest: null, unkept: false }
    // A Run that waited for a slot first announces that it has one.
    if (slot === null) await announce()
    const first = await move(tx, { ...run, data: { ...run.data, ...data } })
    const moved = await moveRun(tx, run, { ...first, data: { ...data, ...first.data } })
    if (slot !== null) await announce()
    await work(tx, moved)
  })
}

function firstWork(
  deps: BeginDependencies,
  given: Omit<Beginning<never>, 'request'>,
  signal: AbortSignal,
): Promise<FirstWork> {
  const { request } = given.run.data
  if (request.kind === 'spec') return beginSpec(deps, { ...given, request }, signal)
  if (request.kind === 'interview') return beginInterview(deps, { ...given, request }, signal)
  return beginInSlot(deps, { ...given, request }, signal)
}

/**
 * Updates the mirror, and reads the values that a Run pins; a Run that is pinned already keeps its
 * values. Also returns the existing branches that the Run's branch must not collide with.
 */
async function pin(
  deps: BeginDependencies,
  run: Run,
  signal: AbortSignal,
): Promise<{ readonly pins: Pins; readonly existing: readonly string[] }> {
  const { base, config, budget, budgetUsd, request, target, configFile, policy } = run.data
  const updated = tellingProgress(deps, { run: run.id, story: null }, (onProgress) =>
    deps.userRepository.updateMirror(signal, onProgress),
  )
  const existing = async () => branchesBeside(run, await updated)
  if (base !== null && config !== null) {
    return { pins: { base, config, budget: budget ?? config.budget ?? limits.budget }, existing: await existing() }
  }
  const followed = followedBy(run)
  const baseOf = async () => {
    if (followed !== null) return tipOf(deps, followed)
    const head = target === null ? (await updated).head : null
    return head ?? (await deps.userRepository.target(target)).sha
  }
  const read = async () => {
    const sha = await baseOf()
    const stepsRequired = request.kind !== 'scout' && request.kind !== 'interview'
    const isGuided = request.kind !== 'verify' && request.kind !== 'scout'
    const [config, mcp] = await Promise.all([
      // Commits of agents must not decide how they are verified.
      readPins(deps, { sha: followed?.base ?? sha, configFile, stepsRequired, isGuided }),
      request.kind === 'verify' ? [] : deps.mcpServers().then((servers) => servers?.offered() ?? []),
    ])
    return {
      base: sha,
      config: { ...config, ...(mcp.length > 0 && { mcp }) },
      budget: withRunUsd(config.budget, budgetUsd, policy),
    }
  }
  const [pins, beside] = await Promise.all([read(), existing()])
  return { pins, existing: beside }
}

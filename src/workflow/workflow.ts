import { limits } from '../domain/limits.ts'
import type { MachineKind } from '../domain/machine.ts'
import { isEnded } from '../domain/run/run.ts'
import type { RunScope } from '../domain/scope.ts'
import { endStates } from '../domain/story/story-machine.ts'
import type { Commit } from '../ports/engine.ts'
import { tryTests } from './architect/acceptance/try-tests.ts'
import { reopenReview } from './architect/reopen-review.ts'
import { applyCommands } from './commands.ts'
import { decorate } from './decorate.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { guarded, type StepOf } from './guarded-step.ts'
import { workLanding } from './landing/work-landing.ts'
import { createAhead } from './lane/ahead.ts'
import type { DecisionDependencies } from './lane/dependencies.ts'
import { endCommands } from './lane/end-commands.ts'
import { createLaneMessages } from './lane/lane-messages.ts'
import { createReadsAhead } from './lane/reads-ahead.ts'
import { runLane } from './lane/run-lane.ts'
import { createWorkspaceLooks } from './lane/workspace-looks.ts'
import { load, storiesOf } from './machines.ts'
import { createLaneServers } from './mcp/create-lane-servers.ts'
import { leaveMerges, startNextMerge } from './merge/merge-queue.ts'
import { mergeStory } from './merge/merge-story.ts'
import { createNotifications } from './notification/notifications.ts'
import { withNotices } from './notification/queue-notices.ts'
import { createRepositories } from './repositories.ts'
import { settleAllHeld } from './rest/hold-run.ts'
import { createRetries } from './rest/retries.ts'
import { wakeSuspended } from './rest/wake-suspended.ts'
import { beginRun } from './run/begin-run.ts'
import { createCollector } from './run/collect-garbage.ts'
import { endRun } from './run/end-run.ts'
import { offerSlots, withdrawFreeSlots } from './run/offer-slots.ts'
import { schedule } from './run/schedule.ts'
import { startScheduled } from './schedule/start-scheduled.ts'
import { runScoutQuery } from './scout/scout-query.ts'
import { isShared, keepsState, kindsOf } from './share.ts'
import type { StepDependencies } from './step-dependencies.ts'
import type { SharingDependencies } from './stored/dependencies.ts'
import type { Keeper } from './stored/keeper.ts'
import type { WorkspaceDependencies } from './story/dependencies.ts'
import { describeUnkept, isUnkept, keepStoryIfPossible } from './story/keep-story.ts'
import { leaveWorkspace } from './story/leave-workspace.ts'
import { moveWorkspaces } from './story/move-workspaces.ts'
import { type SetUpDependencies, setUpStory } from './story/set-up-story.ts'
import { createWorkLooks } from './story/work-looks.ts'
import { createExporter } from './trace/exporter.ts'
import { verifyAgain } from './verification/asked-again.ts'
import { createBaseVerdicts } from './verification/create-base-verdicts.ts'
import { runVerification } from './verification/run-verification.ts'

export interface Workflow {
  /** Creates the slots, applies pending commands, and takes every job. */
  start(): Promise<void>
  /** Applies the commands that have arrived since. */
  applyCommands(): Promise<void>
  /** Works on these Runs from now on, too. */
  ask(asked: RunScope): Promise<void>
  /** Stops taking steps, saves every workspace on a hidden ref, and closes the sandboxes. */
  stop(options: { readonly drain: boolean }): Promise<void>
}

type WorkedKind = Exclude<
  MachineKind,
  'request' | 'notification' | 'slot' | 'schedule' | 'remark' | 'landing' | 'shared_layer'
>

/** A request has no step of its own, since its lane has. A slot has none either. */
const steps: Readonly<Record<WorkedKind, { readonly step: StepOf; readonly concurrency: number }>> = {
  run: { step: runRun, concurrency: 4 },
  story: { step: runStory, concurrency: 4 },
  lane: { step: runLane, concurrency: 64 },
  scout_query: { step: runScoutQuery, concurrency: 4 },
  verification: { step: runVerification, concurrency: 2 },
  acceptance: { step: tryTests, concurrency: 1 },
  merge: { step: mergeStory, concurrency: 1 },
}

type WorkflowPart = 'laneMessages' | 'ahead' | 'readsAhead' | 'looks' | 'baseVerdicts' | 'laneServers'

/** Defines the work in each state of every machine, as durable steps on an engine. */
export function createWorkflow(given: Omit<WorkflowDependencies, WorkflowPart>): Workflow {
  const isSole = !isShared(given.share)
  const ahead = createAhead({ isAllowed: isSole })
  const looks = createWorkspaceLooks()
  const engine = decorate(given.engine, [withNotices(given.notifying), ahead.withdrawing])
  const laneServers = createLaneServers({ ...given, engine })
  const baseVerdicts = createBaseVerdicts({ ...given, engine }, () => repositories)
  const deps: WorkflowDependencies = {
    ...given,
    engine,
    baseVerdicts,
    ahead,
    readsAhead: createReadsAhead(),
    looks,
    laneServers,
    laneMessages: createLaneMessages(given.store, { isSole }),
  }
  const repositories = createRepositories(deps)
  const collector = createCollector({ ...deps, homes: deps.foreign.homes, transact: deps.engine.transact })
  let keeper: Keeper | null = null
  const workLooks = keepsState(given.share) ? null : createWorkLooks(given)
  const retries = keepsState(given.share) && given.share.retries ? createRetries(deps) : null
  const notifications = createNotifications(deps)
  const exporter = createExporter({ telemetry: deps.telemetry, records: deps.store, clock: deps.clock })
  return {
    async start() {
      await exporter?.begin()
      if (exporter !== null) deps.engine.onCommit(exporter.look)
      deps.engine.onHostGone((tx, gone) => moveWorkspaces(tx, deps, gone))
      await deps.workTrees.initialize(deps.slots)
      await deps.engine.transact((tx) => offerSlots(tx, { slots: deps.slots, host: deps.engine.host }))
      await deps.artifacts.removeUnfinished()
      if (isSole) await leaveHosts(deps)
      // The hub's earlier work continues at its workers.
      if (!deps.share.takesStories && (await keepWorkspaces(deps))) await deps.engine.leave()
      if (keepsState(deps.share)) {
        await leaveOthers(deps)
        await applyCommands(deps)
      }
      await takeUp(deps)
      if (keepsState(deps.share)) {
        await wakeSuspended(deps, deps.scope.has)
        await notifications.begin()
        await settleAllHeld(deps)
        retries?.begin()
      }
      collector.begin()
      keeper = await beginKeeper(deps)
      const kinds = kindsOf(deps.share)
      for (const [kind, { step, concurrency }] of Object.entries(steps)) {
        if (!kinds.has(kind as MachineKind)) continue
        const afterwards = (machine: string) => {
          if (kind === 'run') collector.begin()
          if (kind === 'verification') keeper?.add(machine)
          if (kind === 'lane') workLooks?.after(machine)
        }
        deps.engine.work(kind as MachineKind, concurrency, guarded({ deps, repositories }, step, afterwards))
      }
      // Commits of other processes end lanes, too.
      if (!isSole) deps.engine.onCommit(() => void endCommands(deps).catch(() => undefined))
      if (!keepsState(deps.share)) return
      deps.engine.work('schedule', 1, async (job, commit) => {
        await startScheduled(deps, job.machine, commit)
        for (const asked of await applyCommands(deps)) await take(deps, asked)
      })
      deps.engine.work('landing', 1, async (job, commit) => {
        await workLanding(deps, job.machine, commit)
        for (const asked of await applyCommands(deps)) await take(deps, asked)
      })
      deps.engine.work('notification', limits.notify.atOnce, (job, ...rest) => notifications.step(job.machine, ...rest))
    },
    async applyCommands() {
      for (const asked of await applyCommands(deps)) await take(deps, asked)
      await endCommands(deps)
    },
    ask: (asked) => take(deps, asked),
    async stop(options) {
      if (options.drain && keepsState(deps.share)) await notifications.end()
      // Running steps end even if the hub cannot be told.
      if (options.drain && !keepsState(deps.share))
        await deps.engine.transact((tx) => withdrawFreeSlots(tx, deps.engine.host)).catch(() => {})
      await Promise.all([deps.engine.stop(options), workLooks?.end(), retries?.end()])
      await ahead.withdrawAll(deps.engine)
      await Promise.all([collector.stop(options), looks.end(), baseVerdicts.end(), keeper?.end(options)])
      await Promise.all([laneServers.closeAll(), deps.sandboxes.closeAll(), deps.architect.close()])
      const isKept = await keepWorkspaces(deps)
      // Otherwise its workspaces stay reserved until the host counts as gone, since some could not
      // be saved.
      if (!keepsState(deps.share) && isKept) await deps.engine.leave()
      await exporter?.end()
    },
  }
}

/** Stores files in remote storage, if it is configured; its code is loaded only then. */
async function beginKeeper(
  deps: StepDependencies & SharingDependencies & Pick<WorkflowDependencies, 'artifacts'>,
): Promise<Keeper | null> {
  const { blobs } = deps
  if (blobs === null) return null
  const { createKeeper } = await import('./stored/keeper.ts')
  const keeper = createKeeper({ ...deps, blobs })
  keeper.begin()
  return keeper
}

/**
 * Withdraws the slots of other hosts, whose work continues here, since no other process is alive.
 */
async function leaveHosts({ engine, store }: StepDependencies): Promise<void> {
  const offered = await store.machines({ kind: 'slot', states: ['OFFERED'] })
  const hosts = new Set(offered.map(({ data }) => data.host).filter((host) => host !== engine.host))
  for (const host of hosts) await engine.leave(host)
}

/**
 * Merges of another process must not block others, if nobody has asked this process to work on
 * them.
 */
async function leaveOthers(deps: Pick<WorkflowDependencies, 'store' | 'scope' | 'engine'>): Promise<void> {
  const merging = new Set((await deps.store.machines({ kind: 'merge', states: ['MERGING'] })).map(({ run }) => run))
  for (const run of merging) if (!deps.scope.has(run)) await deps.engine.transact((tx) => leaveMerges(tx, run))
}

async function take(deps: DecisionDependencies & StepDependencies, asked: RunScope): Promise<void> {
  const before = deps.scope.asked()
  if (!deps.scope.add(asked)) return
  await takeUp(deps)
  const isNew = (run: string) => deps.scope.has(run) && before !== 'all' && !before.includes(run)
  await wakeSuspended(deps, isNew)
}

/** Gives slots and merges to work that waited while no process ran. */
async function takeUp(deps: DecisionDependencies & Pick<WorkflowDependencies, 'engine'>): Promise<void> {
  await deps.engine.transact(async (tx) => {
    await schedule(tx, deps)
    await startNextMerge(tx, deps)
  })
}

async function runRun(deps: WorkflowDependencies, id: string, commit: Commit, signal: AbortSignal): Promise<void> {
  const { state, data } = await load(deps.store, 'run', id)
  return (state === 'WAITING' && !data.stopped ? beginRun : endRun)(deps, id, commit, signal)
}

async function runStory(deps: SetUpDependencies, id: string, commit: Commit, signal: AbortSignal): Promise<void> {
  const { state } = await load(deps.store, 'story', id)
  if (endStates.includes(state)) return leaveWorkspace(deps, id, commit, signal)
  if (state === 'VERIFYING') return verifyAgain(deps, id, commit)
  return state === 'SETUP' ? setUpStory(deps, id, commit, signal) : reopenReview(deps, id, commit, signal)
}

/** Before the process ends, snapshots every working story in a slot of this host. */
async function keepWorkspaces(deps: WorkspaceDependencies & Pick<WorkflowDependencies, 'scope'>): Promise<boolean> {
  let isKept = true
  const runs = (await deps.store.machines({ kind: 'run' })).filter(
    ({ id, state }) => !isEnded(state) && deps.scope.has(id),
  )
  const slots = (await deps.store.machines({ kind: 'slot' })).filter(({ data }) => data.host !== deps.engine.host)
  const elsewhere = new Set(slots.map(({ data }) => data.name))
  for (const { id } of runs) {
    for (const story of await storiesOf(deps.store, id)) {
      if (story.data.slot === null || elsewhere.has(story.data.slot)) continue
      const kept = await keepStoryIfPossible(deps, story, {
        why: 'Drydock was stopped',
        signal: AbortSignal.timeout(30_000),
      })
      if (isUnkept(kept)) {
        isKept = false
        const { run, story: name } = story
        const data = { reason: describeUnkept(kept) }
        await deps.engine.transact((tx) => tx.appendEvent({ run, story: name, type: 'unkept', data }))
      } else if (kept !== 'nothing' && kept.snapshot?.sha !== story.data.snapshot?.sha) {
        await deps.engine.transact(async (tx) => {
          await tx.edit(story, kept)
        })
      }
    }
  }
  return isKept
}

import { isDiskFull } from '../domain/disk-full.ts'
import { DrydockError, type ErrorCode } from '../domain/drydock-error.ts'
import { agentOf } from '../domain/lane/lane.ts'
import { limits } from '../domain/limits.ts'
import type { AnyMachine } from '../domain/machines.ts'
import type { Story } from '../domain/story/story.ts'
import { endStates } from '../domain/story/story-machine.ts'
import { InfraFailure } from '../gate/infra-failure.ts'
import type { Commit, StepHandler } from '../ports/engine.ts'
import { StaleVersion } from '../ports/store.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { applyDecision } from './lane/apply-decision.ts'
import type { DecisionDependencies } from './lane/dependencies.ts'
import { endCommands } from './lane/end-commands.ts'
import { load, storiesOf, storyOf } from './machines.ts'
import type { Repositories } from './repositories.ts'
import { holdStep, settleAfter } from './rest/hold-run.ts'
import { errorOf, parkRun } from './rest/park-run.ts'
import { createRoomWait } from './rest/wait-for-room.ts'
import { answerRun } from './run/answer-run.ts'
import type { StoryDependencies } from './story/dependencies.ts'
import { keepStoryIfPossible } from './story/keep-story.ts'
import { stopStory } from './story/stop-story.ts'
import { waitForWorkspace } from './story/workspace.ts'

export type StepOf = (deps: WorkflowDependencies, id: string, commit: Commit, signal: AbortSignal) => Promise<void>

/**
 * Runs a step and handles its failure: an infrastructure failure ends the story; any other error
 * puts the Run into ERROR; other Runs continue. A step that found the disk full is retried when
 * there is space. Rejects if the database is unreachable or the disk of a worker is full: the step
 * stays queued for others. A step of a machine that has moved in the meantime is not started.
 */
export function guarded(
  {
    deps,
    repositories,
  }: { readonly deps: WorkflowDependencies; readonly repositories: Repositories<WorkflowDependencies> },
  step: StepOf,
  afterwards: (machine: string) => void,
): StepHandler {
  const begin: StepHandler = async (job, commit, signal) => {
    if (await holdStep(deps, job, commit)) {
      await settleAfter(deps, job.machine)
      return
    }
    const machine = await deps.store.machine(job.machine)
    if (machine !== null && (await waitForWorkspace(deps, machine, commit))) {
      await settleAfter(deps, job.machine)
      return
    }
    for (let tries = 1; ; tries += 1) {
      try {
        const machine = await deps.store.machine(job.machine)
        if (machine !== null && machine.version !== job.version) {
          await commit(async () => {})
          break
        }
        await step(machine === null ? deps : await repositories.of(machine), job.machine, commit, signal)
        break
      } catch (error) {
        if (deps.share.untilReached && hasCode(error, 'hub_unreachable') && !signal.aborted) {
          // A step that the hub did not store is repeated when the hub is back.
          await deps.share.untilReached(signal)
          continue
        }
        if (!(error instanceof StaleVersion) || tries === limits.staleTries || signal.aborted) throw error
      }
    }
    await settleAfter(deps, job.machine)
    afterwards(job.machine)
  }

  const fail = async (error: unknown, ...[job, commit, signal]: Parameters<StepHandler>): Promise<void> => {
    const machine = await deps.store.machine(job.machine)
    if (!machine) throw error
    if (await endForInfra(deps, { machine, commit }, error, signal)) {
      await settleAfter(deps, job.machine)
      return
    }
    const run = await load(deps.store, 'run', machine.run)
    const kept =
      run.data.policy.slot === 'story'
        ? 'nothing'
        : await keepStoryIfPossible(deps, await onlyStory(deps, run.id), { why: 'a step failed', signal })
    await commit(async (tx) => {
      await parkRun(tx, deps, { run: machine.run, machine: job.machine, error: errorOf(error), kept })
    })
  }

  const handle: StepHandler = async (...given) => {
    const [job, , signal] = given
    const wait = createRoomWait(deps, job.machine)
    for (;;) {
      try {
        await begin(...given)
        break
      } catch (error) {
        if (signal.aborted || hasCode(error, 'database_unreachable')) throw error
        // Another machine continues the step: this worker ends, but the Run does not stop.
        if (deps.share.as === 'worker' && isDiskFull(error)) throw diskFull(error)
        if ((await isForRoom(deps, error)) && (await wait.untilRoom(signal))) continue
        await fail(error, ...given)
        break
      }
    }
    await wait.over()
  }
  return async (...given) => {
    await handle(...given)
    await endCommands(deps)
  }
}

/** True if a step failed for lack of disk space, even if that only kept a sandbox from opening. */
async function isForRoom({ hasRoom }: Pick<WorkflowDependencies, 'hasRoom'>, error: unknown): Promise<boolean> {
  if (isDiskFull(error)) return true
  return error instanceof InfraFailure && error.infra.errorType === 'resource_exhaustion' && !(await hasRoom())
}

function diskFull(cause: unknown): DrydockError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new DrydockError('disk_full', `The disk of this worker is full: ${why}`, {
    todo: 'Free some space and start the worker again. Its stories go on at other workers.',
    cause,
  })
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof DrydockError && error.code === code
}

async function onlyStory(deps: Pick<WorkflowDependencies, 'store'>, run: string): Promise<Story | null> {
  return (await storiesOf(deps.store, run))[0] ?? null
}

/**
 * Ends the story after an infrastructure failure, or the Run if it only asks. Returns false for any
 * other failure.
 */
async function endForInfra(
  deps: StoryDependencies & DecisionDependencies,
  { machine, commit }: FailedStep,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(error instanceof InfraFailure)) return false
  const run = await load(deps.store, 'run', machine.run)
  // The architect's sandbox belongs to the whole Run, so its failure ends no story.
  if (machine.kind === 'lane' && agentOf(machine.data.role) === 'architect') return false
  const isShared = run.data.policy.slot === 'run'
  const story = isShared ? await onlyStory(deps, run.id) : await storyOf(deps.store, machine)
  if (!story) {
    if (!isShared) return false
    const { errorType, errorMessage } = error.infra
    await commit((tx) => answerRun(tx, run.id, { error_type: errorType, error_message: errorMessage }))
    return true
  }
  if (endStates.includes(story.state)) return false
  const decision = await stopStory(deps, { run, story, stop: { infra: error.infra } }, signal)
  await commit((tx) => applyDecision(tx, deps, decision))
  return true
}

interface FailedStep {
  readonly machine: AnyMachine
  readonly commit: Commit
}

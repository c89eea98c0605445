import type { MachineKind } from '../domain/machine.ts'
import { endStates } from '../domain/story-machine.ts'
import type { Commit, StepHandler } from '../ports/engine.ts'
import { answerRun } from './answer-run.ts'
import { createCollector } from './collect-garbage.ts'
import { applyCommands } from './commands.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { finishRun } from './finish-run.ts'
import { InfraFailure } from './infra-failure.ts'
import { keepStory } from './keep-story.ts'
import { list, load, storyOf } from './machines.ts'
import { errorOf, parkRun } from './park-run.ts'
import { stopStory } from './plan-story.ts'
import { runLane } from './run-lane.ts'
import { runVerification } from './run-verification.ts'
import { runScoutQuery } from './scout-query.ts'
import { setUpStory } from './set-up-story.ts'
import { startRun } from './start-run.ts'

export interface Workflow {
  /** Makes the slots, applies pending commands, and takes up every job. */
  start(): Promise<void>
  /** Applies the commands that have come since. */
  applyCommands(): Promise<void>
  /** Stops taking steps, keeps every workspace on a hidden ref, and closes the sandboxes. */
  stop(options: { readonly drain: boolean }): Promise<void>
}

type Step = (deps: WorkflowDependencies, id: string, commit: Commit, signal: AbortSignal) => Promise<void>

const steps: Readonly<Record<MachineKind, { readonly step: Step; readonly concurrency: number }>> = {
  run: { step: runRun, concurrency: 4 },
  story: { step: setUpStory, concurrency: 4 },
  lane: { step: runLane, concurrency: 32 },
  scout_query: { step: runScoutQuery, concurrency: 4 },
  verification: { step: runVerification, concurrency: 2 },
}

/** What happens in each state of every machine, as durable steps on an engine. */
export function createWorkflow(deps: WorkflowDependencies): Workflow {
  const collector = createCollector(deps)
  return {
    async start() {
      await deps.workspaces.initialize(deps.slots)
      await deps.artifacts.removeUnfinished()
      await applyCommands(deps)
      collector.begin()
      for (const [kind, { step, concurrency }] of Object.entries(steps)) {
        const afterwards = kind === 'run' ? collector.begin : () => undefined
        deps.engine.work(kind as MachineKind, concurrency, guarded(deps, step, afterwards))
      }
    },
    applyCommands: () => applyCommands(deps),
    async stop(options) {
      await deps.engine.stop(options)
      await collector.stop(options)
      await deps.sandboxes.closeAll()
      await keepWorkspaces(deps)
    },
  }
}

function runRun(deps: WorkflowDependencies, id: string, commit: Commit, signal: AbortSignal): Promise<void> {
  return load(deps.store, 'run', id).then((run) =>
    run.state === 'WAITING' ? startRun(deps, id, commit, signal) : finishRun(deps, id, commit, signal),
  )
}

/** A step that failed ends its story when the infrastructure failed, and else puts its Run into ERROR; other Runs go on. */
function guarded(deps: WorkflowDependencies, step: Step, afterwards: () => void): StepHandler {
  return async (job, commit, signal) => {
    try {
      await step(deps, job.machine, commit, signal)
      afterwards()
    } catch (error) {
      if (signal.aborted) throw error
      const machine = await deps.store.machine(job.machine)
      if (!machine) throw error
      if (await endForInfra(deps, { run: machine.run, commit }, error, signal)) return
      const kept = await keepStory(deps, machine.run, signal)
      await commit(async (tx) => {
        await parkRun(tx, deps.slots, { run: machine.run, machine: job.machine, error: errorOf(error), kept })
      })
    }
  }
}

/** Whether the failure was the infrastructure's, and so ended the story, or the Run that has none. */
async function endForInfra(
  deps: WorkflowDependencies,
  failed: FailedStep,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(error instanceof InfraFailure)) return false
  const run = await load(deps.store, 'run', failed.run)
  const story = await storyOf(deps.store, failed.run)
  if (!story) {
    const { errorType, errorMessage } = error.infra
    await failed.commit((tx) => answerRun(tx, run.id, { error_type: errorType, error_message: errorMessage }))
    return true
  }
  if (endStates.includes(story.state)) return false
  const follow = await stopStory(deps, { run, stop: { infra: error.infra } }, signal)
  await failed.commit((tx) => follow(tx))
  return true
}

interface FailedStep {
  readonly run: string
  readonly commit: Commit
}

/** Before the process ends: every story that is under way is snapshotted. */
async function keepWorkspaces(deps: WorkflowDependencies): Promise<void> {
  for (const run of await list(deps.store, 'run', { states: ['MONITORING'] })) {
    const kept = await keepStory(deps, run.id, AbortSignal.timeout(30_000))
    if (typeof kept !== 'object') continue
    await deps.engine.transact(async (tx) => {
      const story = await storyOf(tx, run.id)
      if (story) await tx.updateMachine(story, { state: story.state, data: { ...story.data, ...kept } })
    })
  }
}

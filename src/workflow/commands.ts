import type { Command } from '../domain/command.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { isEnded, type Run, type RunData, type RunModels, type RunRequest } from '../domain/run.ts'
import type { CommandRow, Transaction } from '../ports/store.ts'
import { cancelRun } from './cancel-run.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { list, load, storyOf } from './machines.ts'
import { moveStory } from './move-story.ts'
import { errorOf } from './park-run.ts'
import { schedule } from './schedule.ts'

/** Applies what is pending, in order. */
export async function applyCommands(deps: WorkflowDependencies): Promise<void> {
  for (const { key, command } of await deps.store.pendingCommands()) {
    await deps.engine
      .transact(async (tx) => {
        if (await tx.commandApplied(key)) return
        await applyCommand(deps, tx, command)
        await tx.markApplied(key)
        await schedule(tx, deps.slots)
      })
      .catch((error: unknown) => setAside(deps, { key, command }, error))
  }
}

/** A command that cannot be applied must not stand in the way of the next start. */
async function setAside(deps: WorkflowDependencies, { key, command }: CommandRow, error: unknown): Promise<void> {
  if (error instanceof DrydockError) throw error
  await deps.engine.transact(async (tx) => {
    await tx.markApplied(key)
    const run = command.run ?? key
    const said = { ...errorOf(error) }
    await tx.appendEvent({ run, story: null, type: 'error', data: said })
    if (command.kind !== 'start') return
    // There is no Run, and whoever follows it must hear so.
    const result = { status: 'ERROR', kind: command.request.kind, branch: null, base: null, stories: [], tokens: 0 }
    await tx.appendEvent({ run, story: null, type: 'result', data: { ...result, cost_usd: null, error: said } })
  })
}

async function applyCommand(deps: WorkflowDependencies, tx: Transaction, command: Command): Promise<void> {
  switch (command.kind) {
    case 'start':
      return startRun(tx, command)
    case 'cancel':
      return cancelRun(deps, tx, command.run)
    case 'retry':
      return retryRun(deps, tx, command)
    case 'resume':
      return resumeRuns(tx, command)
    default:
      throw new Error(`unknown command ${JSON.stringify(command satisfies never)}`)
  }
}

async function startRun(tx: Transaction, command: Extract<Command, { kind: 'start' }>): Promise<void> {
  const { run: id, request, target, configFile, models } = command
  const data: RunData = {
    request,
    target,
    configFile,
    models,
    slot: null,
    base: null,
    config: null,
    branch: null,
    applied: null,
    diff: null,
    answer: null,
    error: null,
    unkept: false,
    parked: [],
  }
  await tx.insertMachine({ id, kind: 'run', run: id, story: null, state: 'WAITING', data })
  await tx.appendEvent({ run: id, story: null, type: 'run', data: { kind: request.kind, title: titleOf(request) } })
}

function titleOf(request: RunRequest): string {
  switch (request.kind) {
    case 'task':
      return request.task.text
    case 'verify':
      return `verify ${request.commit ?? 'the working tree'}`
    case 'scout':
      return request.question
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}

/** A story that ended without DONE starts again from its stuck report, with the guidance and all counters at 0. */
async function retryRun(
  deps: WorkflowDependencies,
  tx: Transaction,
  command: Extract<Command, { kind: 'retry' }>,
): Promise<void> {
  const run = await load(tx, 'run', command.run)
  const story = await storyOf(tx, run.id)
  if (!isEnded(run.state)) return
  // Nothing of it has begun, or only its end is missing.
  if (story === null) return returnRun(tx, run, command.models)
  if (story.state === 'DONE') return returnRun(tx, { ...run, data: { ...run.data, parked: [run.id] } }, command.models)
  const retries = story.data.retries + 1
  const moved = await moveStory(tx, deps.clock, story, {
    event: 'retried',
    data: {
      name: `${story.story}@${retries + 1}`,
      retries,
      guidance: command.guidance ?? story.data.guidance,
      planning: 0,
      failures: { consecutive: 0, loops: 0 },
      queries: { codebase: 0, build: 0 },
      lane: null,
      change: null,
      stop: null,
    },
  })
  if (moved) await returnRun(tx, run, command.models)
}

async function resumeRuns(tx: Transaction, { run: id, models }: Extract<Command, { kind: 'resume' }>): Promise<void> {
  const stopped = await list(tx, 'run', { states: ['ERROR'] })
  for (const run of stopped) if (id === null || run.id === id) await returnRun(tx, run, models)
  if (models === null) return
  for (const run of await list(tx, 'run', { states: ['WAITING', 'MONITORING'] })) {
    if (id === null || run.id === id) await changeModels(tx, run, models)
  }
}

/** Of a Run that was interrupted; a step of its own that is queued stays queued. */
async function changeModels(tx: Transaction, run: Run, models: RunModels): Promise<void> {
  const queued = (await tx.jobs()).some((job) => job.machine === run.id)
  const changed = await tx.updateMachine(run, { state: run.state, data: { ...run.data, models } })
  if (queued) await tx.enqueue(changed)
}

async function returnRun(tx: Transaction, run: Run, models: RunModels | null): Promise<void> {
  const data = { ...run.data, error: null, models: models ?? run.data.models }
  const waiting = await tx.updateMachine(run, { state: 'WAITING', data })
  if (data.slot !== null) await tx.enqueue(waiting)
  await tx.appendEvent({ run: run.id, story: null, type: 'run_state', data: { from: run.state, to: 'WAITING' } })
}

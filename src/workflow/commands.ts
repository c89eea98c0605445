import type { Command } from '../domain/command.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { shortageOf } from '../domain/lane/lane.ts'
import { budgetOf, isEnded, isHeld, newRun, type Run, type RunRequest } from '../domain/run/run.ts'
import type { RunModels } from '../domain/run/run-models.ts'
import { namesStories } from '../domain/run/run-policy.ts'
import { titleOfSpec } from '../domain/run/spec.ts'
import { subjectOf } from '../domain/run/subject.ts'
import type { RunScope } from '../domain/scope.ts'
import { acceptanceFacts } from '../gate/acceptance/acceptance-facts.ts'
import type { CommandRow } from '../ports/rows.ts'
import type { Transaction } from '../ports/store.ts'
import { actingFor } from './acting-for.ts'
import { acceptFindings } from './architect/accept-findings.ts'
import { decideTests } from './architect/acceptance/decide-tests.ts'
import { editPlan } from './architect/edit-plan.ts'
import { applyPost, applyReply } from './chat/apply-reply.ts'
import { goOnWithOther } from './chat/other-model.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { requestLanding } from './landing/request-landing.ts'
import type { DecisionDependencies } from './lane/dependencies.ts'
import { load, storiesOf } from './machines.ts'
import { startNextMerge } from './merge/merge-queue.ts'
import { takeRemarks } from './remark/take-remarks.ts'
import { holdRun } from './rest/hold-run.ts'
import { errorOf, errorRest } from './rest/park-run.ts'
import { wakePaused } from './rest/pause-lane.ts'
import { resumeStopped, returnRun } from './rest/resume-stopped.ts'
import { cancelRun } from './run/cancel-run.ts'
import { reopenCrew, retryVerifications } from './run/reopen-crew.ts'
import { schedule } from './run/schedule.ts'
import { changeSchedule } from './schedule/change-schedule.ts'
import type { StepDependencies } from './step-dependencies.ts'
import { retryMove } from './story/guide-story.ts'
import { moveStory } from './story/move-story.ts'

/** Applies pending commands in order. Returns the Runs that somebody asked to work on. */
export async function applyCommands(deps: DecisionDependencies & StepDependencies): Promise<readonly RunScope[]> {
  const pending = await deps.store.pendingCommands()
  for (const { key, command } of pending) {
    await deps.engine
      .transact(async (tx) => {
        if (await tx.commandApplied(key)) return
        await applyCommand(deps, actingFor(tx, command.by), { key, command })
        await tx.markApplied(key)
        await schedule(tx, deps)
      })
      .catch((error: unknown) => setAside(deps, { key, command }, error))
  }
  return pending.flatMap(({ command }) => askedBy(command))
}

/** The Runs that a command asks to work on or to bring to an end. */
function askedBy(command: Command): readonly RunScope[] {
  const { kind, run } = command
  if (command.kind === 'review') return [[command.run, command.followUp]]
  const asks =
    kind === 'start' ||
    kind === 'resume' ||
    kind === 'retry' ||
    kind === 'accept' ||
    kind === 'cancel' ||
    kind === 'land'
  return asks ? [run === null ? 'all' : [run]] : []
}

/** Sets aside a command that cannot be applied, so that it does not block the next start. */
async function setAside(
  deps: Pick<WorkflowDependencies, 'engine'>,
  { key, command }: CommandRow,
  error: unknown,
): Promise<void> {
  if (error instanceof DrydockError) throw error
  await deps.engine.transact(async (tx) => {
    await tx.markApplied(key)
    const run = command.run ?? key
    const said = { ...errorOf(error) }
    await tx.appendEvent({ run, story: null, type: 'error', data: said })
    if (command.kind !== 'start') return
    // No Run was created, and followers of its id must learn that.
    const result = {
      status: 'ERROR',
      kind: command.request.kind,
      branch: null,
      base: null,
      stories: [],
      tokens: 0,
    } as const
    await tx.appendEvent({ run, story: null, type: 'result', data: { ...result, cost_usd: null, error: said } })
  })
}

async function applyCommand(deps: DecisionDependencies, tx: Transaction, { key, command }: CommandRow): Promise<void> {
  switch (command.kind) {
    case 'start':
      return startRun(tx, command)
    case 'cancel':
      return cancelRun(tx, deps, command.run)
    case 'pause':
      return holdRun(tx, deps, command)
    case 'accept':
      return acceptFindings(tx, deps, command)
    case 'retry':
      return retryRun(deps, tx, command)
    case 'resume':
      return resumeRuns(deps, tx, command)
    case 'reply':
      return applyReply(tx, deps, { ...command, key })
    case 'post':
      return applyPost(tx, command)
    case 'budget':
      return raiseBudget(deps, tx, command)
    case 'review':
      return takeRemarks(tx, deps, command)
    case 'land':
      return requestLanding(tx, command)
    case 'acceptance':
      return decideTests(tx, deps, command)
    case 'plan':
      return editPlan(tx, deps, command)
    case 'schedule':
      return changeSchedule(tx, command)
    default:
      throw new Error(`unknown command ${JSON.stringify(command satisfies never)}`)
  }
}

/** Starts a crew's Run at once; any other Run waits for a slot. */
async function startRun(tx: Transaction, command: Extract<Command, { kind: 'start' }>): Promise<void> {
  const { run: id, request, target, configFile, models, budgetUsd = null, maxWaitSec = null } = command
  const { uncommitted, by, priority, allowFailing, acceptance } = command
  const data = newRun({
    request,
    target,
    configFile,
    models,
    budgetUsd,
    maxWaitSec,
    ...(by !== undefined && { startedBy: by }),
    ...(priority !== undefined && { priority }),
    ...(allowFailing !== undefined && { allowFailing }),
    ...(acceptance !== undefined && { acceptance: acceptanceFacts(acceptance) }),
  })
  if (acceptance !== undefined) await tx.keepAcceptanceTests(id, acceptance)
  const next = request.kind === 'spec' || request.kind === 'interview' ? 'queue' : 'rest'
  await tx.create({ id, kind: 'run', run: id, story: null, data }, next)
  await tx.appendEvent({ run: id, story: null, type: 'run', data: { kind: request.kind, title: titleOf(request) } })
  if (uncommitted) await tx.appendEvent({ run: id, story: null, type: 'uncommitted', data: uncommitted })
}

function titleOf(request: RunRequest): string {
  switch (request.kind) {
    case 'task':
      return subjectOf(request.task.text)
    case 'verify':
      return `verify ${request.commit ?? 'the working tree'}`
    case 'scout':
      return request.question
    case 'spec':
    case 'interview':
      return titleOfSpec(request.spec)
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}

/**
 * Restarts a story that ended without DONE from its stuck report, with the guidance and all
 * counters at 0.
 */
async function retryRun(
  deps: Pick<WorkflowDependencies, 'clock'>,
  tx: Transaction,
  command: Extract<Command, { kind: 'retry' }>,
): Promise<void> {
  const ended = await load(tx, 'run', command.run)
  if (ended.data.policy.slot === 'story')
    return reopenCrew(tx, deps, ended, { ...command, models: command.models && modelsOf(ended, command.models) })
  if (!isEnded(ended.state)) return
  const { maxWaitSec = ended.data.maxWaitSec ?? null } = command
  const run = { ...ended, data: { ...ended.data, maxWaitSec } }
  const story = (await storiesOf(tx, run.id))[0] ?? null
  // Either no story has started, or only the end of the Run is missing.
  const resuming = { models: modelsOf(run, command.models), again: null }
  if (story === null) return returnRun(tx, run, resuming)
  if (story.state === 'DONE')
    return returnRun(tx, { ...run, data: { ...run.data, rest: errorRest(deps.clock, [run.id]) } }, resuming)
  const moved = await moveStory(tx, deps.clock, story, retryMove(story, command.guidance))
  if (moved) await returnRun(tx, run, resuming)
}

async function resumeRuns(
  deps: DecisionDependencies,
  tx: Transaction,
  { run: id, models, maxWaitSec, keepsEnded = false }: Extract<Command, { kind: 'resume' }>,
): Promise<void> {
  const isMeant = (run: Run) => id === null || run.id === id
  const working: Run[] = []
  const meant = (await tx.machines({ kind: 'run' })).filter(isMeant)
  for (const stored of meant) {
    const run = await withMaxWait(tx, stored, maxWaitSec)
    if (run.state === 'ERROR') await resumeStopped(tx, deps, run, { models: modelsOf(run, models), again: null })
    else if (run.state === 'PAUSED' || (isHeld(run) && !isEnded(run.state)))
      working.push(await wakePaused(tx, deps, run))
    else if (!isEnded(run.state)) working.push(run)
  }
  if (models !== null)
    for (const run of working) await tx.edit(await load(tx, 'run', run.id), { models: modelsOf(run, models) })
  for (const run of meant) await goOnWithOther(tx, deps, run)
  if (!keepsEnded) for (const run of meant) await retryVerifications(tx, deps, await load(tx, 'run', run.id))
  await startNextMerge(tx, deps)
}

/** Changes how long the Run waits for a provider from now on. */
async function withMaxWait(tx: Transaction, run: Run, maxWaitSec: number | undefined): Promise<Run> {
  return maxWaitSec === undefined || isEnded(run.state) ? run : tx.edit(run, { maxWaitSec })
}

async function raiseBudget(
  deps: DecisionDependencies,
  tx: Transaction,
  { run: id, raise }: Extract<Command, { kind: 'budget' }>,
): Promise<void> {
  const run = await load(tx, 'run', id)
  if (isEnded(run.state) || run.data.base === null) return
  const budget = budgetOf(run)
  const lifts = !namesStories(run) || (await waitsForStory(tx, run))
  const raised = {
    runUsd: budget.runUsd + raise.runUsd,
    storyUsd: budget.storyUsd + Math.max(raise.storyUsd, lifts ? raise.runUsd : 0),
    runTokens: budget.runTokens + raise.runTokens,
    ...(budget.storyTokens !== undefined && { storyTokens: budget.storyTokens + raise.runTokens }),
  }
  // A Run that a human has paused continues only at a human's command.
  if (!isHeld(run)) await wakePaused(tx, deps, run, { budget: raised })
  else await tx.edit(run, { budget: raised })
  await tx.appendEvent({ run: id, story: null, type: 'budget', data: raised })
  await startNextMerge(tx, deps)
}

/**
 * True if the bound of a story would still block a call after only the Run's bound was raised. A
 * task has a single story.
 */
async function waitsForStory(tx: Transaction, run: Run): Promise<boolean> {
  const { storyUsd } = budgetOf(run)
  for (const { story, data } of await tx.machines({ kind: 'lane', run: run.id, states: ['ASKING'] })) {
    const short = shortageOf(data)
    if (short?.cap === 'story_usd') return true
    if (short === null || story === null) continue
    const { microUsd } = await tx.spent(run.id, story)
    if (microUsd + (short.wanted?.microUsd ?? 0) > storyUsd * 1e6) return true
  }
  return false
}

/**
 * The named models, or else the Run's own; a Run with a reviewer keeps its architect's model unless
 * one was named.
 */
function modelsOf(run: Run, named: RunModels | null): RunModels | null {
  if (named === null) return run.data.models
  return {
    ...named,
    architect: run.data.policy.reviewer !== null ? (named.architect ?? run.data.models?.architect ?? null) : null,
  }
}

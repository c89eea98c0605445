import type { z } from 'zod'
import type { startInterviewSchema, startRunSchema, startTaskSchema } from '../../api/commands.ts'
import { type AcceptanceTests, acceptanceProblem } from '../../domain/acceptance/acceptance-tests.ts'
import { isCommitId } from '../../domain/commit-id.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { SpecRequest } from '../../domain/run/run.ts'
import { titleOfSpec } from '../../domain/run/spec.ts'
import type { Drydock } from '../drydock.ts'
import { usage } from '../usage.ts'
import type { WorkOptions } from '../work-options.ts'
import { checkConfig } from './check-config.ts'
import { checkFiles, checkFilesAt } from './check-files.ts'
import { checkModels } from './check-models.ts'
import { type Before, findBefore, findInterview } from './spec-before.ts'
import { specRequest } from './spec-request.ts'
import { type Starting, startCommand } from './start-command.ts'

type Spec = z.output<typeof startRunSchema>
type Interview = z.output<typeof startInterviewSchema>
type Task = z.output<typeof startTaskSchema>

/** What is asked for, and the options that the server was started with. */
interface Asked<Given> {
  readonly given: Given
  readonly options: WorkOptions
}

/**
 * The commit that a client starts from, which it may have pushed; null for any other start.
 * DrydockError `git_failed`.
 */
async function takePushed({ userRepository }: Drydock, { target = '' }: Pick<Task, 'target'>) {
  if (!isCommitId(target)) return null
  await userRepository.takeBack(target)
  return target
}

/** Builds a spec, or only plans it. DrydockError. */
export async function specCommand(drydock: Drydock, { given, options: base }: Asked<Spec>) {
  await takePushed(drydock, given)
  const spec = { text: given.spec, source: given.source }
  const { plan_only: planOnly, review_stories: reviewStories, as_is: asIs, stories = null, again } = given
  const request = await specRequest(drydock, { spec, planOnly, reviewStories, asIs, stories })
  const { uncommitted } = given
  return buildCommand(drydock, { request, again, uncommitted, options: optionsOf(base, given) })
}

interface Building extends Pick<Task, 'uncommitted'> {
  readonly request: SpecRequest
  readonly again: boolean
  readonly options: WorkOptions
}

/** Builds a spec or the stories of a plan, or only plans it. DrydockError. */
export async function buildCommand(drydock: Drydock, { request, again, uncommitted, options }: Building) {
  refuseBefore(again ? null : await findBefore(drydock, { request, options }))
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(drydock, options, { crew: true, editor: !request.planOnly })
  const title = titleOfSpec(request.spec)
  return startFor(drydock, { uncommitted }, { request, models, checked, title, options })
}

/** Writes a spec with the user. DrydockError. */
export async function interviewCommand(drydock: Drydock, { given, options: base }: Asked<Interview>) {
  const spec = { text: given.text, source: 'text' }
  const options = optionsOf(base, given)
  refuseBefore(given.again ? null : await findInterview(drydock, { words: given.text, options }))
  const checked = await checkConfig(drydock, options, false)
  const models = checkModels(drydock, options, { crew: true, editor: false })
  const request = { kind: 'interview', spec, file: null } as const
  return startCommand(drydock, { request, models, checked, title: titleOfSpec(spec), options })
}

/** DrydockError `already_done`. */
function refuseBefore(before: Before | null): void {
  if (before === null || before.standing === 'over') return
  const state = before.run === null ? 'waits to start' : `is ${before.run.state}`
  throw new DrydockError('already_done', `The same spec already has a run: ${before.id} ${state}.`, {
    todo: 'Open that run, or start over.',
  })
}

/** DrydockError. */
export async function taskCommand(drydock: Drydock, { given, options: base }: Asked<Task>) {
  const {
    task: text,
    criteria,
    constraints,
    non_goals,
    files,
    dry_run: dryRun,
    review,
    review_plan: reviewPlan,
    acceptance: testsWritten,
    accept,
  } = given
  const pushed = await takePushed(drydock, given)
  await (pushed === null ? checkFiles(drydock, files) : checkFilesAt(drydock, pushed, files))
  if (dryRun && review) throw usage('A change that is only shown cannot be reviewed.', 'Leave out dry_run or review.')
  if (dryRun && testsWritten)
    throw usage('A change that is only shown is not tested.', 'Leave out dry_run or acceptance.')
  const acceptance = acceptanceOf(given)
  const options = optionsOf(base, given)
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(drydock, options, { crew: review, tests: testsWritten })
  const task = {
    ...{ text, constraints, non_goals, files },
    ...(criteria.length > 0 && { acceptance_criteria: criteria }),
  }
  const reviews = {
    ...(review && { reviewed: true as const }),
    ...(reviewPlan && { planReviewed: true as const }),
    ...(testsWritten && { testsWritten: true as const }),
  }
  const request = {
    kind: 'task',
    task,
    dryRun,
    apply: false,
    ...reviews,
    ...(accept.length > 0 && { accept }),
  } as const
  return startFor(drydock, given, { request, models, checked, title: text, options, acceptance })
}

/** DrydockError `bad_usage`. */
function acceptanceOf({ acceptance_tests: files }: Pick<Task, 'acceptance_tests'>): AcceptanceTests | undefined {
  if (files === undefined) return undefined
  const problem = acceptanceProblem({ files })
  if (problem !== null) throw usage(`The acceptance tests cannot be used: ${problem}.`, 'Send other files.')
  return { files }
}

/** Also says what a client has left out of the work. */
async function startFor(drydock: Drydock, { uncommitted }: Pick<Task, 'uncommitted'>, of: Starting) {
  const { key, command } = await startCommand(drydock, of)
  return { key, command: { ...command, ...(uncommitted !== undefined && { uncommitted }) } }
}

/** What was asked for wins over what the server was started with. */
function optionsOf(
  base: WorkOptions,
  {
    target,
    models = {},
    budget_usd,
    max_wait_sec,
    allow_failing,
    priority,
  }: Pick<Interview, 'target' | 'models' | 'budget_usd'> &
    Partial<Pick<Task, 'max_wait_sec' | 'allow_failing'>> &
    Partial<Pick<Spec, 'priority'>>,
): WorkOptions {
  return {
    ...base,
    ...(target !== undefined && { target }),
    ...(budget_usd !== undefined && { budgetUsd: budget_usd }),
    ...(max_wait_sec !== undefined && { maxWait: max_wait_sec }),
    ...(allow_failing !== undefined && { allowFailing: allow_failing }),
    ...(priority !== undefined && { priority }),
    ...(models.default !== undefined && { model: models.default }),
    ...(models.architect !== undefined && { architectModel: models.architect }),
    ...(models.editor !== undefined && { editorModel: models.editor }),
    ...(models.scout !== undefined && { scoutModel: models.scout }),
  }
}

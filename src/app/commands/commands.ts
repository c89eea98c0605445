import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type {
  acceptSchema,
  Handed,
  postSchema,
  raiseBudgetSchema,
  replySchema,
  retrySchema,
  startInterviewSchema,
  startRunSchema,
  startTaskSchema,
} from '../../api/commands.ts'
import type { Landed, landSchema } from '../../api/finish.ts'
import type { buildPlanSchema, EditedPlan, editPlanSchema } from '../../api/plan.ts'
import type { submitReviewSchema, submittedReviewSchema } from '../../api/remarks.ts'
import type { Command } from '../../domain/command.ts'
import { isCommitId } from '../../domain/commit-id.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { hasCrew, isEnded, type Run, type SpecRequest } from '../../domain/run/run.ts'
import { titleOfSpec } from '../../domain/run/spec.ts'
import type { ReceiptReader } from '../../ports/receipts.ts'
import type { Records } from '../../ports/store.ts'
import type { Drydock } from '../drydock.ts'
import { possibleWith } from '../possible.ts'
import { reading } from '../reading.ts'
import { usage } from '../usage.ts'
import { findExactly } from '../views/find/find-exactly.ts'
import { readReview } from '../views/remarks.ts'
import type { WorkOptions } from '../work-options.ts'
import { acceptCommand } from './accept-findings.ts'
import { authorOf } from './author-of.ts'
import { checkConfig } from './check-config.ts'
import { checkFiles, checkFilesAt } from './check-files.ts'
import { checkModels } from './check-models.ts'
import { givenRemarks } from './given-remarks.ts'
import { handOver } from './hand-over.ts'
import { givePause } from './pause.ts'
import { requestOfPlan } from './plan/build-plan.ts'
import { giveEdit } from './plan/edit-plan.ts'
import { givePost } from './post.ts'
import { giveAnswer } from './reply.ts'
import { retryCrew } from './retry-story.ts'
import { type Before, findBefore, findInterview } from './spec-before.ts'
import { specRequest } from './spec-request.ts'
import { type Starting, startCommand } from './start-command.ts'
import { submitReview } from './submit-review.ts'

/**
 * The commands of programs over HTTP. Each checks its input, stores a command, and waits for the
 * owner to apply it. They throw DrydockError.
 */
export interface Commands {
  startRun(given: z.output<typeof startRunSchema>): Promise<Handed>
  startInterview(given: z.output<typeof startInterviewSchema>): Promise<Handed>
  startTask(given: z.output<typeof startTaskSchema>): Promise<Handed>
  cancel(run: string): Promise<Handed>
  pause(run: string): Promise<Handed>
  resume(run: string): Promise<Handed>
  accept(run: string, given: z.output<typeof acceptSchema>): Promise<Handed>
  land(run: string, given: z.output<typeof landSchema>): Promise<Landed>
  retry(run: string, given: z.output<typeof retrySchema>): Promise<Handed>
  budget(run: string, raise: z.output<typeof raiseBudgetSchema>): Promise<Handed>
  submitReview(run: string, given: z.output<typeof submitReviewSchema>): Promise<z.output<typeof submittedReviewSchema>>
  editPlan(run: string, given: z.output<typeof editPlanSchema>): Promise<EditedPlan>
  buildPlan(run: string, given: z.output<typeof buildPlanSchema>): Promise<Handed>
  post(run: string, given: z.output<typeof postSchema>): Promise<Handed>
  reply(message: string, given: z.output<typeof replySchema>): Promise<Handed>
}

type Given<Name extends keyof Commands> = Parameters<Commands[Name]>[0]

export interface CommandsOf {
  /** The options that the server was started with. */
  readonly options: WorkOptions
  readonly receipts: ReceiptReader
  /** For whom they are given on a hub: every command that is stored has the name. */
  readonly by: string | null
}

export function createCommands(own: Drydock, { options, receipts, by }: CommandsOf): Commands {
  const drydock = by === null ? own : actingFor(own, by)
  const give = async (command: Command & { readonly run: string }, key = `${command.kind}/${randomUUID()}`) => ({
    run: command.run,
    handed: await handOver(drydock, key, command),
  })
  const find = (run: string) => reading(drydock, (records) => findExactly(records, run))
  return {
    async startRun(given) {
      checkNamed(by, given)
      const started = await specCommand(drydock, { given, options })
      return give(started.command, started.key)
    },
    async startInterview(given) {
      checkNamed(by, given)
      const started = await interviewCommand(drydock, { given, options })
      return give(started.command, started.key)
    },
    async startTask(given) {
      checkNamed(by, given)
      const started = await taskCommand(drydock, { given, options })
      return give(started.command, started.key)
    },
    async cancel(id) {
      const { run } = await find(id)
      if (!possibleWith(run).cancel) throw ended(run)
      return give({ kind: 'cancel', run: run.id })
    },
    async pause(id) {
      const { run } = await find(id)
      return { run: run.id, handed: await givePause(drydock, run) }
    },
    async resume(id) {
      const { run } = await find(id)
      if (isEnded(run.state)) throw ended(run)
      if (!possibleWith(run).resume) {
        throw done(`${run.id} is ${run.state}. It needs no resume.`, 'If no process works on it: drydock serve')
      }
      return give({ kind: 'resume', run: run.id, models: null } as const)
    },
    async land(id, given) {
      const { askLanding } = await import('./land/ask-landing.ts')
      const goal =
        given.goal === 'change'
          ? { kind: given.goal }
          : { kind: given.goal, branch: given.branch, accepted: given.accept }
      return askLanding(drydock, receipts, { id, goal })
    },
    retry: async (id, { story, guidance = null }) =>
      give(await reading(drydock, (records) => retryCommand(records, { id, story, guidance }))),
    accept: async (id, { story, findings: ids }) =>
      give(await acceptCommand(drydock, { id: story ? `${id}/${story}` : id, ids })),
    async budget(id, { run_usd, story_usd, run_tokens }) {
      const { run } = await find(id)
      if (isEnded(run.state)) throw ended(run)
      if (run.data.budget === null)
        throw usage(`${run.id} has not started and has no budget yet.`, 'Wait until it starts.')
      const raise = { runUsd: run_usd, storyUsd: story_usd, runTokens: run_tokens }
      return give({ kind: 'budget', run: run.id, raise })
    },
    async submitReview(id, { story, sha = null, remarks: given }) {
      const work = await find(story === undefined ? id : `${id}/${story}`)
      const known = await readReview(drydock, { ...work, story: null })
      const user = await authorOf(drydock, by)
      // On a hub nobody speaks for another.
      const said = by === null ? given : given.map((remark) => ({ ...remark, author: by }))
      const remarks = givenRemarks(said, { source: { kind: 'dashboard' }, author: user, known })
      const about = story === undefined ? id : `${id}/${story}`
      const submitted = await submitReview(drydock, { id: about, remarks, shown: sha })
      return { run: submitted.run, handed: submitted.handed, follow_up: submitted.followUp }
    },
    async editPlan(id, { version, stories }) {
      return giveEdit(drydock, { id, version, stories, author: await authorOf(drydock, by) })
    },
    async buildPlan(id, { version, again }) {
      const { request, target } = await requestOfPlan(drydock, id, version)
      const started = await buildCommand(drydock, { request, again, options: optionsOf(options, targetOf(target)) })
      return give(started.command, started.key)
    },
    async post(id, { story, text }) {
      const { run } = await find(id)
      if (isEnded(run.state)) throw ended(run)
      if (story !== null) await find(`${id}/${story}`)
      return { run: run.id, handed: await givePost(drydock, { run: run.id, story, text }) }
    },
    async reply(message, { text }) {
      const { run, handed } = await giveAnswer(drydock, message, text)
      return { run, handed }
    },
  }
}

/**
 * The same for somebody on a hub: every command says who has given it, and no other repository of
 * the machine is reached.
 */
function actingFor(drydock: Drydock, by: string): Drydock {
  return {
    ...drydock,
    submit: (key, command) => drydock.submit(key, { ...command, by }),
    async beside(directory) {
      if (directory === drydock.repository) return drydock.beside(directory)
      throw usage('On a hub a spec names no other repository.', 'Take "repositories" out of it.')
    },
  }
}

/** A recording is a file of the machine: on a hub only who starts the hub may name one. */
function checkNamed(by: string | null, { models = {} }: Pick<Given<'startRun'>, 'models'>): void {
  if (by === null || !Object.values(models).some((model) => model?.startsWith('replay:'))) return
  throw usage('A recording cannot be named on a hub.', 'Name a model of a provider.')
}

interface Asked<Name extends keyof Commands> {
  readonly given: Given<Name>
  readonly options: WorkOptions
}

/**
 * The commit that a client starts from, which it may have pushed; null for any other start.
 * DrydockError `git_failed`.
 */
async function takePushed({ userRepository }: Drydock, { target = '' }: Pick<Given<'startTask'>, 'target'>) {
  if (!isCommitId(target)) return null
  await userRepository.takeBack(target)
  return target
}

async function specCommand(drydock: Drydock, { given, options: base }: Asked<'startRun'>) {
  await takePushed(drydock, given)
  const spec = { text: given.spec, source: given.source }
  const { plan_only: planOnly, review_stories: reviewStories, as_is: asIs, stories = null, again } = given
  const request = await specRequest(drydock, { spec, planOnly, reviewStories, asIs, stories })
  const { uncommitted } = given
  return buildCommand(drydock, { request, again, uncommitted, options: optionsOf(base, given) })
}

interface Building extends Pick<Given<'startTask'>, 'uncommitted'> {
  readonly request: SpecRequest
  readonly again: boolean
  readonly options: WorkOptions
}

async function buildCommand(drydock: Drydock, { request, again, uncommitted, options }: Building) {
  refuseBefore(again ? null : await findBefore(drydock, { request, options }))
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(drydock, options, { crew: true, editor: !request.planOnly })
  const title = titleOfSpec(request.spec)
  return startFor(drydock, { uncommitted }, { request, models, checked, title, options })
}

const targetOf = (target: string | null) => (target === null ? {} : { target })

async function interviewCommand(drydock: Drydock, { given, options: base }: Asked<'startInterview'>) {
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
  throw done(`The same spec already has a run: ${before.id} ${state}.`, 'Open that run, or start over.')
}

async function taskCommand(drydock: Drydock, { given, options: base }: Asked<'startTask'>) {
  const { task: text, constraints, non_goals, files, dry_run: dryRun, accept } = given
  const pushed = await takePushed(drydock, given)
  await (pushed === null ? checkFiles(drydock, files) : checkFilesAt(drydock, pushed, files))
  const options = optionsOf(base, given)
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(drydock, options, { crew: false })
  const task = { text, constraints, non_goals, files }
  const request = { kind: 'task', task, dryRun, apply: false, ...(accept.length > 0 && { accept }) } as const
  return startFor(drydock, given, { request, models, checked, title: text, options })
}

/** Also says what a client has left out of the work. */
async function startFor(drydock: Drydock, { uncommitted }: Pick<Given<'startTask'>, 'uncommitted'>, of: Starting) {
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
    priority,
  }: Pick<Given<'startInterview'>, 'target' | 'models' | 'budget_usd'> &
    Pick<Given<'startTask'>, 'max_wait_sec'> &
    Partial<Pick<Given<'startRun'>, 'priority'>>,
): WorkOptions {
  return {
    ...base,
    ...(target !== undefined && { target }),
    ...(budget_usd !== undefined && { budgetUsd: budget_usd }),
    ...(max_wait_sec !== undefined && { maxWait: max_wait_sec }),
    ...(priority !== undefined && { priority }),
    ...(models.default !== undefined && { model: models.default }),
    ...(models.architect !== undefined && { architectModel: models.architect }),
    ...(models.editor !== undefined && { editorModel: models.editor }),
    ...(models.scout !== undefined && { scoutModel: models.scout }),
  }
}

interface Retried {
  readonly id: string
  readonly story: string | undefined
  readonly guidance: string | null
}

async function retryCommand(
  records: Records,
  { id, story, guidance }: Retried,
): Promise<Extract<Command, { kind: 'retry' | 'reply' }>> {
  const named = story === undefined ? id : `${id}/${story}`
  const work = await findExactly(records, named)
  const { run } = work
  if (hasCrew(run)) return retryCrew(records, work, { guidance, models: null })
  if (possibleWith(run).retry) return { kind: 'retry', run: run.id, guidance, models: null }
  throw usage(`${run.id} cannot be retried: it is ${run.state}.`, 'Start a new task.')
}

function ended(run: Run): DrydockError {
  return done(`${run.id} has ended: ${run.state}.`, 'See its report.')
}

function done(message: string, todo: string): DrydockError {
  return new DrydockError('already_done', message, { todo })
}

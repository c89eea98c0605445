import { randomUUID } from 'node:crypto'
import type { Drydock, StateReader } from '../compose.ts'
import type { Command } from '../domain/command.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { isUnresolved } from '../domain/run/retention.ts'
import { hasCrew, isEnded, type Run } from '../domain/run/run.ts'
import { titleOfSpec } from '../domain/run/spec.ts'
import { acceptCommand } from './accept-findings.ts'
import { checkText } from './chat.ts'
import type { CommonOptions, Context } from './context.ts'
import { findWork, isRetryable, type Work } from './find-run.ts'
import { handOver } from './hand-over.ts'
import { checkConfig, checkModels } from './open.ts'
import { outcomeNow } from './outcome-now.ts'
import { givePause } from './pause.ts'
import { reading } from './reading.ts'
import { giveAnswer } from './reply.ts'
import { readCrew } from './report/crew.ts'
import { crewReport } from './report/crew-report.ts'
import { workReport } from './report/work-report.ts'
import { retryCrew } from './retry-story.ts'
import { readSettings } from './settings.ts'
import { checkFiles } from './start/check-files.ts'
import { maxWaitOf } from './start/max-wait.ts'
import { findBefore } from './start/spec-before.ts'
import { startCommand } from './start/start-run.ts'
import { usage } from './usage.ts'

type Answers = Parameters<Drydock['serveDashboard']>[0]['answers']

type Given<Name extends keyof Answers> = Parameters<Answers[Name]>[0]

/**
 * What a browser asks for, done as the command line does it, with the options that the server was
 * started with.
 */
export function createDashboardAnswers(context: Context, drydock: Drydock, options: CommonOptions): Answers {
  const give = async (command: Command & { readonly run: string }, key = `${command.kind}/${randomUUID()}`) => ({
    run: command.run,
    handed: await handOver(drydock, key, command),
  })
  const find = (run: string) => reading(drydock, async (records) => exactly(await findWork(records, run), run))
  return {
    async startRun(given) {
      const started = await specCommand(context, drydock, { given, options })
      return give(started.command, started.key)
    },
    async startTask(given) {
      const started = await taskCommand(context, drydock, { given, options })
      return give(started.command, started.key)
    },
    async cancel(id) {
      const { run } = await find(id)
      if (isEnded(run.state) && !isUnresolved(run)) throw ended(run)
      return give({ kind: 'cancel', run: run.id })
    },
    async pause(id) {
      const { run } = await find(id)
      return { run: run.id, handed: await givePause(drydock, run) }
    },
    async resume(id) {
      const { run } = await find(id)
      if (isEnded(run.state)) throw ended(run)
      if (run.state !== 'ERROR' && run.state !== 'PAUSED' && run.data.held == null) {
        throw done(`${run.id} is ${run.state}: nothing has to be resumed.`, 'Where nobody works on it: drydock serve')
      }
      return give({ kind: 'resume', run: run.id, models: null } as const)
    },
    retry: async (id, { story, guidance = null }) =>
      give(await reading(drydock, (records) => retryCommand(records, { id, story, guidance }))),
    accept: async (id, { story, findings: ids }) =>
      give(await reading(drydock, (records) => acceptCommand(records, { id: story ? `${id}/${story}` : id, ids }))),
    async budget(id, { run_usd, story_usd, run_tokens }) {
      const { run } = await find(id)
      if (isEnded(run.state)) throw ended(run)
      if (run.data.budget == null)
        throw usage(`${run.id} has not started, and has no budget yet.`, 'Wait for its start.')
      const raise = { runUsd: run_usd, storyUsd: story_usd, runTokens: run_tokens }
      return give({ kind: 'budget', run: run.id, raise })
    },
    async post(id, { story, text }) {
      const { run } = await find(id)
      if (isEnded(run.state)) throw ended(run)
      if (story !== null) await find(`${id}/${story}`)
      return give({ kind: 'post', run: run.id, story, text: checkText(text) })
    },
    async reply(message, { text }) {
      const { run, handed } = await giveAnswer(drydock, message, text)
      return { run, handed }
    },
    report: (id) => reading(drydock, (records) => reportOf(drydock, records, id)),
    settings: () => readSettings(context, drydock, options),
  }
}

interface Asked<Name extends keyof Answers> {
  readonly given: Given<Name>
  readonly options: CommonOptions
}

async function specCommand(context: Context, drydock: Drydock, { given, options: base }: Asked<'startRun'>) {
  const spec = { text: given.spec, source: 'text' }
  const request = { kind: 'spec', spec, planOnly: false, reviewStories: given.review_stories, stories: null } as const
  const options = optionsOf(base, given)
  const before = given.again ? null : await findBefore(drydock, { request, options })
  if (before !== null) {
    const state = before.run === null ? 'waits to be started' : `is ${before.run.state}`
    throw done(`The same spec is there already: ${before.id} ${state}.`, 'Look at that one, or start it anew.')
  }
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(context, drydock, options, { crew: true })
  await drydock.checkPrices({ models, budgetUsd: options.budgetUsd ?? null, config: checked.config })
  const maxWaitSec = maxWaitOf(context, drydock, options)
  return startCommand({ drydock, request, models, checked, title: titleOfSpec(spec), options, maxWaitSec })
}

async function taskCommand(context: Context, drydock: Drydock, { given, options: base }: Asked<'startTask'>) {
  const { task: text, constraints, non_goals, files, dry_run: dryRun } = given
  checkFiles(drydock, files)
  const options = optionsOf(base, given)
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(context, drydock, options, { crew: false })
  await drydock.checkPrices({ models, budgetUsd: options.budgetUsd ?? null, config: checked.config })
  const maxWaitSec = maxWaitOf(context, drydock, options)
  const task = { text, constraints, non_goals, files }
  const request = { kind: 'task', task, dryRun, apply: false } as const
  return startCommand({ drydock, request, models, checked, title: text, options, maxWaitSec })
}

/** What was asked for wins over what the server was started with. */
function optionsOf(
  base: CommonOptions,
  { target, models = {}, budget_usd }: Pick<Given<'startRun'>, 'target' | 'models' | 'budget_usd'>,
): CommonOptions {
  return {
    ...base,
    ...(target !== undefined && { target }),
    ...(budget_usd !== undefined && { budgetUsd: budget_usd }),
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
  records: StateReader | null,
  { id, story, guidance }: Retried,
): Promise<Extract<Command, { kind: 'retry' | 'reply' }>> {
  const named = story === undefined ? id : `${id}/${story}`
  const work = exactly(await findWork(records, named), named)
  const { run } = work
  if (hasCrew(run)) return retryCrew(records, work, { guidance, models: null })
  if (isRetryable(run)) return { kind: 'retry', run: run.id, guidance, models: null }
  throw usage(`${run.id} cannot be retried: it is ${run.state}.`, 'Start a new task.')
}

async function reportOf(drydock: Drydock, records: StateReader | null, id: string): Promise<string> {
  const work = exactly(await findWork(records, id), id)
  const outcome = records && (await outcomeNow(drydock, records, work.run))
  if (records === null || outcome === null || !hasCrew(work.run)) return workReport(work, outcome)
  return crewReport(await readCrew(records, work.run), outcome)
}

/**
 * People may leave a Run's id out, and a task's story; an address names what it means. DrydockError
 * `not_found`.
 */
function exactly(work: Work, id: string): Work {
  const [run, story = work.story?.story] = id.split('/')
  if (run === work.run.id && story === work.story?.story) return work
  throw new DrydockError('not_found', `There is no ${id}.`, { todo: 'Look at the list of runs.' })
}

function ended(run: Run): DrydockError {
  return done(`${run.id} has ended: ${run.state}.`, 'See its report.')
}

function done(message: string, todo: string): DrydockError {
  return new DrydockError('already_done', message, { todo })
}

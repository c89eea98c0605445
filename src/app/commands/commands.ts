import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { decideTestsSchema } from '../../api/acceptance.ts'
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
import { DrydockError } from '../../domain/drydock-error.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { ReceiptReader } from '../../ports/receipts.ts'
import type { Records } from '../../ports/store.ts'
import type { Drydock } from '../drydock.ts'
import { canResume, possibleWith } from '../possible.ts'
import { reading } from '../reading.ts'
import { usage } from '../usage.ts'
import { findExactly } from '../views/find/find-exactly.ts'
import { readReview } from '../views/remarks.ts'
import type { WorkOptions } from '../work-options.ts'
import { acceptCommand } from './accept-findings.ts'
import { authorOf } from './author-of.ts'
import { decideCommand } from './decide-tests.ts'
import { givenRemarks } from './given-remarks.ts'
import { handOver } from './hand-over.ts'
import { overKept } from './kept-options.ts'
import { buildCommand, interviewCommand, specCommand, taskCommand } from './new-work.ts'
import { givePause } from './pause.ts'
import { requestOfPlan } from './plan/build-plan.ts'
import { giveEdit } from './plan/edit-plan.ts'
import { givePost } from './post.ts'
import { giveAnswer } from './reply.ts'
import { retryWork } from './retry-story.ts'
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
  /** `story` is `<run>/<story>`. */
  decideTests(story: string, given: z.output<typeof decideTestsSchema>): Promise<Handed>
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
      const stories = await reading(drydock, (records) => records.machines({ kind: 'story', run: run.id }))
      if (!canResume(run, stories)) {
        throw done(`${run.id} is ${run.state}. It needs no resume.`, 'If no process works on it: drydock serve')
      }
      return give({ kind: 'resume', run: run.id, models: null } as const)
    },
    async land(id, given) {
      const { askLanding } = await import('./land/ask-landing.ts')
      const goal =
        given.goal === 'onto'
          ? { kind: given.goal, branch: given.branch, accepted: given.accept }
          : { kind: given.goal }
      return askLanding(drydock, receipts, { id, goal })
    },
    retry: async (id, { story, guidance = null }) =>
      give(await reading(drydock, (records) => retryCommand(records, { id, story, guidance }))),
    accept: async (id, { story, findings: ids }) =>
      give(await acceptCommand(drydock, { id: story ? `${id}/${story}` : id, ids })),
    async decideTests(id, decision) {
      const work = await find(id)
      const author = await authorOf(drydock, by)
      return give(await reading(drydock, (records) => decideCommand(records, work, { ...decision, author })))
    },
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
      const { request, kept } = await requestOfPlan(drydock, id, version)
      const started = await buildCommand(drydock, { request, again, options: overKept(options, kept) })
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
  return retryWork(records, await findExactly(records, named), { guidance, models: null })
}

function ended(run: Run): DrydockError {
  return done(`${run.id} has ended: ${run.state}.`, 'See its report.')
}

function done(message: string, todo: string): DrydockError {
  return new DrydockError('already_done', message, { todo })
}

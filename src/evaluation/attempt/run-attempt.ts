import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repositoryConfigPath } from '../../config/load.ts'
import { type AttemptKey, type AttemptRecord, verdictOf } from '../../domain/bench/attempt-record.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Git } from '../git.ts'
import type { Task } from '../suite/suite.ts'
import { setUpArm } from './arm-setup.ts'
import { type BaseRepository, makeBaseRepository } from './base-repository.ts'
import { judge } from './judge.ts'
import { playSolution } from './play.ts'
import { type Program, type Ran, runDrydock } from './run-drydock.ts'
import { type EventTally, emptyTally, heldByAcceptance, tallyEvent } from './tally-events.ts'

export interface Attempting {
  readonly program: Program
  readonly task: Task
  readonly key: AttemptKey
  /** A folder that does not exist yet; the caller removes it. */
  readonly folder: string
  /** The file to which the run's events are appended. */
  readonly log: string
  /** The file to which the change is written as a patch. */
  readonly patch: string
  readonly modelFlags: readonly string[]
  readonly sandboxFlags: readonly string[]
  readonly signal: AbortSignal
}

/** Works on a task once, with a separate state, and judges the result with the hidden tests. */
export async function runAttempt(attempting: Attempting): Promise<AttemptRecord> {
  const { program, task, key, folder, log, signal } = attempting
  const repository = join(folder, 'repository')
  await mkdir(folder, { recursive: true })
  const made = await makeBaseRepository(task.source, repository, program.env.PATH)
  const config = task.config ?? (await made.git(['show', `${made.base}:${repositoryConfigPath}`]))
  const state = join(folder, 'state')
  // Temporary states do not belong on the user's database server.
  const own = { ...program, env: { ...program.env, DRYDOCK_HOME: state, DRYDOCK_DATABASE_URL: '' } }
  const args = await commandLine(attempting, { config, repository })
  const tally = emptyTally()
  const replies: Promise<void>[] = []
  const ran = await runDrydock(own, args, {
    signal,
    log,
    timeoutMs: 1_000 * task.timeoutSec,
    onEvent(event) {
      tallyEvent(tally, event)
      if (event.type !== 'escalation' || tally.questions > limits.evaluation.answers) return
      replies.push(reply(attempting, { program: own, repository, message: String(event.id) }))
    },
  })
  await Promise.all(replies)
  if (ran.exitCode === 2) throw refused(ran)
  const outcome = outcomeOf(ran, tally)
  // Without a gate, findings do not hold the work back.
  const isDone = outcome === 'DONE' || (key.arm === 'solo' && outcome === 'FINDINGS')
  const delivered = isDone && tally.result?.branch != null
  const commit = await leftCommit(made, tally, state)
  await writeFile(attempting.patch, await patchOf(made.git, made.base, commit))
  const facts = {
    ...key,
    outcome,
    delivered,
    held_by_acceptance: heldByAcceptance(tally),
    questions: tally.questions,
    returns: tally.returns,
    cost_usd: tally.result ? tally.result.cost_usd : tally.costUsd,
    tokens: tally.result?.tokens ?? tally.tokens,
    wall_ms: ran.wallMs,
    base: made.base,
    commit,
  }
  if (['ERROR', 'INFRA_ERROR', 'INTERRUPTED'].includes(outcome))
    return { ...facts, verdict: 'error', hidden: [], error: tally.result?.error?.message ?? ran.words }
  const judging = { program: own, git: made.git, folder, repository, task, config, base: made.base, commit }
  const hidden = await judge({ ...judging, flags: attempting.sandboxFlags, signal, log })
  const verdict = verdictOf(delivered, hidden)
  const failed = hidden.find(({ status }) => status === 'INFRA_ERROR')
  return { ...facts, verdict, hidden, ...(failed && { error: failed.tail }) }
}

interface AttemptSetup {
  readonly config: string
  readonly repository: string
}

async function commandLine(
  { task, key: { arm, acceptance, play }, folder, modelFlags, sandboxFlags }: Attempting,
  { config, repository }: AttemptSetup,
): Promise<readonly string[]> {
  const solution = play === null || play === 'empty' ? null : play === 'gold' ? task.gold : (task.wrong[play] ?? null)
  const played = play === null ? null : await playSolution(solution, arm)
  const setup = { task, arm, acceptance, folder, config, codingIterations: played?.codingIterations ?? null }
  const args = [...(await setUpArm(setup)), '--repo', repository, ...sandboxFlags]
  // A task without acceptance tests has no architect, and its command has no option for the
  // architect's model.
  const hasArchitect = arm === 'crew' || acceptance === 'with'
  const isUsed = (_: string, at: number) => hasArchitect || modelFlags[at - (at % 2)] !== '--architect-model'
  if (played === null) return [...args, ...modelFlags.filter(isUsed)]
  const file = join(folder, 'play.json')
  await writeFile(file, JSON.stringify(played.replay))
  const roles = ['model', ...(arm === 'crew' ? ['architect-model'] : []), 'editor-model', 'scout-model']
  return [...args, ...roles.flatMap((role) => [`--${role}`, `replay:${file}`])]
}

interface ReplyInput {
  readonly program: Program
  readonly repository: string
  /** The id of the message. */
  readonly message: string
}

/** Answers a question if the suite has an answer. */
async function reply({ task, signal, log }: Attempting, { program, repository, message }: ReplyInput): Promise<void> {
  if (task.answer === null) return
  const args = ['reply', message, task.answer, '--repo', repository]
  // An unanswered question ends when the attempt times out.
  await runDrydock(program, args, { signal, log: `${log}.replies`, timeoutMs: replyMs }).catch(() => {})
}

const replyMs = 60_000

/** A usage error, such as a model, a key or a sandbox, would repeat in every attempt. */
function refused({ words }: Ran): DrydockError {
  const todo = 'Correct the command line or your configuration, then start the bench again with --resume.'
  return new DrydockError('bad_usage', words.replace(/^drydock: /, '') || 'Drydock refused to start.', { todo })
}

function outcomeOf({ exitCode, timedOut }: Ran, { result }: EventTally): string {
  if (timedOut) return 'TIMEOUT'
  if (exitCode === 6) return 'WAITS_FOR_YOU'
  if (result?.outcome !== undefined) return result.outcome.code
  return exitCode === 130 ? 'INTERRUPTED' : 'ERROR'
}

/** The handed-over branch, or else the last verified commit, or the base. */
async function leftCommit({ git, base }: BaseRepository, tally: EventTally, state: string): Promise<string> {
  const { result, verified } = tally
  if (result?.branch != null) return git(['rev-parse', `refs/heads/${result.branch}`])
  if (verified === null) return base
  for (const name of await readdir(state)) {
    const mirror = join(state, name, 'mirror.git')
    if (!existsSync(mirror)) continue
    const refs = await git(['ls-remote', mirror, `refs/drydock/*/${verified}`])
    const sha = refs.split('\t')[0]
    if (!sha) continue
    await git(['fetch', '--quiet', '--no-tags', mirror, sha])
    return sha
  }
  return base
}

async function patchOf(git: Git, base: string, commit: string): Promise<string> {
  const patch = await git(['diff', '--binary', '--no-color', '--no-ext-diff', base, commit])
  return patch === '' ? '' : `${patch}\n`
}

import { verdictMessage } from '../agents/prompts/verdict-message.ts'
import { summarize } from '../domain/change-summary.ts'
import { countVerdict } from '../domain/failures.ts'
import type { JsonObject } from '../domain/json.ts'
import type { Run } from '../domain/run.ts'
import type { Story, StoryData } from '../domain/story.ts'
import type { Verdict, VerifierResponse } from '../domain/verdict.ts'
import type { Verification } from '../domain/verification.ts'
import type { Commit } from '../ports/engine.ts'
import type { ContextFile, Transaction } from '../ports/store.ts'
import { announcePrepare } from './announce-prepare.ts'
import { answerRun } from './answer-run.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { readGuide } from './guide.ts'
import { load } from './machines.ts'
import { prepareMilestone, prepareStuck } from './milestone.ts'
import { moveStory, type StoryMove } from './move-story.ts'
import { requireStory } from './plan-story.ts'
import { snapshotDiff } from './snapshot.ts'
import { verify } from './verifier.ts'

/** REQUESTED: verifies, and moves the story by the verdict; without a story the response is the Run's answer. */
export async function runVerification(
  deps: WorkflowDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const verification = await load(deps.store, 'verification', id)
  const run = await load(deps.store, 'run', verification.run)
  const config = run.data.config
  if (config === null) throw new Error(`run ${run.id} has not started`)
  const { runId, base, checkout, requestedAt } = verification.data
  const sha = verification.data.commit ?? (await snapshotUser(deps, run, requestedAt))
  const onPrepare = announcePrepare(deps, verification)
  const response = await verify(deps, { runId, commit: sha, base, checkout, config, onPrepare }, signal)
  const story = verification.story === null ? null : await requireStory(deps, run)
  const outcome = story && (await judge(deps, { run, story, sha, response }, signal))
  await commit(async (tx) => {
    await recordVerification(tx, { verification, commitSha: sha, response, finishedAt: deps.clock.now().toISOString() })
    if (story && outcome) {
      if (outcome.file) await tx.insertContextFile(outcome.file)
      await moveStory(tx, deps.clock, story, outcome.move)
    } else {
      await answerRun(tx, run.id, response as unknown as JsonObject)
    }
  })
}

async function snapshotUser(deps: WorkflowDependencies, run: Run, at: string): Promise<string> {
  return (await deps.workspaces.snapshotUserTree(`refs/drydock/verify/${run.id}`, new Date(at))).sha
}

interface Outcome {
  readonly move: StoryMove
  readonly file: ContextFile | null
}

interface Judged {
  readonly run: Run
  readonly story: Story
  readonly sha: string
  readonly response: VerifierResponse
}

/** Which event of the story machine the verdict is, with all that the transition will need. */
async function judge(
  deps: WorkflowDependencies,
  { run, story, sha, response }: Judged,
  signal: AbortSignal,
): Promise<Outcome> {
  const { event, failures } = countVerdict(response.status, story.data.failures)
  const attempts = [...story.data.attempts, { runId: response.run_id, status: response.status, sha }]
  const data: Partial<StoryData> = { attempts, failures }
  const verdict = toVerdict(response)
  const nextSlice = story.data.change?.nextSlice ?? null
  switch (event) {
    case 'passed':
      if (nextSlice !== null) {
        const answer = { output: verdictMessage(verdict, nextSlice), ok: true }
        return { move: { event: 'slice_passed', data, answer }, file: null }
      }
      return succeed(deps, { run, story, data, response }, signal)
    case 'failed':
      return { move: { event, data, answer: { output: verdictMessage(verdict, null), ok: false } }, file: null }
    case 'replan': {
      const { data: kept, file } = await prepareMilestone(deps, { run, story, milestone: 'replan', data }, signal)
      const guide = await readGuide(deps, kept.base)
      const diff = await snapshotDiff(deps, kept)
      return { move: { event, data: kept, guide, diff, lastTail: response.tail_log }, file }
    }
    case 'hard_stop':
    case 'infra_error': {
      const stop = verdict.status === 'INFRA_ERROR' ? { infra: verdict } : { reason: 'hard_stop' as const }
      const prepared = await prepareStuck(
        deps,
        { run, story, data: { ...data, stop }, tail: response.tail_log },
        signal,
      )
      return { move: { event, data: prepared.data }, file: prepared.file }
    }
    default:
      throw new Error(`unknown event ${event satisfies never}`)
  }
}

interface Passed {
  readonly run: Run
  readonly story: Story
  readonly data: Partial<StoryData>
  readonly response: VerifierResponse
}

async function succeed(
  deps: WorkflowDependencies,
  { run, story, data, response }: Passed,
  signal: AbortSignal,
): Promise<Outcome> {
  const prepared = await prepareMilestone(deps, { run, story, milestone: 'success', data }, signal)
  const kept = prepared.data
  const sha = kept.attempts.at(-1)?.sha ?? kept.base
  const files = await deps.workspaces.changedFiles(kept.base, sha)
  const said = kept.change?.summary ?? ''
  const summary = summarize({
    ...{ said, files, manifest: response.manifest },
    plan: kept.plans.at(-1) ?? null,
    prepare: run.data.config?.prepare ?? [],
  })
  return { move: { event: 'passed', data: { ...kept, summary } }, file: prepared.file }
}

function toVerdict(response: VerifierResponse): Verdict {
  const { status, run_id: runId, tail_log: tailLog } = response
  if (status !== 'INFRA_ERROR') return { status, runId, tailLog: tailLog ?? '' }
  return {
    status,
    runId,
    tailLog,
    errorType: response.error_type ?? 'unknown',
    errorMessage: response.error_message ?? '',
  }
}

interface Recording {
  readonly verification: Verification
  readonly commitSha: string
  readonly response: VerifierResponse
  readonly finishedAt: string
}

async function recordVerification(
  tx: Transaction,
  { verification, commitSha, response, finishedAt }: Recording,
): Promise<void> {
  const { run, story } = verification
  await tx.updateMachine(verification, { state: 'ENDED', data: verification.data })
  await tx.insertVerification({
    runId: response.run_id,
    run,
    story,
    commitSha,
    status: response.status,
    errorType: response.error_type ?? null,
    errorMessage: response.error_message ?? null,
    tailLog: response.tail_log,
    manifest: response.manifest,
    finishedAt,
  })
  const data = {
    run_id: response.run_id,
    status: response.status,
    ...(response.error_type && { error_type: response.error_type }),
  }
  await tx.appendEvent({ run, story, type: 'verification', data })
}

import { missingRemarks } from '../../agents/prompts/remarks-section.ts'
import { verdictMessage } from '../../agents/prompts/verdict-message.ts'
import { claimText } from '../../domain/claim.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { TrackedFinding } from '../../domain/gate/finding.ts'
import type { JsonObject } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import { openRemarks } from '../../domain/remark/remark-findings.ts'
import { plansFirst } from '../../domain/run/plans-first.ts'
import { acceptsNoChange, beganWith, gateConfigOf, type Run, type RunRequest } from '../../domain/run/run.ts'
import { storyBounds } from '../../domain/story/bounds.ts'
import { summarize } from '../../domain/story/change-summary.ts'
import { type Attempt, claimOf, type Story, type StoryData } from '../../domain/story/story.ts'
import type { Verdict, VerifierResponse } from '../../domain/verification/verdict.ts'
import type { Verification } from '../../domain/verification/verification.ts'
import { logWithEnd } from '../../domain/verification/why-failed.ts'
import type { VerifyInput } from '../../gate/verification-place.ts'
import { verify } from '../../gate/verifier.ts'
import type { Commit } from '../../ports/engine.ts'
import type { ContextFile } from '../../ports/rows.ts'
import { StaleVersion } from '../../ports/store.ts'
import { acceptanceOf, isAwaited, storyTests } from '../architect/acceptance/story-tests.ts'
import { unmetCriteria } from '../architect/acceptance/unmet-criteria.ts'
import { reviewRequest } from '../architect/request-prompts.ts'
import { verdictMarks } from '../editor/answer-marks.ts'
import { prepareMilestone, prepareStuck } from '../editor/milestone.ts'
import { notesOf } from '../editor/notes-of.ts'
import { guideFor } from '../guide/guide-for.ts'
import { applyDecision } from '../lane/apply-decision.ts'
import { type Decision, keptFile } from '../lane/decision.ts'
import { load, runOf, storyOf } from '../machines.ts'
import type { PublishDependencies } from '../merge/dependencies.ts'
import { settleMerge } from '../merge/settle-merge.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import type { EditorAnswer, StoryMove } from '../story/move-story.ts'
import { snapshotDiff } from '../story/snapshot.ts'
import { announcePrepare } from './announce-prepare.ts'
import { askAboutBase, asksAboutBase, isBaseAsked } from './ask-about-base.ts'
import { askAboutFlaky } from './ask-about-flaky.ts'
import { countedAgain, countVerdictOf } from './count-verdict.ts'
import type { VerificationDependencies } from './dependencies.ts'
import { nothingChanged, refactors } from './known-verdict.ts'
import { recordVerification } from './record-verification.ts'
import { toVerdict } from './to-verdict.ts'
import { trackedFindings } from './tracked-findings.ts'

/**
 * REQUESTED: verifies, and moves the story according to the verdict. Without a story, the response
 * becomes the Run's answer.
 */
export async function runVerification(
  deps: VerificationDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const verification = await load(deps.store, 'verification', id)
  const run = await runOf(deps.store, verification)
  const config = gateConfigOf(run)
  if (config === null) throw new Error(`run ${run.id} has not started`)
  const { runId, base, checkout, requestedAt } = verification.data
  const written = await acceptanceOf(deps.store, verification)
  const purpose = await purposeOf(deps, run, verification)
  if (purpose.purpose !== 'slice' && isAwaited(written)) return awaitTests(verification, commit)
  const sha = verification.data.commit ?? (await snapshotUser(deps, checkout, requestedAt))
  const onPrepare = announcePrepare(deps, verification)
  const criteria = purpose.purpose === 'slice' ? null : await storyTests(deps, written)
  const acceptance = run.data.acceptance === undefined ? null : await deps.store.acceptanceTests(run.id)
  const where = { commit: sha, base, isFromStart: beganWith(run, base), checkout }
  const asked = { runId, ...where, config, onPrepare, at: requestedAt, acceptance, criteria, ...purpose }
  const response = await verify(deps, asked, signal)
  await checkRoom(deps, verification, response)
  for (let tries = 1; ; tries += 1) {
    const now = await runOf(deps.store, verification)
    const decision = await settleVerification(deps, { run: now, verification, sha, response }, signal)
    try {
      await commit(async (tx) => {
        const finishedAt = deps.clock.now().toISOString()
        await recordVerification(tx, { verification, commitSha: sha, response, finishedAt })
        await applyDecision(tx, deps, decision)
      })
      return
    } catch (error) {
      // A person's decision on the story in the meantime changes the consequences, but not the
      // verdict.
      const isMeant = (await load(deps.store, 'verification', id)).version === verification.version
      if (!(error instanceof StaleVersion) || !isMeant || tries === limits.staleTries) throw error
    }
  }
}

/** A whole change waits for the tests of its story; `move-acceptance.ts` wakes it. */
async function awaitTests(verification: Verification, commit: Commit): Promise<void> {
  await commit(async (tx) => {
    if (!isAwaited(await acceptanceOf(tx, verification))) await tx.queue(await tx.edit(verification, {}))
  })
}

/**
 * A disk that is still full after a verification was not filled by its steps, whose files are gone
 * by then: the verification of a story is repeated once there is space. Throws DrydockError
 * `disk_full`.
 */
async function checkRoom(deps: VerificationDependencies, { story }: Verification, response: VerifierResponse) {
  const isShort = response.status === 'INFRA_ERROR' && response.error_type === 'resource_exhaustion'
  if (story === null || !isShort || (await deps.hasRoom())) return
  throw new DrydockError('disk_full', `The disk was full during a verification: ${response.error_message}`, {
    todo: 'Free some space, or files (inodes), then run: drydock resume',
  })
}

/** The purpose of the verification. The parts of a merge were already checked as changes. */
async function purposeOf(
  { store }: VerificationDependencies,
  { data: { request } }: Run,
  verification: Verification,
): Promise<Pick<VerifyInput, 'purpose' | 'refactor'>> {
  const story = await storyOf(store, verification)
  if (story === null) return { purpose: askedFor(request), refactor: false }
  if (verification.data.merge !== null) return { purpose: 'merge', refactor: false }
  const purpose = story.data.change?.nextSlice == null ? 'change' : 'slice'
  return { purpose, refactor: refactors(story.data) }
}

function askedFor(request: RunRequest): VerifyInput['purpose'] {
  if (request.kind !== 'verify') return 'alone'
  if (request.asChange) return 'change'
  return request.asMerge ? 'merge' : 'alone'
}

interface VerificationResult {
  readonly run: Run
  readonly verification: Verification
  readonly sha: string
  readonly response: VerifierResponse
}

/** Applies the response to the merge or story that requested it, or to a Run that only asked. */
async function settleVerification(
  deps: StoryDependencies & PublishDependencies,
  { run, verification, sha, response }: VerificationResult,
  signal: AbortSignal,
): Promise<Decision> {
  const { merge } = verification.data
  if (merge !== null) return settleMerge(deps, { run, merge, sha, response }, signal)
  const story = await storyOf(deps.store, verification)
  if (story === null) return [{ type: 'answer_run', run: run.id, answer: response as unknown as JsonObject }]
  const { move, file } = await judge(deps, { run, story, sha, response }, signal)
  return [
    ...keptFile(file),
    ...(move.event === 'base_red' ? asksAboutBase(run, response) : []),
    { type: 'advance_story', story, move },
  ]
}

/** The ref keeps the snapshot for the checkout until its next verification. */
async function snapshotUser(deps: VerificationDependencies, checkout: string, at: string): Promise<string> {
  return (await deps.userRepository.snapshotUserTree(`refs/drydock/verify/${checkout}`, new Date(at))).sha
}

interface Outcome {
  readonly move: StoryMove
  readonly file: ContextFile | null
}

interface JudgedStory {
  readonly run: Run
  readonly story: Story
  readonly sha: string
  readonly response: VerifierResponse
  /** The earlier verdict on the tree, which changes no count. */
  readonly known?: Attempt | undefined
}

/** Maps a verdict to an event of the story machine, with all data for the transition. */
export async function judge(
  deps: StoryDependencies,
  { run, story, sha, response, known }: JudgedStory,
  signal: AbortSignal,
): Promise<Outcome> {
  const counted = known === undefined ? countVerdictOf({ run, story, sha, response }) : countedAgain(story, known)
  const { event, ...data } = counted
  const { flakyInRow } = data
  const verdict = toVerdict(response)
  const nextSlice = story.data.change?.nextSlice ?? null
  const isWhole = response.status === 'PASS' && nextSlice === null
  const unmet = isWhole ? await unmetCriteria(deps, { run, story, data, response }) : null
  if (unmet !== null) return { move: unmet, file: null }
  // A story without a change ends even on a red base, which its result reports.
  const isClaimed = story.data.change?.claim !== undefined && run.data.policy.reviewer === null
  if (isClaimed && response.status !== 'INFRA_ERROR') return succeed(deps, { run, story, data, response }, signal)
  if ((event === 'failed' || event === 'replan') && isBaseAsked(run, story, response))
    return { move: askAboutBase({ story, data, response }), file: null }
  switch (event) {
    case 'passed':
      if (nextSlice !== null) {
        const answer = { output: verdictMessage(verdict, nextSlice), ok: true, marks: verdictMarks(response) }
        return { move: { event: 'slice_passed', data, answer }, file: null }
      }
      if (run.data.policy.reviewer === null) {
        const missing = withoutFate(story)
        if (missing.length > 0) return { move: askForFates(missing, { data, response, known }), file: null }
      }
      return succeed(deps, { run, story, data, response }, signal)
    case 'failed':
      if (flakyInRow >= storyBounds.flaky_verdicts.most) {
        const answer = failedAnswer(verdict, response)
        return askAboutFlaky(deps, { run, story, data, response, answer }, signal)
      }
      return { move: { event, data, answer: failedAnswer(verdict, response) }, file: null }
    case 'replan': {
      const { data: kept, file } = await prepareMilestone(deps, { run, story, milestone: 'replan', data }, signal)
      const guide = await guideFor(deps, story)
      const diff = await snapshotDiff(deps, kept)
      const again = plansFirst(run) ? event : 'start_over'
      return { move: { event: again, data: kept, guide, diff, lastTail: logWithEnd(response) }, file }
    }
    case 'hard_stop':
    case 'infra_error': {
      const stop = verdict.status === 'INFRA_ERROR' ? { infra: verdict } : { reason: 'hard_stop' as const }
      const prepared = await prepareStuck(
        deps,
        { run, story, data: { ...data, stop }, tail: logWithEnd(response) },
        signal,
      )
      return { move: { event, data: prepared.data }, file: prepared.file }
    }
    default:
      throw new Error(`unknown event ${event satisfies never}`)
  }
}

/** Remarks that an editor without a reviewer has not answered. */
function withoutFate({ data }: Story): readonly TrackedFinding[] {
  return openRemarks(data.reviews.code.findings).filter(({ answer }) => answer === undefined)
}

function askForFates(
  missing: readonly TrackedFinding[],
  { data, response, known }: Pick<JudgedStory, 'response' | 'known'> & { readonly data: Partial<StoryData> },
): StoryMove {
  const output = [known && nothingChanged(known), missingRemarks(missing)].filter(Boolean).join(' ')
  const answer = { output, ok: false, marks: verdictMarks(response) }
  return { event: 'slice_passed', data, answer }
}

function failedAnswer(verdict: Verdict, response: VerifierResponse): EditorAnswer {
  return { output: verdictMessage(verdict, null), ok: false, marks: verdictMarks(response) }
}

interface PassedStory {
  readonly run: Run
  readonly story: Story
  readonly data: Partial<StoryData>
  readonly response: VerifierResponse
}

async function succeed(
  deps: StoryDependencies,
  { run, story, data, response }: PassedStory,
  signal: AbortSignal,
): Promise<Outcome> {
  const prepared = await prepareMilestone(deps, { run, story, milestone: 'success', data }, signal)
  const sha = prepared.data.attempts.at(-1)?.sha ?? prepared.data.base
  const files = await deps.history.changedFiles(prepared.data.base, sha)
  const unchanged = run.data.policy.reviewer === null && sha === prepared.data.base
  const claim = claimOf({ ...prepared.data, unchanged })
  const said = claim === null ? (prepared.data.change?.summary ?? '') : claimText(claim)
  const { reviews } = prepared.data
  const findings = trackedFindings(run, prepared.data, response)
  const plan = prepared.data.plans.at(-1) ?? null
  // A review gets the findings separately.
  const told = run.data.policy.reviewer !== null ? [] : findings
  const notes = await notesOf(deps.store, story, prepared.data.change)
  const summary = summarize({ said, notes, files, manifest: response.manifest, plan, findings: told })
  const kept = { ...prepared.data, summary, reviews: { ...reviews, code: { ...reviews.code, findings } } }
  const { file } = prepared
  if (run.data.policy.reviewer === null) {
    // Only an unchanged green base can be accepted in advance.
    const isAccepted = acceptsNoChange(run) && response.status === 'PASS'
    const event = unchanged && !isAccepted ? 'ended_unchanged' : 'passed'
    return { move: { event, data: { ...kept, unchanged } }, file }
  }
  const isUnchanged = sha === kept.base
  const kind = isUnchanged ? 'completion' : 'code'
  const request = await reviewRequest(deps, { run, story: { ...story, data: kept }, kind })
  return { move: { event: isUnchanged ? 'passed_unchanged' : 'passed_to_review', data: kept, request }, file }
}

import { dataSection } from '../../agents/prompts/data-section.ts'
import { backoffMs } from '../../domain/backoff.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import type { Message } from '../../domain/lane/message.ts'
import { scoutLimits } from '../../domain/lane/next-request.ts'
import { limits } from '../../domain/limits.ts'
import type { Run } from '../../domain/run/run.ts'
import { scoutFindings } from '../../domain/scout/scout-findings.ts'
import type { ScoutQuery, ScoutQueryData } from '../../domain/scout/scout-query.ts'
import { scoutReportVersion } from '../../domain/scout/scout-report.ts'
import { capText } from '../../domain/text.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { prepareMilestone } from '../editor/milestone.ts'
import { brief } from '../editor/prompts/story-brief.ts'
import type { Acts, Decision, LaneCall } from '../lane/decision.ts'
import { openLane } from '../lane/open-lane.ts'
import { load, requireStory, storyOf } from '../machines.ts'
import type { StoryDependencies, WorkspaceDependencies } from '../story/dependencies.ts'
import { stopStory } from '../story/stop-story.ts'
import { tellingProgress } from '../story/tell-progress.ts'
import { scoutQuestion } from './scout-prompt.ts'

/** ASKED: opens the lane of the next try. */
export async function runScoutQuery(
  deps: WorkspaceDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const query = await load(deps.store, 'scout_query', id)
  const { scout, question, story, n, attempt, problems, requests = 0 } = query.data
  const asker = await storyOf(deps.store, query)
  if (asker === null) await prepareForQuestion(deps, query, signal)
  const asking = asker && brief(asker.data.task, { guide: null, steps: [], prepare: [], services: [] })
  await commit(async (tx) => {
    await tx.move(query, 'opened', { next: 'rest' })
    await openLane(tx, {
      run: query.run,
      story: query.story,
      key: `scout/${scout}/${story}/${n}.${attempt}`,
      role: scout === 'codebase' ? 'codebase_scout' : 'build_scout',
      parent: id,
      limits: {
        ...scoutLimits(limits.scoutRequests - requests),
        withoutProgress: limits.turnsWithoutProgress,
      },
      prompt: () => scoutQuestion(question, problems, asking),
    })
  })
}

/** Checks out the files of a question without a story, on the host of its slot. */
async function prepareForQuestion(deps: WorkspaceDependencies, query: ScoutQuery, signal: AbortSignal): Promise<void> {
  const { slot, base } = (await load(deps.store, 'run', query.run)).data
  if (slot === null || base === null) throw new Error(`run ${query.run} has not started`)
  await tellingProgress(deps, query, (onProgress) => deps.workTrees.prepare({ slot, tip: base, onProgress }, signal))
}

/** Stores a valid report in a context file, and passes it to the asker. */
export async function acceptReport(
  deps: StoryDependencies,
  { run, lane, input }: LaneCall<'submit_report'>,
  signal: AbortSignal,
): Promise<Decision> {
  const query = await load(deps.store, 'scout_query', lane.data.parent)
  const { scout, question, asker } = query.data
  const payload = { schema_version: scoutReportVersion, ...input } as JsonObject
  const story = await storyOf(deps.store, query)
  const report = { scout, question, payload }
  const believed = scoutFindings([report]).hypotheses.map((hypothesis) => `${scout} scout: ${hypothesis}`)
  const hypotheses = [...(story?.data.hypotheses ?? []), ...believed]
  const milestone =
    story &&
    (await prepareMilestone(deps, { run, story, milestone: 'scout report', data: { hypotheses }, report }, signal))
  const answered: Decision = [
    { type: 'end_lane', lane: lane.id },
    { type: 'move_query', query, event: 'answered' },
  ]
  if (!milestone || !story || asker === null) return [...answered, { type: 'answer_run', run: run.id, answer: payload }]
  return [
    ...answered,
    { type: 'keep_file', file: milestone.file },
    { type: 'edit_story', story, data: milestone.data },
    { type: 'answer_lane', answer: { lane: asker, output: JSON.stringify(payload, null, 1), ok: true } },
  ]
}

interface FailedTry {
  readonly run: Run
  readonly lane: Lane
  readonly problem: string
  /**
   * True if the scout's model answered but gave no report: the model is at fault, and not the
   * connection.
   */
  readonly wasHeard: boolean
  /** True if another try would end in the same way. */
  readonly isLast?: boolean
}

/**
 * Handles a try without a report. The next try waits, each time longer. After the last one, or if
 * the question has no requests left, the asker continues without a report if the scout's model
 * answered; otherwise it is an infrastructure failure (seed, invariant 9).
 */
export async function failScoutTry(
  deps: StoryDependencies,
  { run, lane, problem, wasHeard, isLast = false }: FailedTry,
  signal: AbortSignal,
): Promise<Decision> {
  const query = await load(deps.store, 'scout_query', lane.data.parent)
  const problems = [...query.data.problems, problem]
  const requests = (query.data.requests ?? 0) + lane.data.iterations
  if (!isLast && query.data.attempt < limits.scoutTries && requests < limits.scoutRequests) {
    const pauseMs = backoffMs(limits.scoutPauses, query.data.attempt, deps.clock.random())
    const data = { attempt: query.data.attempt + 1, problems, requests }
    return [
      { type: 'end_lane', lane: lane.id },
      { type: 'move_query', query, event: 'try_failed', data, pauseMs },
    ]
  }
  const failed: Decision = [
    { type: 'end_lane', lane: lane.id },
    { type: 'move_query', query, event: 'failed', data: { problems } },
  ]
  const { scout, asker } = query.data
  if (wasHeard && asker !== null) {
    const output = await unreported(deps, { lane, scout, problems })
    return [...failed, { type: 'answer_lane', answer: { lane: asker, output, ok: false } }]
  }
  return [...failed, ...(await withoutReport(deps, { run, query, problems }, signal))]
}

interface UnreportedLane extends Pick<ScoutQueryData, 'scout' | 'problems'> {
  readonly lane: Lane
}

/** The scout's last words, for an asker that continues without a report. */
async function unreported(
  deps: Pick<WorkflowDependencies, 'store'>,
  { lane, scout, problems }: UnreportedLane,
): Promise<string> {
  const why = `The ${scout} scout gave no report in ${triesOf(problems)} (${problems.at(-1)}). Continue without it: look for yourself.`
  const last = lastWords(await deps.store.messages(lane.id))
  return last === '' ? why : `${why}\nWhat it said last, unchecked:\n${dataSection('scout', last)}`
}

/** The last text of a scout, and its last refused report. */
function lastWords(messages: readonly Message[]): string {
  const own = messages.flatMap((message) => (message.role === 'assistant' ? [message] : []))
  const text = own.findLast((message) => message.text.trim() !== '')?.text ?? ''
  const report = own.flatMap(({ calls }) => calls).findLast(({ tool }) => tool === 'submit_report')
  return capText([text, report && JSON.stringify(report.input)].filter(Boolean).join('\n'), limits.scoutWordsChars)
}

interface FailedQuery {
  readonly run: Run
  readonly query: ScoutQuery
  readonly problems: readonly string[]
}

/** Ends the asking story, or the Run itself. */
async function withoutReport(
  deps: StoryDependencies,
  { run, query, problems }: FailedQuery,
  signal: AbortSignal,
): Promise<Decision> {
  const errorMessage = `the ${query.data.scout} scout gave no report in ${triesOf(problems)}: ${problems.join('; ')}`
  const infra = { errorType: 'scout_failed', errorMessage } as const
  if (query.data.asker !== null) {
    return stopStory(deps, { run, story: await requireStory(deps.store, query), stop: { infra } }, signal)
  }
  const answer = { error_type: infra.errorType, error_message: errorMessage }
  return [{ type: 'answer_run', run: run.id, answer }]
}

function triesOf({ length }: readonly string[]): string {
  return length === 1 ? '1 try' : `${length} tries`
}

/** Moves a query, which continues after a pause or ends, and reports it by an event. */
export async function moveQuery(
  tx: Transaction,
  { query, event, data = {}, pauseMs }: Acts['move_query'],
  { clock }: Pick<WorkflowDependencies, 'clock'>,
): Promise<void> {
  const next = pauseMs === undefined ? 'rest' : new Date(clock.now().getTime() + pauseMs)
  const { run, story, state, data: now } = await tx.move(query, event, { data, next })
  const told = { scout: now.scout, query: now.n, try: now.attempt, state }
  await tx.appendEvent({ run, story, type: 'scout', data: told })
}

import type { StoryAcceptance } from '../../../api/acceptance.ts'
import { criterionLine } from '../../../domain/acceptance/shown-criteria.ts'
import type { ToldGuide } from '../../../domain/guide/guide.ts'
import type { GoneBranch } from '../../../domain/run/gone-branch.ts'
import type { Outcome } from '../../../domain/run/outcome.ts'
import { pausedHow } from '../../../domain/run/pause-cause.ts'
import { publishedBranch } from '../../../domain/run/published-branch.ts'
import { isEnded, pausedBy, type Run } from '../../../domain/run/run.ts'
import { titleOf } from '../../../domain/run/title.ts'
import { boundsUsed, describeBounds } from '../../../domain/story/bounds.ts'
import { contextFolderOf } from '../../../domain/story/context-folder.ts'
import { describePlan } from '../../../domain/story/describe-plan.ts'
import type { StoryData } from '../../../domain/story/story.ts'
import type { VerifierResponse } from '../../../domain/verification/verdict.ts'
import { outageLines } from '../../text/outage-lines.ts'
import { scoutText } from '../../text/scout-text.ts'
import { shellWord } from '../../text/shell-word.ts'
import { verificationText } from '../../text/verification-text.ts'
import type { Acceptances } from '../acceptance/read-acceptance.ts'
import { namedStory, type Work } from '../find/find-work.ts'
import type { GateCosts } from './crew.ts'
import { toldGuidesSection } from './told-guides.ts'

/** The holds on a result, and the advice for each, one line per hold. */
export interface HoldReason {
  readonly by: string
  readonly todo: string
}

interface Beside {
  readonly guides: readonly ToldGuide[]
  /** The line about its change at a forge; null without a change. */
  readonly change: string | null
  readonly held: HoldReason | null
  readonly gateCosts: GateCosts
  readonly acceptances: Acceptances
  /** The deleted branch of the result; absent while it exists. */
  readonly gone?: GoneBranch | undefined
}

/**
 * The report of a Run without a crew, or of one story of a crew, as Markdown: its subject, its
 * result, and what to do next.
 */
export function workReport(
  work: Work,
  outcome: Outcome,
  { guides, change, held, gone, gateCosts, acceptances }: Beside,
): string {
  const { run, story } = work
  const named = namedStory(work)
  const title = (named ? `${named.story}: ${named.data.planned?.title ?? ''}` : titleOf(run)).split('\n')[0]
  const ofRun = named === null ? held : null
  const next = gone && !named ? [gone.todo] : nextSteps(work, outcome, ofRun)
  return [
    `# ${title}`,
    list([...facts(work, outcome, { gone, gateCosts }), ...heldLine(ofRun), ...(change === null ? [] : [change])]),
    run.data.error && `## Stopped\n\n${run.data.error.message}\n${run.data.error.todo}`,
    cameOf(work),
    acceptanceText(acceptances.get(story?.story ?? null)),
    story && planText(story.data),
    toldGuidesSection(guides),
    next.length > 0 && `## What to do next\n\n${list(next)}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function facts(
  { run, story }: Work,
  outcome: Outcome,
  { gone, gateCosts }: Pick<Beside, 'gone' | 'gateCosts'>,
): readonly string[] {
  const named = namedStory({ story })
  const state = `${outcome.code}. ${outcome.sentence}`
  const { base } = run.data
  const branch = publishedBranch(run)
  const last = story?.data.attempts.at(-1)
  const gateCost = gateCosts.get(last?.runId ?? '')
  const folder = story && story.data.contextFiles > 0 ? contextFolderOf(story.data) : null
  const problem = story?.data.contextPlace?.problem
  const used = story && describeBounds(boundsUsed(story.data, run.data.config?.reviewRounds))
  return [
    `Run: ${run.id}`,
    `State: ${named ? named.state : state}`,
    ...(run.data.startedBy === undefined ? [] : [`Started by: ${run.data.startedBy}`]),
    ...(story && !named ? [gone ? `Branch: ${gone.message}` : branchLine({ run, story })] : []),
    ...(named && branch !== null ? [`Branch of the run: ${branch}`] : []),
    ...(base === null ? [] : [`Base: ${base.slice(0, 12)}`]),
    ...(story ? [last ? `Verified: ${last.status}, run_id ${last.runId}` : 'Verified: not yet'] : []),
    ...(gateCost === undefined ? [] : [`Cost of the gate: ${gateCost}`]),
    ...(used ? [`Used of its bounds: ${used}`] : []),
    ...outageLines(run.data.outages).map((line) => `Model: ${line}`),
    ...(folder === null
      ? []
      : [`Context files: \`${folder}/\` of its workspace${problem ? `; the newest one is missing: ${problem}` : ''}`]),
  ]
}

function branchLine({ run }: Work): string {
  const { applied, diff } = run.data
  const branch = publishedBranch(run)
  if (run.state === 'DONE' && applied !== null) return 'Branch: none, the change is uncommitted in the working tree'
  if (run.state === 'DONE' && diff !== null) return 'Branch: none, it was a dry run'
  if (run.state === 'NO_CHANGE') return 'Branch: none, nothing changed'
  if (run.state === 'DONE') return branch === null ? 'Branch: none, nothing changed' : `Branch: ${branch}`
  return `Branch: none, ${isEnded(run.state) ? `it ended ${run.state}` : 'it is not done yet'}`
}

/** The summary, stuck report or answer; otherwise a sentence that there is none yet. */
function cameOf(work: Work): string {
  const { run, story } = work
  const { request, answer } = run.data
  if (story?.data.summary) return `## Summary\n\n${story.data.summary.text}`
  if (story?.data.stuckReport) return story.data.stuckReport
  const named = namedStory(work)
  const { id, state } = named ?? run
  const none = `${id} is ${state}${pausedText(run)}. There is no report yet.`
  if (answer === null || named) return none
  return request.kind === 'verify' ? verificationText(answer as unknown as VerifierResponse) : scoutText(answer)
}

function pausedText(run: Run): string {
  const by = pausedBy(run)
  if (by === null) return ''
  return by === 'user' ? ` ${pausedHow(run.data.rest ?? {})}` : ' by its budget'
}

function acceptanceText(acceptance: StoryAcceptance | undefined): string | null {
  return acceptance === undefined ? null : `## Acceptance criteria\n\n${list(acceptance.criteria.map(criterionLine))}`
}

function planText({ plans }: StoryData): string | null {
  const plan = plans.at(-1)
  return plan === undefined ? null : `## Plan\n\n${describePlan(plan)}`
}

/** The line about a held result; empty without a hold. */
export function heldLine(held: HoldReason | null): readonly string[] {
  return held === null ? [] : [`Held by: ${held.by}`]
}

function nextSteps(work: Work, { code }: Outcome, held: HoldReason | null): readonly string[] {
  const { run } = work
  const { id, state } = namedStory(work) ?? run
  if (run.data.error !== null && run.state === 'ERROR')
    return [`Continue once the problem is fixed: drydock resume ${run.id}`]
  if (code === 'WAITS_FOR_YOU')
    return [`Read its question: drydock chat ${run.id}`, 'Answer it: drydock reply <number> "…"']
  if (run.data.request.kind === 'verify' || run.data.request.kind === 'scout') return []
  switch (state) {
    case 'DONE':
      return id === run.id ? takeIt(work, held) : [`See its run: drydock report ${run.id}`]
    case 'INFRA_ERROR':
      return [`Continue once the problem is fixed: drydock retry ${id}`]
    case 'STUCK':
    case 'REJECTED':
      return [`Start again from this report: drydock retry ${id} --guidance "…"`]
    case 'NO_CHANGE':
      return [
        `Start again: drydock retry ${id} --guidance "…"`,
        `Accept that nothing changed: drydock accept ${id} no_change`,
      ]
    case 'CANCELLED':
      return id === run.id ? [`Start again: drydock retry ${id}`] : []
    case 'PAUSED':
      return pausedBy(run) === 'user'
        ? [`Continue with: drydock resume ${run.id}`]
        : [`Allow more: drydock budget ${run.id} --raise USD`]
    default:
      return [`Follow it: drydock watch ${run.id}`, `See its messages and actions: drydock log ${id}`]
  }
}

function takeIt({ run }: Work, held: HoldReason | null): readonly string[] {
  const { branch, base, applied, diff } = run.data
  if (applied !== null) return [`Look at it: git diff HEAD -- ${applied.map(shellWord).join(' ')}`]
  if (branch === null || diff !== null) return []
  return [
    `See it: git diff ${base?.slice(0, 8)} ${branch}`,
    ...(held === null ? [`Take it: git merge ${branch}`] : held.todo.split('\n')),
  ]
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

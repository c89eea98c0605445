import { dataSection } from '../../../agents/prompts/data-section.ts'
import { findingsSection } from '../../../agents/prompts/findings-section.ts'
import { remarksForReview } from '../../../agents/prompts/remarks-section.ts'
import type { TrackedFinding } from '../../../domain/gate/finding.ts'
import { heldByGate } from '../../../domain/gate/gate-finding.ts'
import { limits } from '../../../domain/limits.ts'
import { nameList } from '../../../domain/name-list.ts'
import type { ReviewKind } from '../../../domain/request/request.ts'
import { sentence } from '../../../domain/sentence.ts'
import type { Plan } from '../../../domain/story/plan.ts'
import type { ChangeSummary } from '../../../domain/story/story.ts'
import { capText } from '../../../domain/text.ts'
import { planSection } from '../../editor/prompts/story-brief.ts'
import { planDelta } from './plan-delta.ts'
import type { RequestPrompt } from './request-message.ts'

/** The subject of a request: one story, in the workspace of one coder, at one commit. */
export interface About {
  readonly brief: string
  readonly coder: string
  readonly sha: string
  /** Counts this kind of request within the story, from 1. */
  readonly round: number
  readonly guidance: string | null
}

type Section = string | false | null

/** First message of the lane of a `question`. */
export function questionPrompt(about: About, question: string, bound = ''): RequestPrompt {
  return compose(about, [
    `The editor of this story asks you${bound && ` (${bound})`}:\n${dataSection('question', question)}`,
    workspace(about),
  ])
}

interface PlanReview {
  readonly plan: Plan
  /** The plan of the previous round; null in the first. */
  readonly previous: Plan | null
  readonly findings: readonly TrackedFinding[]
}

/** First message of the lane of a `plan` review. */
export function planPrompt(about: About, { plan, previous, findings }: PlanReview): RequestPrompt {
  return compose(about, [
    `Review the editor's plan for this story, round ${about.round}. Would it do what the story asks, all of it and nothing else? Is each slice safe by itself? Are the tests the right ones? Is its view of the code true? Do not judge yet how the code will look.`,
    planSection(plan),
    previous && planDelta(plan, previous),
    earlier(findings),
    workspace(about, 'During a plan review the workspace is as the story found it, or as an earlier attempt left it.'),
  ])
}

interface CodeReview {
  readonly plan: Plan | null
  readonly summary: ChangeSummary | null
  /** The verification that the change has passed. */
  readonly runId: string
  /** The change since the story's base, perhaps cut. */
  readonly diff: string
  /** The changes since the last reviewed commit; null in the first round. */
  readonly delta: { readonly since: string; readonly diff: string } | null
  readonly findings: readonly TrackedFinding[]
}

/** First message of the lane of a `code` review. */
export function codePrompt(about: About, { plan, summary, runId, diff, delta, findings }: CodeReview): RequestPrompt {
  const { coder, round } = about
  const whole = delta === null ? 'the change' : 'the whole change, for reference'
  return compose(about, [
    `Review the editor's change for this story, round ${round}. ${passed(runId)} Answer all five questions in \`response\`.`,
    plan && planSection(plan),
    summarySection(summary),
    delta &&
      `What has changed since ${delta.since}, the last reviewed commit (\`get_diff\` with \`base: "${delta.since}"\` shows all of it):\n${diffSection('delta', delta.diff)}`,
    ofGate(findings),
    remarksForReview(findings, { canSettle: true }),
    earlier(findings.filter(({ by }) => by === undefined)),
    `Here is ${whole}. If it is cut, \`get_diff\` with \`coder_id: "${coder}"\` shows the rest, file by file:\n${diffSection('diff', diff)}`,
    workspace(about),
  ])
}

interface CompletionReview {
  readonly plan: Plan | null
  readonly summary: ChangeSummary | null
  readonly runId: string
  readonly findings: readonly TrackedFinding[]
}

/** First message of the lane of a `completion` review: the editor has changed nothing. */
export function completionPrompt(about: About, { plan, summary, runId, findings }: CompletionReview): RequestPrompt {
  return compose(about, [
    `The editor says that this story needs no change, and has made none. Review that claim, round ${about.round}. For each acceptance criterion find the code that meets it and the test that shows it. ${passed(runId)} A criterion that is not met is a finding.`,
    plan && planSection(plan),
    summarySection(summary),
    remarksForReview(findings, { canSettle: false }),
    earlier(findings.filter(({ by }) => by === undefined)),
    workspace(about),
  ])
}

export interface BudgetFigures {
  /** The lane's name in replay files: `editor/parser/CODING`. */
  readonly lane: string
  /** Turns used since the last reset, and the limit. */
  readonly turns: string
  /** Cost of the story so far in dollars, or a note that it is unknown. */
  readonly cost: string
  /** Duration of the lane from its first call to its last. */
  readonly minutes: number
  /** The reason why the editor was stopped. */
  readonly stop: string
  /** One line for each verification. */
  readonly attempts: readonly string[]
  readonly filesChanged: number
  /** Tokens of the lane, input and output together. */
  readonly tokens: number
  /** The last call that was refused or that failed. */
  readonly last: string | null
  /** The share of its limits that the story has used; omitted if unknown. */
  readonly bounds?: string | null
}

/** First message of the lane of a `budget` review: figures only. */
export function budgetPrompt(about: About, figures: BudgetFigures): RequestPrompt {
  const { lane, turns, cost, minutes, stop, attempts, filesChanged, tokens, last, bounds } = figures
  const lines = [
    `lane: ${lane}`,
    `turns used: ${turns}`,
    `stopped because: ${stop}`,
    `time: ${minutes} min`,
    `cost of the story: ${cost}`,
    `budget reviews so far, this one included: ${about.round}`,
    bounds && `used of its bounds: ${bounds}`,
    `files changed: ${filesChanged}`,
    `tokens: ${tokens}`,
    attempts.length === 0 ? 'verifications: none' : `verifications:\n${attempts.map((each) => `- ${each}`).join('\n')}`,
    last && `last refusal or failure: ${last}`,
  ]
  return compose(about, [
    `The editor of this story was stopped. How should it continue?\n${dataSection('figures', lines.filter(Boolean).join('\n'))}`,
  ])
}

interface SentBack {
  readonly kind: ReviewKind
  readonly verdict: 'NEEDS_CHANGES'
  readonly response: string
  readonly findings: readonly TrackedFinding[]
}

/**
 * The answer to `submit_plan` or `submit_change` after a review that sends the work back.
 */
export function reviewMessage({ kind, verdict, response, findings }: SentBack): string {
  const open = findings.filter(({ state }) => state === 'open')
  const what = {
    plan: 'your plan. Settle each blocker and major finding, then call `submit_plan` again with the whole plan.',
    code: 'your change. Fix each blocker and major finding and nothing else, then call `submit_change` again.',
    completion:
      'your claim that no change is needed. Make the change that the findings ask for, with tests, then call `submit_change`.',
  }[kind]
  return join([
    `${verdict}: the architect has sent back ${what} If a finding is wrong, show why, with evidence.`,
    dataSection('review', response),
    open.length > 0 && findingsSection('open_findings', open),
  ])
}

/**
 * Tells a coder the architect's words and the open minor findings of the review that approved its
 * plan. Null if there are neither.
 */
export function approvalNotes({
  response,
  findings,
}: {
  readonly response: string | null
  readonly findings: readonly TrackedFinding[]
}): string | null {
  const words = response?.trim() ?? ''
  const open = findings.filter(({ state }) => state === 'open')
  if (words === '' && open.length === 0) return null
  return join([
    'The architect has approved the plan. Its notes are advice.',
    words !== '' && dataSection('review', words),
    open.length > 0 && findingsSection('open_findings', open),
  ])
}

/** Tells the editor that a human approved its plan by accepting the findings. */
export function acceptedNotes(findings: readonly TrackedFinding[]): string {
  const accepted = findings.filter(({ acceptedBy }) => acceptedBy === 'human')
  return join([
    'A human has approved the plan and accepted these findings on it. Do nothing about them.',
    accepted.length > 0 && findingsSection('accepted_findings', accepted),
  ])
}

/** Tells the lane of an editor after a budget review that it continues with `iterations` turns. */
export function budgetMessage({
  response,
  iterations,
  cause,
}: {
  readonly response: string
  readonly iterations: number
  /** The reason why the lane was stopped. Lanes of an older Drydock do not have it. */
  readonly cause: string | undefined
}): string {
  return sentence`You were stopped: ${cause ?? ''}. The architect has seen the figures and lets you continue. You have ${iterations} turns from here. It says:\n${dataSection('review', response)}`
}

interface MergeReturn {
  /** Conflicting paths; empty if the merge was clean and its result failed verification. */
  readonly conflicts: readonly string[]
  /** Git's messages about the conflicts. */
  readonly explanation: string
  /** Last lines of the failed verification's log. */
  readonly tail: string | null
  /** Tip of the run branch onto which the change was merged. */
  readonly tip: string
  readonly runId: string | null
}

/** The answer to `submit_change` if an approved change could not be merged. */
export function mergeMessage({ conflicts, explanation, tail, tip, runId }: MergeReturn): string {
  const state = `Your change was approved, but the run branch has since moved to ${tip}, and`
  const next = 'It is then verified and reviewed again.'
  const facts =
    conflicts.length > 0
      ? [
          `${state} the two conflict. The workspace now holds the merge of both, with git's markers in these files:\n${dataSection('conflicts', nameList(conflicts))}`,
          explanation !== '' && dataSection('git', capText(explanation, limits.promptSummaryChars)),
          `Resolve all of them. Keep both what the run branch now does and what your story asks for, and leave no marker. A file that one side deleted or renamed may have no marker; check it, too. Then try the result with run_command and call \`submit_change\`. ${next}`,
        ]
      : tail === null
        ? [
            `${state} merging the two touches the gate in ways that the review has not accepted. The workspace now holds that merge.`,
            dataSection('gate_findings', explanation),
            `Undo what your story does not need. In your summary say why the rest is needed. Then call \`submit_change\`. ${next}`,
          ]
        : [
            `${state} the merged result fails verification, though nothing conflicts. The workspace now holds that merge.`,
            explanation !== '' && dataSection('git', capText(explanation, limits.promptSummaryChars)),
            `The last lines of the log:\n${dataSection('log', tail)}`,
            runId !== null && `The whole log: artifact:${runId}/logs/combined.log.`,
            `Find out which of your assumptions no longer holds, adapt your change to the run branch (not the other way round), and call \`submit_change\`. ${next}`,
          ]
  return join(facts)
}

function compose({ brief, guidance }: About, sections: readonly Section[]): RequestPrompt {
  return { text: join([brief, ...sections]), guidance }
}

function join(sections: readonly Section[]): string {
  return sections.filter(Boolean).join('\n\n')
}

function workspace({ coder, sha }: About, more = ''): string {
  return `Its workspace is \`coder_id: "${coder}"\`, as of commit ${sha}. Your answer is about this commit only. Without \`coder_id\` you read the run branch, onto which the work will be merged. ${more}`.trim()
}

function passed(runId: string): string {
  return `It has passed verification. The log is \`artifact:${runId}/logs/combined.log\`.`
}

function summarySection(summary: ChangeSummary | null): Section {
  return (
    summary &&
    `What the editor says, and what Drydock has found:\n${dataSection('summary', capText(summary.text, limits.promptSummaryChars))}`
  )
}

function diffSection(tag: string, diff: string): string {
  return dataSection(tag, diff === '' ? '(no change)' : diff)
}

function earlier(findings: readonly TrackedFinding[]): Section {
  return (
    findings.length > 0 &&
    `Findings of earlier rounds. For each open one, decide: fixed (leave it out), still open (name it again with its id), or right as it is (put its id into \`accepted\`):\n${findingsSection('earlier_findings', findings)}`
  )
}

/** The gate's findings hold a change until the reviewer accepts each by its id. */
function ofGate(findings: readonly TrackedFinding[]): Section {
  const found = heldByGate(findings)
  return (
    found.length > 0 &&
    `Findings of the gate: ways in which this change touches the tests or their set-up. Each open one holds the change until you put its id into \`accepted\`. Accept one only when the story needs exactly that. Otherwise ask for it to be undone:\n${findingsSection('gate_findings', found)}`
  )
}

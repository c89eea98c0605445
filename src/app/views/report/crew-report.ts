import { criterionLine } from '../../../domain/acceptance/shown-criteria.ts'
import type { ChatMessage } from '../../../domain/chat.ts'
import { formatCount, formatUsd } from '../../../domain/figures-text.ts'
import type { TrackedFinding } from '../../../domain/gate/finding.ts'
import { findingLine } from '../../../domain/gate/finding-line.ts'
import { fewNames } from '../../../domain/name-list.ts'
import type { GoneBranch } from '../../../domain/run/gone-branch.ts'
import type { Outcome } from '../../../domain/run/outcome.ts'
import { landsTogether, repositoryResults } from '../../../domain/run/repositories.ts'
import type { RepositoryResult } from '../../../domain/run/repository.ts'
import type { Run } from '../../../domain/run/run.ts'
import { titleOfSpec } from '../../../domain/run/spec.ts'
import { vagueOf, writtenSpecOf } from '../../../domain/run/written-spec.ts'
import { sentence } from '../../../domain/sentence.ts'
import { describeAgainstPeers } from '../../../domain/story/against-peers.ts'
import { boundsUsed, describeBounds } from '../../../domain/story/bounds.ts'
import { type PlannedStory, storyParts } from '../../../domain/story/planned-story.ts'
import type { Story } from '../../../domain/story/story.ts'
import { whyEnded } from '../../../domain/story/why-ended.ts'
import { quote } from '../../../domain/text.ts'
import { agentLines } from '../../text/agent-lines.ts'
import { outageLines } from '../../text/outage-lines.ts'
import { pushLine } from '../../text/take-line.ts'
import { costsOf, costsOfStory, usdPerMerged } from '../costs.ts'
import { peersOf } from '../peers.ts'
import { describeUntold } from '../untold.ts'
import type { Crew } from './crew.ts'
import { toldGuidesSection } from './told-guides.ts'
import { type HoldReason, heldLine } from './work-report.ts'

interface CrewFacts extends Crew {
  /** The line about its change at a forge; null without a change. */
  readonly change: string | null
  readonly held: HoldReason | null
  /** The deleted branch of the result; absent while it exists. */
  readonly gone?: GoneBranch | undefined
}

/**
 * The report of a spec as Markdown: the Run, each of its stories, and the questions to a human. Its
 * Markdown comes from Drydock, never from a model.
 */
export function crewReport(crew: CrewFacts, outcome: Outcome): string {
  const { run, stories } = crew
  const { request, stories: planned } = run.data
  const title = request.kind === 'spec' || request.kind === 'interview' ? titleOfSpec(request.spec) : run.id
  const known = new Map(stories.map((story) => [story.story, story]))
  const listed = planned ?? stories.flatMap(({ data }) => data.planned ?? [])
  const sections = [
    `# ${title}`,
    facts(crew, listed, outcome),
    run.data.error && `## Stopped\n\n${run.data.error.message}\n${run.data.error.todo}`,
    ...unfinished(listed, known),
    ...(hasStories(run)
      ? [
          '## Stories',
          listed.length === 0 && 'There are none yet.',
          ...listed.map((plan) => storySection(crew, plan, known.get(plan.id))),
        ]
      : [specSection(run)]),
    crew.flaky.length > 0 &&
      `## Flaky tests\n\nThey failed and passed without a change. A person should look at them.\n\n${lines(crew.flaky)}`,
    toldGuidesSection(crew.guides),
    '## Cost',
    crew.spending.length === 0 ? 'Nothing yet.' : lines(agentLines(crew.spending)),
    '## Questions to a human',
    questions(crew),
    lines(crew.untold.map(describeUntold)),
    crew.held !== null && `## What holds it\n\n${lines(crew.held.todo.split('\n'))}`,
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

function facts(
  { run, spending, stories, change, held, gone }: CrewFacts,
  listed: readonly PlannedStory[],
  { code, sentence }: Outcome,
): string {
  const { branch, base, tip, request } = run.data
  const done = stories.filter(({ state }) => state === 'DONE').length
  const [costs, each] = [costsOf(spending), usdPerMerged(spending, done)]
  return lines([
    `Run: ${run.id}`,
    `State: ${code}. ${sentence}`,
    run.data.startedBy !== undefined && `Started by: ${run.data.startedBy}`,
    ...repositoryResults(run).map(describeRepository),
    gone !== undefined && `Branch: ${gone.message} ${gone.todo}`,
    gone === undefined &&
      branch !== null &&
      !landsTogether(run) &&
      `Branch: ${branch}${tip === null ? '' : ` at ${short(tip)}`}`,
    change ?? false,
    ...heldLine(held),
    base !== null && !landsTogether(run) && `Base: ${short(base)}`,
    (run.data.planEditors ?? []).length > 0 && `Plan edited by: ${run.data.planEditors?.join(', ')}`,
    request.kind === 'spec' && request.planOf !== undefined && `Built from the plan: ${request.planOf}`,
    hasStories(run) &&
      (isPlanOnly({ run }) ? `Stories: ${listed.length}, planned only` : `Stories: ${done} of ${listed.length} done`),
    `Tokens: ${formatCount(costs.input_tokens + costs.output_tokens)}`,
    `Cost: ${formatUsd(costs.cost_usd)}${each === null ? '' : `, ${formatUsd(each)} for each finished story`}`,
    ...outageLines(run.data.outages).map((line) => `Model: ${line}`),
  ])
}

function describeRepository({ name, path, url, base, sha, branch }: RepositoryResult): string {
  const from = base === null ? '' : `, from ${short(base)}`
  const landed = branch === null ? 'not landed' : `on the branch ${branch}`
  const came = sha === null ? 'nothing merged' : `merged up to ${short(sha)}, ${landed}`
  const place = url === undefined ? path : `${url}, cloned into ${path}`
  const push = url === undefined || branch === null ? '' : `. Nothing is pushed: ${pushLine(path, branch)}`
  return `Repository ${name} (${place})${from}: ${came}${push}`
}

/** False for an interview and for a spec that is too vague, which have no stories. */
function hasStories({ state, data: { request } }: Run): boolean {
  return request.kind === 'spec' && state !== 'TOO_VAGUE'
}

/**
 * The spec of an interview, with its headings one level down, or the list of what a vague spec
 * lacks.
 */
function specSection({ state, data: { answer } }: Run): string {
  if (state === 'TOO_VAGUE') {
    const { reason, missing } = vagueOf(answer)
    return `## Too vague\n\n${reason}\n\n${lines(missing)}`
  }
  const spec = writtenSpecOf(answer)
  return spec === null ? '## Spec\n\nIt is not written yet.' : `## Spec\n\n${spec.text.trim().replaceAll(/^#/gm, '##')}`
}

function isPlanOnly({ run }: Pick<Crew, 'run'>): boolean {
  const { request } = run.data
  return request.kind === 'spec' && request.planOnly
}

/** Planned stories that are not merged and will not be without a person's help. */
function unfinished(listed: readonly PlannedStory[], known: ReadonlyMap<string | null, Story>): readonly string[] {
  const without = listed.flatMap(({ id, depends_on }) => {
    const story = known.get(id)
    if (story === undefined || !['STUCK', 'INFRA_ERROR', 'REJECTED', 'CANCELLED', 'BLOCKED'].includes(story.state))
      return []
    const missing = depends_on.filter((other) => known.get(other)?.state !== 'DONE')
    const waits = missing.length > 0 ? `it depends on ${missing.join(', ')}` : null
    return [`${id}: ${story.state}, ${reasonOf(story) ?? waits ?? 'by a human'}`]
  })
  return without.length === 0 ? [] : ['## Not built', lines(without)]
}

function reasonOf({ state, data: { stop } }: Story): string | null {
  if (stop === null) return null
  const reason = whyEnded(stop)
  return state === 'CANCELLED' ? `skipped after: ${reason}` : reason
}

function storySection(crew: Crew, plan: PlannedStory, story: Story | undefined): string {
  const { id } = plan
  const [heading, ...told] = storyParts(plan)
  if (isPlanOnly(crew)) return [`### ${heading}`, told.join('\n\n')].filter(Boolean).join('\n\n')
  const { merges, spending, run, gateCosts, acceptances } = crew
  const { criteria = [] } = acceptances.get(id) ?? {}
  const costs = costsOfStory(spending, id)
  const peers = describeAgainstPeers(peersOf(crew, crew.until).get(id) ?? { calls: null, time: null })
  const data = story?.data
  const used = data && describeBounds(boundsUsed(data, run.data.config?.reviewRounds))
  const merged = merges.findLast((merge) => merge.story === id && merge.state === 'MERGED')?.data ?? null
  const returned = merges.filter((merge) => merge.story === id && merge.state === 'RETURNED').length
  const gateCost = gateCosts.get(data?.attempts.at(-1)?.runId ?? '')
  const verifications = data?.attempts.map(({ runId, status }) => `${runId} ${status}`) ?? []
  const left = Object.values(data?.reviews ?? {}).flatMap(({ findings }) =>
    findings.filter(({ state }) => state !== 'closed'),
  )
  return [
    `### ${heading}`,
    lines([
      `State: ${story?.state ?? 'QUEUED'}`,
      plan.edited_by !== undefined && `Edited by: ${plan.edited_by}`,
      data !== undefined && data.retries > 0 && `Retries: ${data.retries}`,
      `Verifications: ${verifications.length === 0 ? 'none' : verifications.join(', ')}`,
      gateCost !== undefined && `Cost of the last one: ${gateCost}`,
      `Reviews: ${reviews(crew, id)}`,
      askedOf(crew, id),
      merged !== null && `Merged: ${short(merged.commit ?? '')}, verified by ${merged.attempt?.runId}`,
      merged?.receipt !== undefined && `Receipt: drydock receipt show ${short(merged.commit ?? '')}`,
      ...stops(crew, id),
      returned > 0 && `Returned from merging: ${returned}`,
      used != null && `Used of its bounds: ${used}`,
      `Tokens: ${formatCount(costs.input_tokens + costs.output_tokens)}`,
      `Cost: ${formatUsd(costs.cost_usd)}`,
      peers !== null && `It took ${peers}.`,
    ]),
    whatItDoes(told.join('\n\n'), data?.summary?.text ?? null),
    data?.summary &&
      data.summary.files.length > 0 &&
      `Files: ${fewNames(data.summary.files, data.summary.counts?.files).join(', ')}`,
    data?.summary?.facts && data.summary.facts.length > 0 && lines(data.summary.facts),
    criteria.length > 0 && `Acceptance criteria:\n\n${lines(criteria.map(criterionLine))}`,
    left.length > 0 && `Remaining findings:\n\n${lines(left.map(describeFinding))}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/**
 * The editor's summary of its change, without the sections that Drydock adds. Before a change
 * exists, the story's description.
 */
function whatItDoes(planned: string, summary: string | null): string {
  return summary === null ? planned : (summary.split('\n\n## ')[0] ?? '').trim()
}

function reviews({ requests }: Crew, story: string): string {
  const rounds = requests
    .filter((request) => request.story === story && request.data.kind !== 'question')
    .map(({ state, data: { kind, round, verdict } }) => `${kind} ${round} ${verdict ?? state}`)
  return rounds.length === 0 ? 'none' : fewNames(rounds).join(', ')
}

/** The number of questions that a story's editor asked the architect, which has no limit. */
function askedOf({ requests }: Crew, story: string): string | false {
  const asked = requests.filter((request) => request.story === story && request.data.kind === 'question')
  const open = asked.filter(({ state }) => state !== 'ANSWERED').length
  return asked.length > 0 && `Questions to the architect: ${asked.length}${open === 0 ? '' : `, ${open} unanswered`}`
}

/** Each stop of a story's editor, with the decision about it. */
function stops({ requests }: Crew, story: string): readonly string[] {
  return requests.flatMap(({ story: of, state, data: { cause, verdict, round } }) =>
    of === story && cause !== undefined
      ? [sentence`Editor stopped: ${cause}; budget ${round} ${verdict ?? state}`]
      : [],
  )
}

function describeFinding({ state, acceptedBy, accepter, ...finding }: TrackedFinding): string {
  return findingLine(finding, `${state}${acceptedBy ? ` by ${accepter ?? `a ${acceptedBy}`}` : ''}`)
}

function questions({ chat, open, unused }: Crew): string {
  const waiting = new Set(open.map(({ message }) => message.id))
  const asked = chat.filter((message) => message.post_type === 'escalate')
  if (asked.length === 0) return 'None.'
  return asked.map((message) => question(message, { chat, unused, open: waiting.has(message.id) })).join('\n\n')
}

function question(
  { id, story, content }: ChatMessage,
  { chat, unused, open }: Pick<Crew, 'chat' | 'unused'> & { readonly open: boolean },
): string {
  const answers = chat.filter((message) => message.reply_to === id && message.agent_id === 'human')
  const said = answers.flatMap((reply) => [
    `${reply.author === undefined ? '' : `${reply.author}:\n\n`}${quote(reply.content)}`,
    ...(unused.has(reply.id) ? [`Not used: ${unused.get(reply.id)}.`] : []),
  ])
  const isAnswered = answers.some((reply) => !unused.has(reply.id))
  const without = isAnswered ? [] : [open ? 'Not answered yet.' : 'Ended without an answer.']
  const [first = ''] = content.split('\n\n')
  return [`${id}${story === null ? '' : ` (${story})`}: ${first}`, ...said, ...without].join('\n\n')
}

function lines(items: readonly (string | false)[]): string {
  return items.flatMap((item) => (item === false ? [] : [`- ${item}`])).join('\n')
}

function short(sha: string): string {
  return sha.slice(0, 12)
}

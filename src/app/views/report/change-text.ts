import { formatDuration, formatUsd } from '../../../domain/figures-text.ts'
import { placeOf } from '../../../domain/gate/finding-line.ts'
import { heldByGate } from '../../../domain/gate/gate-finding.ts'
import { limits } from '../../../domain/limits.ts'
import type { Run } from '../../../domain/run/run.ts'
import { titleOf } from '../../../domain/run/title.ts'
import { nameOf } from '../../../domain/story/name-of.ts'
import type { Story } from '../../../domain/story/story.ts'
import { capText, firstLine } from '../../../domain/text.ts'
import { testsRemark } from '../../../domain/verification/tests-seen.ts'
import type { Landable } from '../../commands/land/landable.ts'
import { agentLines } from '../../text/agent-lines.ts'
import { inertBlock, inertWords } from '../../text/inert-markdown.ts'
import { costsOf } from '../costs.ts'

/** Delimiters of the report, so that an update keeps the text that people add outside them. */
const start = '<!-- drydock: begin of the report; what is written outside of it stays -->'
const end = '<!-- drydock: end of the report -->'

/** The title of a change: the subject of its Run, on one line. */
export function changeTitle(run: Run): string {
  const line = firstLine(titleOf(run))
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  return line.length > limits.forge.titleChars ? `${line.slice(0, limits.forge.titleChars - 1)}…` : line
}

/**
 * The report of a Run as the text of its change. Its Markdown comes from Drydock, never from a
 * model.
 */
export function changeText(landable: Landable): string {
  const { run, stories, spending, receipt } = landable
  const done = stories.filter(({ state }) => state === 'DONE')
  const share = Math.min(limits.forge.whatChars, Math.ceil(limits.forge.whatAllChars / Math.max(1, done.length)))
  const sections = [
    section('What', done.map((story) => whatOf(story, share)).join('\n\n')),
    section('Why', inertBlock(capText(whyOf(run), limits.forge.whyChars))),
    section('How it was verified', verified(landable)),
    section('Findings', findings(done, run.data.policy.reviewer !== null)),
    section('Not in this change', notBuilt(stories)),
    section('Cost', list([`Together: ${formatUsd(costsOf(spending).cost_usd)}`, ...agentLines(spending)])),
    `Made by Drydock ${receipt.drydock.version}.`,
  ]
  const left = `It is too long for a forge. See it: drydock report ${run.id}`
  return [start, ...fitted(sections.filter(Boolean), left), end].join('\n\n')
}

function section(title: string, text: string): string {
  return text === '' ? '' : `## ${title}\n\n${text}`
}

/**
 * Keeps only whole sections: a cut inside a section could end a code block, which keeps agents'
 * words harmless.
 */
function fitted(sections: readonly string[], left: string): readonly string[] {
  const size = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length + 2, 0)
  if (size(sections) <= limits.forge.changeChars) return sections
  const longest = sections.toSorted((a, b) => b.length - a.length)[0]
  const title = longest?.split('\n')[0]
  return fitted(
    sections.map((text) => (text === longest ? `${title}\n\n${left}` : text)),
    left,
  )
}

/**
 * Replaces the report in the text of a change. Without delimiters the text stays, since somebody
 * has removed the report.
 */
export function withReport(before: string, report: string): string {
  const [from, to] = [before.indexOf(start), before.lastIndexOf(end)]
  if (from < 0 || to < from) return before
  return before.slice(0, from) + report + before.slice(to + end.length)
}

/** The editor's summary of a story, without the sections that Drydock adds. */
function whatOf(story: Story, chars: number): string {
  const { summary, planned } = story.data
  const said = (summary?.text.split('\n\n## ')[0] ?? '').trim()
  const block = inertBlock(capText(said, chars))
  const name = nameOf(story)
  return name === null ? block : `### ${inertWords(`${name}: ${planned?.title ?? ''}`)}\n\n${block}`
}

function whyOf({ data: { request } }: Run): string {
  if (request.kind === 'spec') return request.spec.text
  if (request.kind !== 'task') return ''
  const { text, acceptance_criteria: criteria = [], constraints, non_goals: nonGoals } = request.task
  const more = [
    ...criteria.map((each) => `Criterion: ${each}`),
    ...constraints.map((each) => `Constraint: ${each}`),
    ...nonGoals.map((each) => `Non-goal: ${each}`),
  ]
  return [text, ...more].join('\n')
}

function verified({ sha, receipt, digest }: Landable): string {
  const { verification: gate, reviewer } = receipt
  const { tests } = gate
  const counts = tests && `${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`
  const facts = [
    `Commit: \`${sha}\``,
    `Verdict: ${gate.status} in \`${gate.run_id}\`, in a clean checkout without network`,
    `Tests: ${[counts, testsRemark(tests)].filter(Boolean).join('; ')}`,
    gate.flaky.length > 0 && `Flaky: ${gate.flaky.map(inertWords).join(', ')}`,
    gate.pre_existing.length > 0 && `Failing before, too: ${gate.pre_existing.map(inertWords).join(', ')}`,
    gate.roles !== undefined && `Roles of files: ${gate.roles}`,
    gate.not_tried !== undefined && `Hunks not tried: ${gate.not_tried.map(inertWords).join(', ')}`,
    gate.allowed !== undefined && `Allowed to fail: ${gate.allowed.map(inertWords).join(', ')}`,
    reviewer !== null && `Reviewed by: ${reviewer.agent}${reviewer.model && ` (${inertWords(reviewer.model)})`}`,
    `Receipt: \`sha256:${digest}\``,
  ]
  const rows = gate.commands.map(
    ({ name, command, exit_code: exit, duration_ms: ms }) =>
      `| ${inertWords(name)} | ${inertWords(command)} | ${exit ?? 'timed out'} | ${formatDuration(ms)} |`,
  )
  return [
    list(facts.filter((fact) => fact !== false)),
    ['| step | command | exit | time |', '| --- | --- | --- | --- |', ...rows].join('\n'),
    'Check it yourself, with the public key of whoever ran Drydock:',
    `\`\`\`sh\ngit fetch origin refs/notes/drydock:refs/notes/drydock\ndrydock receipt verify ${sha}\n\`\`\``,
    'A squash or a rebase makes new commits, of which no receipt speaks. A merge keeps this one.',
  ].join('\n\n')
}

/** Accepted findings of the gate and of reviews. */
function findings(stories: readonly Story[], isReviewed: boolean): string {
  const rows = stories.flatMap(({ story, data }) => {
    const found = data.reviews.code.findings
    const held = new Set(heldByGate(found).map(({ id }) => id))
    return found
      .filter(({ state }) => state === 'accepted')
      .map(({ id, file, line, claim, acceptedBy, accepter }) => {
        const who = acceptedBy === 'human' || !isReviewed ? (accepter ?? 'a human') : 'the architect'
        const where = inertWords(placeOf({ file, line }))
        const what = inertWords(capText(claim, limits.forge.claimChars))
        return `| ${inertWords(id)} | ${held.has(id) ? 'the gate' : 'a review'} | ${inertWords(story ?? '')} | ${where} | ${what} | ${who} |`
      })
  })
  if (rows.length === 0) return 'None is left.'
  return ['| id | by | story | where | claim | accepted by |', '| --- | --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  )
}

/** Stories that are not merged. */
function notBuilt(stories: readonly Story[]): string {
  const left = stories.filter(({ state }) => state !== 'DONE')
  return list(left.map(({ story, state }) => `${inertWords(story ?? '')}: ${state}`))
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

import { agentLines } from '../../app/text/agent-lines.ts'
import { costsByAgent, costsOf, costsOfStory, usdPerMerged } from '../../app/views/costs.ts'
import { namedStory, type Work } from '../../app/views/find/find-work.ts'
import { type Report, readReport } from '../../app/views/report/report.ts'
import { firmFindings } from '../../domain/gate/finding.ts'
import { publishedBranch } from '../../domain/run/published-branch.ts'
import { titleOf } from '../../domain/run/title.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

export async function report(
  { output, ...context }: Context,
  [id]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const told = await readReport(await open({ output, ...context }, options), id)
  const { run, story, outcome, text, isWhole, spending } = told
  const name = namedStory({ story })?.story ?? null
  const spent = name === null ? spending : spending.filter((each) => each.story === name)
  output.emit({
    type: 'report',
    run: run.id,
    ...(name !== null && { story: name }),
    title: titleOf(run),
    branch: publishedBranch(run),
    change: told.change,
    held_by: told.heldBy,
    state: name === null ? run.state : story?.state,
    ...(name === null && { outcome }),
    ...(isWhole ? { report: text } : oneStory(told)),
    guides: told.guides,
    cost: { ...costsOf(spent), agents: costsByAgent(spent), ...((isWhole || name !== null) && perStory(told)) },
    verifications: told.verifications.filter((each) => name === null || each.story === name).map(verificationOf),
  })
  if (output.json) return 0
  const more = [
    ...(name !== null ? [] : [section('Findings', findingLines(told)), section('Flaky tests', told.flaky)]),
    section('Cost', agentLines(spent)),
  ]
  output.say(output.screen.prose(isWhole ? text : `${text.trimEnd()}${more.join('')}`))
  return 0
}

function section(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `\n\n## ${title}\n\n${items.map((line) => `- ${line}`).join('\n')}`
}

/**
 * Findings that a human has accepted. The summary is as old as the change and cannot contain them.
 */
function findingLines({ story }: Work): readonly string[] {
  return firmFindings(story?.data.reviews.code.findings ?? []).map(({ id, state }) => `${id}: ${state}`)
}

/**
 * The costs of a spec's stories: each one, and the total divided by the number of merged stories.
 */
function perStory({ stories, spending }: Report): object {
  const merged = stories.filter(({ state }) => state === 'DONE').length
  const each = stories.map(({ story, state }) => ({ id: story, state, ...costsOfStory(spending, story ?? '') }))
  return { per_merged_story_usd: usdPerMerged(spending, merged), stories: each }
}

/** The report of a task or of a crew's story: its summary, or the reason why there is none. */
function oneStory({ run, story, acceptance }: Report) {
  const summary = story?.data.summary?.text ?? null
  const stuck = summary === null ? (story?.data.stuckReport ?? null) : null
  return { summary, stuck_report: stuck, ...(acceptance && { acceptance }), answer: run.data.answer }
}

function verificationOf({ runId, status, commitSha }: Report['verifications'][number]): object {
  return { run_id: runId, status, sha: commitSha }
}

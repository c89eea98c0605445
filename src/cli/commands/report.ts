import { type View, viewsOf } from '../../app/operations/views-of.ts'
import { agentLines } from '../../app/text/agent-lines.ts'
import { costsByAgent, costsOf, costsOfStory, usdPerMerged } from '../../app/views/costs.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

type ReportView = View<'reportNow'>

export async function report(
  { output, ...context }: Context,
  [id]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const told = await (await viewsOf(await open({ output, ...context }, options))).reportNow({ id })
  const { run, story, title, branch, change, held_by, state, outcome, text, whole, guides, spending } = told
  output.emit({
    type: 'report',
    run,
    ...(story !== null && { story }),
    title,
    branch,
    change,
    held_by,
    state,
    ...(story === null && { outcome }),
    ...(whole ? { report: text } : oneStory(told)),
    guides,
    cost: { ...costsOf(spending), agents: costsByAgent(spending), ...((whole || story !== null) && perStory(told)) },
    verifications: told.verifications,
  })
  if (output.json) return 0
  const more = [
    ...(story !== null ? [] : [section('Findings', findingLines(told)), section('Flaky tests', told.flaky)]),
    section('Cost', agentLines(spending)),
  ]
  output.say(output.screen.prose(whole ? text : `${text.trimEnd()}${more.join('')}`))
  return 0
}

function section(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `\n\n## ${title}\n\n${items.map((line) => `- ${line}`).join('\n')}`
}

/**
 * Findings that a human has accepted. The summary is as old as the change and cannot contain them.
 */
function findingLines({ findings }: ReportView): readonly string[] {
  return findings.map(({ id, state }) => `${id}: ${state}`)
}

/**
 * The costs of a spec's stories: each one, and the total divided by the number of merged stories.
 */
function perStory({ stories, spending_of_run: spending }: ReportView): object {
  const merged = stories.filter(({ state }) => state === 'DONE').length
  const each = stories.map(({ id, state }) => ({ id, state, ...costsOfStory(spending, id) }))
  return { per_merged_story_usd: usdPerMerged(spending, merged), stories: each }
}

/** The report of a task or of a crew's story: its summary, or the reason why there is none. */
function oneStory({ summary, stuck_report, acceptance, answer }: ReportView) {
  return { summary, stuck_report, ...(acceptance && { acceptance }), answer }
}

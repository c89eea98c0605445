import type { StateReader } from '../../compose.ts'
import { heldByGate } from '../../domain/gate/gate-finding.ts'
import type { Machine } from '../../domain/machine.ts'
import type { Spending } from '../../domain/run/budget.ts'
import { publishedBranch } from '../../domain/run/published-branch.ts'
import { hasCrew, type Run } from '../../domain/run/run.ts'
import { titleOf } from '../../domain/run/title.ts'
import type { CommonOptions, Context } from '../context.ts'
import { findWork, isBuilt, type Work } from '../find-run.ts'
import { open } from '../open.ts'
import { outcomeNow } from '../outcome-now.ts'
import { reading } from '../reading.ts'
import { flakyLines } from '../screen/flaky-lines.ts'
import { agentLines, costsByAgent, costsOf, costsOfStory, usdPerMerged } from './costs.ts'
import { readCrew } from './crew.ts'
import { crewReport } from './crew-report.ts'
import { workReport } from './work-report.ts'

export async function report(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const { output } = context
  return reading(drydock, async (records) => {
    const work = await findWork(records, id, isBuilt)
    const { run, story } = work
    const all = (await records?.verifications(run.id)) ?? []
    const ofCrew = hasCrew(run)
    const spending = (await records?.spending(run.id)) ?? []
    const stories = (await records?.machines({ kind: 'story', run: run.id })) ?? []
    const outcome = records && (await outcomeNow(drydock, records, run))
    const isWhole = ofCrew && story === null
    const whole = isWhole && records && outcome ? crewReport(await readCrew(records, run), outcome) : null
    const told = whole === null ? oneStory(work) : { report: whole }
    const name = ofCrew ? (story?.story ?? null) : null
    const spent = name === null ? spending : spending.filter((each) => each.story === name)
    output.emit({
      ...{ type: 'report', run: run.id, ...(name !== null && { story: name }) },
      ...{ title: titleOf(run), branch: publishedBranch(run) },
      ...{ state: name === null ? run.state : story?.state, ...(name === null && { outcome }), ...told },
      cost: { ...costsOf(spent), agents: costsByAgent(spent), ...perStory(run, stories, spending) },
      verifications: all.filter((each) => name === null || each.story === name).map(verificationOf),
    })
    if (output.json) return 0
    const flaky = flakyLines((await records?.flakyTests()) ?? [], run.id)
    const more = [
      ...(ofCrew ? [] : [section('Findings, as they are now', findingLines(work)), section('Flaky tests', flaky)]),
      section('Cost', agentLines(spent)),
    ]
    output.say(output.screen.prose(whole ?? `${workReport(work, outcome).trimEnd()}${more.join('')}`))
    return 0
  })
}

function section(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `\n\n## ${title}\n\n${items.map((line) => `- ${line}`).join('\n')}`
}

/**
 * What the summary, which is as old as the change, cannot say: which findings of the gate a human
 * has accepted since.
 */
function findingLines({ story }: Work): readonly string[] {
  return heldByGate(story?.data.reviews.code.findings ?? []).map(({ id, state }) => `${id}: ${state}`)
}

/**
 * What a spec's stories have cost: each, and the whole shared out to those that are in its branch.
 */
function perStory(run: Run, stories: readonly Machine[], spending: readonly Spending[]): object {
  if (!hasCrew(run)) return {}
  const merged = stories.filter(({ state }) => state === 'DONE').length
  const each = stories.map(({ story, state }) => ({ id: story, state, ...costsOfStory(spending, story ?? '') }))
  return { per_merged_story_usd: usdPerMerged(spending, merged), stories: each }
}

/** Of a task, or of a story of a crew: its summary, or else why it has none. */
function oneStory({ run, story }: Work) {
  const summary = story?.data.summary?.text ?? null
  const stuck = summary === null ? (story?.data.stuckReport ?? null) : null
  return { summary, stuck_report: stuck, answer: run.data.answer }
}

function verificationOf({
  runId,
  status,
  commitSha,
}: Awaited<ReturnType<StateReader['verifications']>>[number]): object {
  return { run_id: runId, status, sha: commitSha }
}

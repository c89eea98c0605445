import type { ReportView } from '../../../api/views/report.ts'
import { firmFindings } from '../../../domain/gate/finding.ts'
import type { GoneBranch } from '../../../domain/run/gone-branch.ts'
import type { Outcome } from '../../../domain/run/outcome.ts'
import { publishedBranch } from '../../../domain/run/published-branch.ts'
import { namesStories } from '../../../domain/run/run-policy.ts'
import { titleOf } from '../../../domain/run/title.ts'
import type { Records } from '../../../ports/store.ts'
import { authorOf } from '../../commands/author-of.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { StateAccess } from '../../state-access.ts'
import { flakyLines } from '../../text/flaky-lines.ts'
import { heldText, whoHolds } from '../../text/holds-text.ts'
import { type Acceptances, readAcceptances } from '../acceptance/read-acceptance.ts'
import { changeLine, readChangeOf } from '../change-of-run.ts'
import { findExactly } from '../find/find-exactly.ts'
import { findWork, namedStory, type Work } from '../find/find-work.ts'
import { goneBranch, goneFor } from '../finish/gone-branches.ts'
import { readVerdict, verdictReader } from '../finish/verdict-now.ts'
import { ownership } from '../outcome-now.ts'
import { readCrew, readGateCosts } from './crew.ts'
import { crewReport } from './crew-report.ts'
import { readToldGuides } from './told-guides.ts'
import { workReport } from './work-report.ts'

/**
 * The report of the named Run or story, or of the latest Run that builds. `by` names who asks on a
 * hub. Throws DrydockError `not_found`.
 */
export async function readReport(
  drydock: Pick<Installation, 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub' | 'connect'>,
  by: string | null,
  id: string | undefined,
): Promise<ReportView> {
  const isOwned = await ownership(drydock)
  const you = await authorOf(drydock, by)
  return reading(drydock, async (records) => {
    const work = await findWork(records, id)
    const { run, story } = work
    const gone = (await goneFor({ by }, drydock, [run])).get(run.id)
    const { heldBy, ...outcome } = await readVerdict(records, run, { isWorkedOn: isOwned(run), gone, you })
    const whole = isOfRun(work)
    const name = namedStory(work)?.story ?? null
    const spending = await records.spending(run.id)
    const summary = story?.data.summary?.text ?? null
    return {
      run: run.id,
      story: name,
      title: titleOf(run),
      branch: publishedBranch(run),
      change: await readChangeOf(records, run),
      held_by: heldBy,
      state: (name === null ? run : story)?.state ?? run.state,
      outcome,
      text: await reportOf(records, work, { outcome, isWhole: whole, gone, you }),
      whole,
      summary,
      stuck_report: summary === null ? (story?.data.stuckReport ?? null) : null,
      acceptance: (await acceptancesOf(records, work)).get(story?.story ?? null) ?? null,
      answer: run.data.answer,
      findings: firmFindings(story?.data.reviews.code.findings ?? []).map(({ id, state }) => ({ id, state })),
      flaky: flakyLines(await records.flakyTests(), run.id),
      guides: await readToldGuides(records, run, story?.story ?? null),
      spending: name === null ? spending : spending.filter((each) => each.story === name),
      stories: (await records.machines({ kind: 'story', run: run.id })).map(({ story, state }) => ({
        id: story ?? '',
        state,
      })),
      spending_of_run: spending,
      verifications: (await records.verifications(run.id))
        .filter((each) => name === null || each.story === name)
        .map(({ runId, status, commitSha }) => ({ run_id: runId, status, sha: commitSha })),
    }
  })
}

/** The report of exactly the named Run, as Markdown. Throws DrydockError `not_found`. */
export async function readRunReport(
  drydock: Pick<Installation, 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub' | 'connect'>,
  id: string,
): Promise<string> {
  const isOwned = await ownership(drydock)
  const you = await authorOf(drydock, null)
  return reading(drydock, async (records) => {
    const work = await findExactly(records, id)
    const gone = await goneBranch(drydock, work.run)
    const isWorkedOn = isOwned(work.run)
    const { heldBy: _, ...outcome } = await readVerdict(records, work.run, { isWorkedOn, gone, you })
    return reportOf(records, work, { outcome, isWhole: isOfRun(work), gone, you })
  })
}

/** True if the report is about all stories of the Run, because the stories have names. */
function isOfRun({ run, story }: Work): boolean {
  return story === null && namesStories(run)
}

interface Reporting {
  readonly outcome: Outcome
  /** True if the report covers a whole spec. */
  readonly isWhole: boolean
  readonly gone: GoneBranch | undefined
  /** The name of the reader. */
  readonly you: string
}

async function reportOf(records: Records, work: Work, { outcome, isWhole, gone, you }: Reporting): Promise<string> {
  const change = changeLine(await readChangeOf(records, work.run))
  const holds = await verdictReader(records, null).holds(work.run)
  const held = holds.length === 0 ? null : { by: whoHolds(holds, you), todo: heldText(work.run, holds).todo }
  if (isWhole) return crewReport({ ...(await readCrew(records, work.run)), change, held, gone }, outcome)
  const guides = await readToldGuides(records, work.run, work.story?.story ?? null)
  const acceptances = await acceptancesOf(records, work)
  const gateCosts = await readGateCosts(records, work.run)
  return workReport(work, outcome, { guides, change, held, gone, gateCosts, acceptances })
}

function acceptancesOf(records: Records, { run, story }: Work): Promise<Acceptances> {
  return readAcceptances(records, run, story === null ? [] : [story])
}

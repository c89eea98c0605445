import type { StoryAcceptance } from '../../../api/acceptance.ts'
import type { Spending } from '../../../domain/run/budget.ts'
import type { GoneBranch } from '../../../domain/run/gone-branch.ts'
import type { Outcome } from '../../../domain/run/outcome.ts'
import { namesStories } from '../../../domain/run/run-policy.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { VerificationRow } from '../../../ports/rows.ts'
import type { Records } from '../../../ports/store.ts'
import { authorOf } from '../../commands/author-of.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { StateAccess } from '../../state-access.ts'
import { flakyLines } from '../../text/flaky-lines.ts'
import { heldText, whoHolds } from '../../text/holds-text.ts'
import { type Acceptances, readAcceptances } from '../acceptance/read-acceptance.ts'
import { type ChangeOfRun, changeLine, readChangeOf } from '../change-of-run.ts'
import { findExactly } from '../find/find-exactly.ts'
import { findWork, type Work } from '../find/find-work.ts'
import { goneBranch } from '../finish/gone-branches.ts'
import { readVerdict, verdictReader } from '../finish/verdict-now.ts'
import { ownership } from '../outcome-now.ts'
import { readCrew, readGateCosts } from './crew.ts'
import { crewReport } from './crew-report.ts'
import { readToldGuides, type ToldGuide } from './told-guides.ts'
import { workReport } from './work-report.ts'

/** The report of a Run or a story, with its sources. */
export interface Report extends Work {
  readonly outcome: Outcome
  /** The change at a forge; null while none exists. */
  readonly change: ChangeOfRun | null
  /** Names the holders of the result, as "1 comment of Ada"; null without a hold. */
  readonly heldBy: string | null
  /** The report as Markdown. */
  readonly text: string
  /** True if the report covers a whole spec. */
  readonly isWhole: boolean
  readonly stories: readonly Story[]
  /** The story's criteria; null for a whole spec, and for work without acceptance tests. */
  readonly acceptance: StoryAcceptance | null
  readonly spending: readonly Spending[]
  readonly verifications: readonly VerificationRow[]
  /** Guides of the repository that the agents received. */
  readonly guides: readonly ToldGuide[]
  /** One line for each test that failed and then passed without a change. */
  readonly flaky: readonly string[]
}

/**
 * The report of the named Run or story, or of the latest Run that builds. Throws DrydockError
 * `not_found`.
 */
export async function readReport(
  drydock: Pick<Installation, 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub' | 'connect'>,
  id: string | undefined,
): Promise<Report> {
  const isOwned = await ownership(drydock)
  const you = await authorOf(drydock, null)
  return reading(drydock, async (records) => {
    const work = await findWork(records, id)
    const { run, story } = work
    const gone = await goneBranch(drydock, run)
    const { heldBy, ...outcome } = await readVerdict(records, run, { isWorkedOn: isOwned(run), gone, you })
    const isWhole = isOfRun(work)
    return {
      ...work,
      outcome,
      isWhole,
      text: await reportOf(records, work, { outcome, isWhole, gone, you }),
      heldBy,
      change: await readChangeOf(records, run),
      guides: await readToldGuides(records, run, story?.story ?? null),
      acceptance: (await acceptancesOf(records, work)).get(story?.story ?? null) ?? null,
      stories: await records.machines({ kind: 'story', run: run.id }),
      spending: await records.spending(run.id),
      verifications: await records.verifications(run.id),
      flaky: flakyLines(await records.flakyTests(), run.id),
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

interface Reporting extends Pick<Report, 'outcome' | 'isWhole'> {
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

import type { RemarkAnswer } from '../../api/remarks.ts'
import type { NewRemark, Remark, RemarkState } from '../../domain/remark/remark.ts'
import { sourceText } from '../../domain/remark/remark-findings.ts'
import { followedBy, isEnded } from '../../domain/run/run.ts'
import type { RunState } from '../../domain/run/run-machine.ts'
import type { Records } from '../../ports/store.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'
import { namedStory, type Work } from './find/find-work.ts'
import { findRun, type ViewSources } from './view-sources.ts'

/** A remark as it is now. */
export interface RemarkNow extends NewRemark {
  /** Its id as a finding, such as `F-3`; null while nobody has taken it in. */
  readonly id: string | null
  readonly run: string
  readonly story: string | null
  readonly state: RemarkState
  /** The verified commit of the run branch that settles it. */
  readonly commit: string | null
  /** The answer of who worked on it, or why nothing came of it. */
  readonly reply: string | null
  /** The Run that works, or has worked, on it after its own had ended. */
  readonly followUp: { readonly run: string; readonly state: RunState } | null
}

/** The remarks about a Run in the order in which they came, also those not yet taken in. */
export async function readRemarks(records: Records, run: string): Promise<readonly RemarkNow[]> {
  // Before those taken in: what is taken in between the two is in both, and never in neither.
  const pending = await records.pendingCommands()
  const stored = await records.machines({ kind: 'remark', run })
  const known = await Promise.all(stored.map((remark) => remarkNow(records, remark)))
  const keys = new Set(known.map(({ key }) => key))
  const waiting = pending.flatMap(({ command }) =>
    command.kind === 'review' && command.run === run
      ? command.remarks.map((remark) => ({ ...remark, story: command.story }))
      : [],
  )
  const fresh = waiting.filter(({ key }) => !keys.has(key) && keys.add(key))
  const none = { commit: null, reply: null, followUp: null }
  return [...known, ...fresh.map((remark): RemarkNow => ({ ...remark, ...none, id: null, run, state: 'OPEN' }))]
}

async function remarkNow(records: Records, { run, story, state, data }: Remark): Promise<RemarkNow> {
  const { finding: id, key, author, source, place, text, commit, reply } = data
  const work = data.followUp === null ? null : await records.machineOf('run', data.followUp)
  const followUp = work === null ? null : { run: work.id, state: work.state }
  return { id, key, author, source, place, text, run, story, state, commit, reply, followUp }
}

/** The remarks about a Run, or about one story of a crew's; those of the Run that it follows. */
export async function readReview(drydock: RecordSource, { run, story }: Work): Promise<readonly RemarkNow[]> {
  const followed = followedBy(run)
  const all = await reading(drydock, (records) => readRemarks(records, followed?.run ?? run.id))
  const named = namedStory({ story })
  return followed === null && named !== null ? all.filter((each) => each.story === named.story) : all
}

/** The Runs that work on remarks about another one, or about any, and have not ended. */
export async function unfinishedFollowUps(drydock: RecordSource, about?: string): Promise<readonly string[]> {
  const runs = await reading(drydock, (records) => records.machines({ kind: 'run' }))
  const isMeant = (followed: string | undefined) => followed !== undefined && (about ?? followed) === followed
  return runs.filter((run) => !isEnded(run.state) && isMeant(followedBy(run)?.run)).map(({ id }) => id)
}

/** As programs read it. */
export function remarkJson(remark: RemarkNow): RemarkAnswer {
  const { id, key, story, author, place, text, state, commit, reply, followUp } = remark
  const { path = null, start = null, end = null, side = 'new', hunk = null } = place ?? {}
  const lines = { path, start, end, side, hunk }
  return {
    id,
    key,
    story,
    author,
    source: sourceText(remark),
    ...lines,
    text,
    state,
    commit,
    reply,
    follow_up: followUp,
  }
}

/** For programs over HTTP. DrydockError `not_found`. */
export async function readRemarkList(
  sources: Pick<ViewSources, 'records'>,
  id: string,
): Promise<{ readonly remarks: RemarkAnswer[] }> {
  const run = await findRun(sources, id)
  const remarks = await readRemarks(sources.records, followedBy(run)?.run ?? run.id)
  return { remarks: remarks.map(remarkJson) }
}

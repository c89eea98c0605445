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

/** A remark with its current state. */
export interface RemarkNow extends NewRemark {
  /** The remark's id as a finding, such as `F-3`; null until an owner has applied the remark. */
  readonly id: string | null
  readonly run: string
  readonly story: string | null
  readonly state: RemarkState
  /** The verified commit of the run branch that resolves the remark. */
  readonly commit: string | null
  /** The reply of the agent that worked on it, or the reason why nothing was changed. */
  readonly reply: string | null
  /** The follow-up Run that works on it, or did, after its own Run had ended. */
  readonly followUp: { readonly run: string; readonly state: RunState } | null
}

/** The remarks about a Run in order of arrival, including remarks that no owner has applied yet. */
export async function readRemarks(records: Records, run: string): Promise<readonly RemarkNow[]> {
  // Reads pending remarks first: a remark that is applied between the two reads is then seen twice,
  // and never missed.
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
  const { finding: id, key, author, source, place, text, inReplyTo, commit, reply } = data
  const work = data.followUp === null ? null : await records.machineOf('run', data.followUp)
  const followUp = work === null ? null : { run: work.id, state: work.state }
  const said = { id, key, author, source, place, text, ...(inReplyTo && { inReplyTo }) }
  return { ...said, run, story, state, commit, reply, followUp }
}

/**
 * The remarks about a Run or about one story of a crew. For a follow-up, the remarks of the Run
 * that it follows.
 */
export async function readReview(drydock: RecordSource, { run, story }: Work): Promise<readonly RemarkNow[]> {
  const followed = followedBy(run)
  const all = await reading(drydock, (records) => readRemarks(records, followed?.run ?? run.id))
  const named = namedStory({ story })
  return followed === null && named !== null ? all.filter((each) => each.story === named.story) : all
}

/** The unfinished Runs that work on remarks, about one Run or about any. */
export async function unfinishedFollowUps(drydock: RecordSource, about?: string): Promise<readonly string[]> {
  const runs = await reading(drydock, (records) => records.machines({ kind: 'run' }))
  const isMeant = (followed: string | undefined) => followed !== undefined && (about ?? followed) === followed
  return runs.filter((run) => !isEnded(run.state) && isMeant(followedBy(run)?.run)).map(({ id }) => id)
}

/** A remark as JSON for programs. */
export function remarkJson(remark: RemarkNow): RemarkAnswer {
  const { id, key, story, author, place, text, inReplyTo, state, commit, reply, followUp } = remark
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
    reply_to: inReplyTo?.finding ?? null,
    commit,
    reply,
    follow_up: followUp,
  }
}

/** Lists the remarks of a Run for the HTTP API. Throws DrydockError `not_found`. */
export async function readRemarkList(
  sources: Pick<ViewSources, 'records'>,
  id: string,
): Promise<{ readonly remarks: RemarkAnswer[] }> {
  const run = await findRun(sources, id)
  const remarks = await readRemarks(sources.records, followedBy(run)?.run ?? run.id)
  return { remarks: remarks.map(remarkJson) }
}

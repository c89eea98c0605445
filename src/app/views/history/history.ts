import type { z } from 'zod'
import type { History, historyQuerySchema, KeptState, Moment, MomentMark } from '../../../api/history.ts'
import type { Event } from '../../../domain/event.ts'
import { candidateRefs, snapshotRefs, storyOfRef } from '../../../domain/run/kept-work.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { HiddenCommit } from '../../../ports/history.ts'
import { findRun, type ViewSources } from '../view-sources.ts'
import { momentText } from './moment-text.ts'

/** A page of the states of a Run, one after each of its events. Throws DrydockError `not_found`. */
export async function readHistory(
  sources: Pick<ViewSources, 'records' | 'history'>,
  id: string,
  { before, limit }: z.output<typeof historyQuerySchema>,
): Promise<History> {
  const { records } = sources
  const run = await findRun(sources, id)
  const events = await records.recentEvents({
    run: run.id,
    limit: limit + 1,
    ...(before !== undefined && { before }),
  })
  const page = events.slice(0, limit)
  return {
    moments: page.map(momentOf),
    next: events.length > limit ? (page.at(-1)?.id ?? null) : null,
    kept: before === undefined ? await readKeptStates(sources, run) : [],
  }
}

function momentOf(event: Event): Moment {
  const { id, at, type, story, data } = event
  const mark = markOf(event)
  return {
    id,
    at,
    type,
    story,
    what: momentText(event),
    ...('lane' in data && { lane: data.lane }),
    ...((type === 'state' || type === 'run_state') && { state: event.data.to }),
    ...(type === 'verification' && { status: event.data.status }),
    ...(mark !== null && { mark }),
    ...(type === 'model_call' && { cost_usd: event.data.cost_usd ?? null, tokens: event.data.tokens ?? 0 }),
    ...(type === 'stories' && { stories: [...event.data.ids] }),
  }
}

function markOf({ type, data }: Event): MomentMark | null {
  switch (type) {
    case 'verification':
      return 'verdict'
    case 'escalation':
      return 'question'
    case 'review':
      return 'review'
    case 'merge':
      return data.state === 'MERGED' ? 'merge' : null
    default:
      return null
  }
}

/** The commits of each story that git still has, oldest first. */
async function readKeptStates({ records, history }: Pick<ViewSources, 'records' | 'history'>, run: Run) {
  const [stories, verified, allSnapshots, allCandidates] = await Promise.all([
    records.machines({ kind: 'story', run: run.id }),
    records.verifications(run.id),
    ...[snapshotRefs(run.id), candidateRefs(run.id)].map((under) => history.hidden(under)),
  ])
  const [snapshotsOf, candidatesOf] = [byStory(allSnapshots), byStory(allCandidates)]
  const kept: KeptState[] = []
  for (const story of stories) {
    const name = story.story ?? ''
    const snapshots = new Map<string, HiddenCommit>()
    for (const each of snapshotsOf.get(story.id) ?? []) if (!snapshots.has(each.sha)) snapshots.set(each.sha, each)
    const judged = (candidatesOf.get(story.id) ?? []).flatMap(({ ref, sha, parent }) => {
      const row = verified.find(({ runId }) => ref.endsWith(`/${runId}`))
      return row ? [{ sha, base: parent, at: row.finishedAt, status: row.status }] : []
    })
    const ends = judged.map(({ at }) => at)
    for (const { sha, parent, at, subject } of snapshots.values()) {
      const [, why = ''] = subject.split(`${story.id}: `)
      kept.push({ story: name, sha, base: parent, at: surelyBy(at, ends), why })
    }
    const inOrder = judged.toSorted((a, b) => (a.at < b.at ? -1 : 1))
    inOrder.forEach(({ status, ...commit }, i) => {
      kept.push({ story: name, ...commit, why: `attempt ${i + 1}: ${status}` })
    })
  }
  return kept.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function byStory(commits: readonly HiddenCommit[] = []): ReadonlyMap<string | null, readonly HiddenCommit[]> {
  return Map.groupBy(commits, ({ ref }) => storyOfRef(ref))
}

/**
 * The last verification that surely preceded a commit's end. A commit's time is in whole seconds:
 * the commit existed at the end of that second, but perhaps not at its start. A verification that
 * ended within the second counts as earlier, so that it never hides verified work.
 */
function surelyBy(at: string, verified: readonly string[]): string {
  const end = new Date(Date.parse(at) + 1_000).toISOString()
  return verified.find((each) => at <= each && each < end) ?? end
}

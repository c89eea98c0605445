import { downloadLists } from '../../../src/api/downloads.ts'
import { routes } from '../../../src/api/routes.ts'

/**
 * Not read here: the event stream, paths that only a hub has (tokens, people, figures, workers, clients),
 * an architect's tests, which this story does not have, and the request of a plan, which this Run is not.
 */
const elsewhere: readonly string[] = [
  routes.events.path,
  routes.tokens.path,
  routes.people.path,
  routes.metrics.path,
  routes.sharedState.path,
  routes.hub.path,
  routes.storyTests.path,
  routes.planRequest.path,
]

interface KnownIds {
  readonly run: string
  readonly other: string
  readonly bench: string
  readonly sha: string
  readonly files: readonly string[]
  readonly entries: readonly { readonly cursor: string }[]
  readonly verifications: readonly { readonly run_id: string }[]
}

/** Every API path that can be read, for a Run with the story `alpha`. */
export function pathsToRead(known: KnownIds): readonly string[] {
  return Object.values(routes).flatMap(({ method, path }) =>
    method === 'post' || elsewhere.includes(path) ? [] : waysOf(path, known),
  )
}

/** Paths of views that name their Runs in the query. */
const byId: readonly string[] = [
  routes.work.path,
  routes.runStatus.path,
  routes.budgetNow.path,
  routes.thread.path,
  routes.logEntries.path,
  routes.unfinished.path,
]
const byRuns: readonly string[] = [routes.standing.path, routes.results.path, routes.crews.path]

function waysOf(path: string, { run, other, sha, files, entries, verifications, bench }: KnownIds): readonly string[] {
  if (path === routes.search.path) return [...'aeiou'].map((text) => `${path}?text=${text}`)
  if (path === routes.download.path)
    return downloadLists.map((list) => `${path}?list=${list}&run=${run}&bench=${bench}`)
  if (byId.includes(path)) return [`${path}?id=${run}`]
  if (byRuns.includes(path)) return [`${path}?runs=${run}`]
  if (path === routes.news.path) return [`${path}?runs=${run}&after=0`]
  if (path === routes.reportNow.path) return [`${path}?id=${run}`, `${path}?id=${run}/alpha`]
  if (path === routes.statusList.path) return [`${path}?runs=all`]
  if (path === routes.recording.path) return [`${path.replace(':run', run)}?for=user`]
  if (path === routes.comparison.path) return [`${path}?a=${run}&b=${other}`]
  if (path === routes.receiptChecks.path) return [`${path}?commits=${sha}`]
  if (path === routes.receipt.path) return [path.replace(':commit', sha)]
  if (path === routes.runLines.path) {
    const lines = `${path.replace(':run', run)}?sha=${sha}&start=1&end=500`
    return files.map((file) => `${lines}&path=${encodeURIComponent(file)}`)
  }
  const ofBench = path.replace(':bench', bench).replace(':attempt', 'a.task.1')
  const named = ofBench.replace(':run_id', '*').replace(':run', run).replace(':story', 'alpha')
  // Only the JSON file, since the other files are the artifacts themselves.
  const file = path === routes.verificationFile.path ? '?path=manifest.json' : ''
  if (named.includes('*')) return verifications.map(({ run_id }) => `${named.replace('*', run_id)}${file}`)
  return named.includes(':cursor') ? entries.map(({ cursor }) => named.replace(':cursor', cursor)) : [named]
}

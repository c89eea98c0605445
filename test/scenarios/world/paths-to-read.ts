import { downloadLists } from '../../../src/api/downloads.ts'
import { routes } from '../../../src/api/routes.ts'

/** The stream is followed, and only a hub has tokens and figures. */
const elsewhere: readonly string[] = [routes.events.path, routes.tokens.path, routes.metrics.path]

interface Known {
  readonly run: string
  readonly sha: string
  readonly files: readonly string[]
  readonly entries: readonly { readonly cursor: string }[]
  readonly verifications: readonly { readonly run_id: string }[]
}

/** Every answer of the API that is read, of a Run whose story is `alpha`. */
export function pathsToRead(known: Known): readonly string[] {
  return Object.values(routes).flatMap(({ method, path }) =>
    method === 'post' || elsewhere.includes(path) ? [] : waysOf(path, known),
  )
}

function waysOf(path: string, { run, sha, files, entries, verifications }: Known): readonly string[] {
  if (path === routes.search.path) return [...'aeiou'].map((text) => `${path}?text=${text}`)
  if (path === routes.download.path) return downloadLists.map((list) => `${path}?list=${list}&run=${run}`)
  if (path === routes.receiptChecks.path) return [`${path}?commits=${sha}`]
  if (path === routes.receipt.path) return [path.replace(':commit', sha)]
  if (path === routes.runLines.path) {
    const lines = `${path.replace(':run', run)}?sha=${sha}&start=1&end=500`
    return files.map((file) => `${lines}&path=${encodeURIComponent(file)}`)
  }
  const named = path.replace(':run_id', '*').replace(':run', run).replace(':story', 'alpha')
  if (named.includes('*')) return verifications.map(({ run_id }) => named.replace('*', run_id))
  return named.includes(':cursor') ? entries.map(({ cursor }) => named.replace(':cursor', cursor)) : [named]
}

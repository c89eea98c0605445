import { downloadLists } from '../../../src/api/downloads.ts'
import { routes } from '../../../src/api/routes.ts'
import type { RecordQuery } from '../../../src/domain/hub/record-queries.ts'
import type { MachineKind } from '../../../src/domain/machine.ts'

/**
 * Not read here: the event stream, paths that only a hub has (tokens, people, figures, workers, clients),
 * and an architect's tests, which this story does not have.
 */
const elsewhere: readonly string[] = [
  routes.events.path,
  routes.tokens.path,
  routes.people.path,
  routes.metrics.path,
  routes.sharedState.path,
  routes.hub.path,
  routes.storyTests.path,
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

interface KnownRows {
  readonly run: string
  readonly lanes: readonly string[]
  readonly verifications: readonly { readonly run_id: string }[]
}

/** Row queries that read everything about a Run. */
export function queriesToAsk({ run, lanes, verifications }: KnownRows): readonly object[] {
  const named = { run, limit: 1_000 }
  const kinds = Object.keys(machineKinds)
  const asked: { readonly [Query in RecordQuery]: readonly (readonly unknown[])[] } = {
    machine: [[run], ...lanes.map((lane) => [lane])],
    machineOf: [['run', run]],
    machines: kinds.map((kind) => [{ kind }]),
    messages: lanes.map((lane) => [lane]),
    toolExecution: lanes.map((lane) => [lane, 0, 0]),
    modelCalls: [[run]],
    events: [[{ after: 0, limit: 1_000 }]],
    lastEvent: [[]],
    recentEvents: [[named]],
    toolCallCounts: [[run]],
    flakyTests: [[]],
    verification: verifications.map(({ run_id }) => [run_id]),
    verifications: [[run]],
    chat: [[{ run }]],
    totals: [[run]],
    spent: [[run]],
    spending: [[run]],
    pendingCommands: [[]],
    commandApplied: [['x']],
    forgeCalls: [[run]],
    isIdle: [[run]],
  }
  return Object.entries(asked).flatMap(([query, all]) => all.map((args) => ({ query, args })))
}

const machineKinds: Readonly<Record<MachineKind, true>> = {
  run: true,
  story: true,
  lane: true,
  scout_query: true,
  verification: true,
  request: true,
  merge: true,
  notification: true,
  slot: true,
  schedule: true,
  remark: true,
  landing: true,
  shared_layer: true,
  acceptance: true,
}

function waysOf(path: string, { run, other, sha, files, entries, verifications, bench }: KnownIds): readonly string[] {
  if (path === routes.search.path) return [...'aeiou'].map((text) => `${path}?text=${text}`)
  if (path === routes.download.path)
    return downloadLists.map((list) => `${path}?list=${list}&run=${run}&bench=${bench}`)
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

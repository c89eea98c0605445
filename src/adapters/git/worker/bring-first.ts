import type { Files } from '../../../ports/files.ts'
import type { History, MirrorReads } from '../../../ports/history.ts'
import type { WorkTrees } from '../../../ports/work-trees.ts'
import type { CommittedReads } from '../user-repository/committed-reads.ts'
import type { HubMirror } from './hub-mirror.ts'

type Ids = readonly (string | null | undefined)[]

type Asking = (...given: never[]) => Promise<unknown>

/** The methods of a port that return a promise. */
type Questions<Port> = { [Name in keyof Port as Port[Name] extends Asking ? Name : never]: Port[Name] }

/**
 * For each method of a port, the objects that its arguments name. A new method without an entry is
 * a type error here.
 */
type Names<Port> = {
  readonly [Name in keyof Questions<Port>]: Questions<Port>[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => Ids
    : never
}

/** The asynchronous methods of a port, each of which first fetches the objects that it names. */
function bringing<Port extends object>(port: Port, names: Names<Port>, bring: HubMirror['bring']): Questions<Port> {
  const asked = Object.entries<(...given: readonly unknown[]) => Ids>(names).map(([name, idsOf]) => {
    const ask = port[name as keyof Port] as (...given: readonly unknown[]) => Promise<unknown>
    return [
      name,
      async (...given: readonly unknown[]) => {
        const last = given.at(-1)
        await bring(idsOf(...given), last instanceof AbortSignal ? last : undefined)
        return ask(...given)
      },
    ]
  })
  return Object.fromEntries(asked) as Questions<Port>
}

const none = (): Ids => []

/** A History that first fetches missing commits from the hub. */
export function bringingHistory(history: History, bring: HubMirror['bring']): History {
  const reads = (of: MirrorReads): MirrorReads => ({
    ...bringing<MirrorReads>(of, readNames, bring),
    committed: (sha) => bringingFiles(of.committed(sha), sha, bring),
  })
  const names: Names<Omit<History, keyof MirrorReads>> = {
    commit: ({ tree, parents }) => [tree, ...parents],
    commitLike: ({ like, tree }) => [like, tree],
    tree: (sha) => [sha],
    treeWith: ({ base, from }) => [base, from],
    changedFiles: (from, to) => [from, to],
    lineCounts: (from, to) => [from, to],
    contents: (sha) => [sha],
    namesIn: (sha) => [sha],
    texts: (sha) => [sha],
    merge: ({ ours, theirs }) => [ours, theirs],
    conflictMarkers: (sha) => [sha],
    lfsPointers: (sha) => [sha],
    hidden: none,
    forget: none,
    tidy: none,
  }
  return {
    ...bringing<Omit<History, keyof MirrorReads>>(history, names, bring),
    ...reads(history),
    inside: (mirror, read) => reads(history.inside(mirror, read)),
  }
}

const readNames: Names<MirrorReads> = {
  diff: ({ from, to }) => [from, to],
  isAncestor: (ancestor, of) => [ancestor, of],
}

function bringingFiles(files: Files, sha: string, bring: HubMirror['bring']): Files {
  return bringing<Files>(files, { read: () => [sha], list: () => [sha], search: () => [sha] }, bring)
}

/** WorkTrees that first fetch missing commits from the hub, for workspaces and checkouts. */
export function bringingWorkTrees(workTrees: WorkTrees, { bring, bringWithTags }: HubMirror): WorkTrees {
  const names: Names<WorkTrees> = {
    prepare: ({ tree }) => [tree],
    snapshot: ({ parents, last }) => [...parents, last],
    checkout: (_, sha) => [sha],
    submodules: (sha) => [sha],
    initialize: none,
    isMade: none,
    setAside: none,
    forgetSetAside: none,
    ignored: none,
    makeMountPoints: none,
  }
  const ready = bringing<WorkTrees>(workTrees, names, bring)
  return {
    ...ready,
    path: workTrees.path,
    history: workTrees.history,
    async prepare(input, signal) {
      await bringWithTags(input.tip, signal)
      await ready.prepare(input, signal)
    },
  }
}

/** CommittedReads that first fetch missing commits from the hub. */
export function bringingReads(reads: CommittedReads, bring: HubMirror['bring']): CommittedReads {
  return {
    ...bringing<CommittedReads>(
      reads,
      { fileAt: (sha) => [sha], filesAt: (sha) => [sha], entriesBelow: (sha) => [sha] },
      bring,
    ),
    committed: (sha) => bringingFiles(reads.committed(sha), sha, bring),
  }
}

import { isCommitId } from '../../../domain/commit-id.ts'
import type { ChangedFile, History, MirrorReads } from '../../../ports/history.ts'
import type { HostParts } from '../git-parts.ts'
import { oneByOne } from '../objects/one-by-one.ts'
import { committedFiles } from './committed-files.ts'
import { conflictMarkers } from './conflict-markers.ts'
import { contents } from './contents.ts'
import { changedFiles, diff } from './diff.ts'
import { gitInside } from './git-inside.ts'
import { forget, hiddenCommits } from './hidden-refs.ts'
import { isAncestor } from './is-ancestor.ts'
import { lfsPointers } from './lfs-pointers.ts'
import { lineCounts } from './line-counts.ts'
import { merge } from './merge.ts'
import { namesIn } from './names-in.ts'
import { isNearAncestor } from './near-ancestor.ts'
import { type Remembered, remembered } from './remembered.ts'
import { texts } from './texts.ts'
import { tidy } from './tidy.ts'
import type { Reads } from './tree-path.ts'
import { treeWith } from './tree-with.ts'

export function createHistory(parts: HostParts): History {
  const { layout, git, mirror, objects } = parts
  const trees = remembered<string>()
  const names = remembered<Awaited<ReturnType<typeof namesIn>>>()
  const files = remembered<readonly ChangedFile[]>()
  const entries = remembered<Awaited<ReturnType<typeof contents>>>()
  /** Two commits with the same tree have one answer; a name is asked about each time. */
  async function about<Answer>(
    shas: readonly string[],
    { answers, rest = [], ask }: { answers: Remembered<Answer>; rest?: readonly string[]; ask: () => Promise<Answer> },
  ): Promise<Answer> {
    if (!shas.every(isCommitId)) return ask()
    const contents = await Promise.all(shas.map((sha) => trees.known(sha) ?? sha))
    return answers.of([...contents, ...rest].join('\0'), ask)
  }
  return {
    async commit(input) {
      const sha = await mirror.commit(input)
      await trees.of(sha, async () => input.tree)
      await mirror.keep(input.ref, sha)
      return sha
    },
    async commitLike({ like, tree, ref }) {
      const sha = await mirror.commitLike({ like, tree })
      await trees.of(sha, async () => tree)
      await mirror.keep(ref, sha)
      return sha
    },
    tree: (sha) =>
      trees.of(sha, async () => {
        const tree = `${sha}^{tree}`
        return (await objects(tree, { maxBytes: 0 }))?.id ?? mirror.resolve(tree)
      }),
    treeWith: (input) => treeWith(parts, input),
    changedFiles: (from, to) =>
      about([from, to], {
        answers: files,
        ask: () => changedFiles({ git, objects, mirror: layout.mirror }, { from, to }),
      }),
    lineCounts: (from, to) => lineCounts(git, layout.mirror, { from, to }),
    contents: (sha, paths) =>
      about([sha], { answers: entries, rest: paths, ask: () => contents(objects, { sha, paths }) }),
    namesIn: (sha, folder) =>
      about([sha], { answers: names, rest: [folder], ask: () => namesIn(objects, { sha, folder }) }),
    texts: (sha, wanted) => texts(objects, { sha, wanted }),
    merge: (input) => merge(git, layout.mirror, input),
    conflictMarkers: (sha, paths) => conflictMarkers(git, layout.mirror, { sha, paths }),
    ...mirrorReads({ git, mirror: layout.mirror, objects }),
    isAncestor: async (ancestor, of) =>
      (await isNearAncestor(objects, [ancestor, of])) || isAncestor(git, layout.mirror, [ancestor, of]),
    inside(at, read) {
      const git = gitInside(at, read)
      return mirrorReads({ git, mirror: at, objects: oneByOne(git, at) })
    },
    hidden: (under) => hiddenCommits(git, layout.mirror, under),
    forget: (refs, signal) => forget(parts, refs, signal),
    lfsPointers: (sha) => lfsPointers(git, layout.mirror, sha),
    tidy: (signal) => tidy(parts, signal),
  }
}

function mirrorReads(reads: Reads): MirrorReads {
  const { git, mirror } = reads
  return {
    diff: (input) => diff(git, mirror, input),
    isAncestor: (ancestor, of) => isAncestor(git, mirror, [ancestor, of]),
    committed: (sha) => committedFiles(reads, sha),
  }
}

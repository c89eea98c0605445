import type { History, MirrorReads } from '../../../ports/history.ts'
import type { Git } from '../git.ts'
import type { HostParts } from '../git-parts.ts'
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
import { tidy } from './tidy.ts'
import { treeWith } from './tree-with.ts'

/** As many commits as are worked on at once. */
const mostTrees = 100

export function createHistory(parts: HostParts): History {
  const { layout, git, mirror } = parts
  // A commit never has another tree.
  const trees = new Map<string, string>()
  const names = new Map<string, ReturnType<typeof namesIn>>()
  const remember = (sha: string, tree: string) => {
    if (trees.size >= mostTrees) trees.clear()
    trees.set(sha, tree)
    return tree
  }
  return {
    async commit(input) {
      const sha = await mirror.commit(input)
      remember(sha, input.tree)
      await mirror.keep(input.ref, sha)
      return sha
    },
    tree: async (sha) => trees.get(sha) ?? remember(sha, await mirror.resolve(`${sha}^{tree}`)),
    treeWith: (input) => treeWith(parts, input),
    changedFiles: (from, to) => changedFiles(git, layout.mirror, from, to),
    lineCounts: (from, to) => lineCounts(git, layout.mirror, { from, to }),
    contents: (sha, paths) => contents(git, layout.mirror, { sha, paths }),
    namesIn(sha, folder) {
      const key = `${sha}:${folder}`
      const known = names.get(key) ?? namesIn(git, layout.mirror, { sha, folder })
      if (names.size >= mostTrees) names.clear()
      names.set(key, known)
      known.catch(() => names.delete(key))
      return known
    },
    merge: (input) => merge(git, layout.mirror, input),
    conflictMarkers: (sha, paths) => conflictMarkers(git, layout.mirror, { sha, paths }),
    ...mirrorReads(git, layout.mirror),
    inside: (at, read) => mirrorReads(gitInside(at, read), at),
    hidden: (under) => hiddenCommits(git, layout.mirror, under),
    forget: (refs, signal) => forget(parts, refs, signal),
    lfsPointers: (sha) => lfsPointers(git, layout.mirror, sha),
    tidy: (signal) => tidy(parts, signal),
  }
}

function mirrorReads(git: Git, mirror: string): MirrorReads {
  return {
    diff: (input) => diff(git, mirror, input),
    isAncestor: (ancestor, of) => isAncestor(git, mirror, [ancestor, of]),
    committed: (sha) => committedFiles(git, mirror, sha),
  }
}

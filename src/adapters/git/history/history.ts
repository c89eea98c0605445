import { isCommitId } from '../../../domain/commit-id.ts'
import type { ChangedFile, History, LineCount, MirrorReads } from '../../../ports/history.ts'
import { failed, type Git } from '../git.ts'
import type { HostParts } from '../git-parts.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import { oneByOne } from '../objects/one-by-one.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder } from '../objects/tree-entries.ts'
import { rawPaths, shownPath } from '../raw-path.ts'
import { committedFiles } from './committed-files.ts'
import { conflictMarkers } from './conflict-markers.ts'
import { contents, entriesOf } from './contents.ts'
import { changedFiles, diff } from './diff.ts'
import { gitInside } from './git-inside.ts'
import { forget, hiddenCommits } from './hidden-refs.ts'
import { isAncestor } from './is-ancestor.ts'
import { removeRefLocks } from './left-locks.ts'
import { keepSharedPacks } from './link-objects.ts'
import { merge } from './merge.ts'
import { isNearAncestor } from './near-ancestor.ts'
import { type Memo, remembered } from './remembered.ts'
import { texts } from './texts.ts'
import type { Reads } from './tree-path.ts'
import { treeWith } from './tree-with.ts'

export function createHistory(parts: HostParts): History {
  const { layout, git, mirror, objects } = parts
  const trees = remembered<string>()
  const names = remembered<Awaited<ReturnType<typeof namesIn>>>()
  const files = remembered<readonly ChangedFile[]>()
  const entries = remembered<Awaited<ReturnType<typeof contents>>>()
  /** Commits with equal trees share one answer. A name is resolved each time. */
  async function about<Answer>(
    shas: readonly string[],
    { answers, rest = [], ask }: { answers: Memo<Answer>; rest?: readonly string[]; ask: () => Promise<Answer> },
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

/**
 * Implements History.lfsPointers. The files are only searched if the commit's attributes mention
 * LFS.
 */
async function lfsPointers(git: Git, mirror: string, sha: string): Promise<number> {
  const grep = async (args: readonly string[]) => {
    const plain = ['--no-recurse-submodules', '--no-textconv', '--full-name', '-z', '--files-with-matches']
    const options = { gitDir: mirror, exits: [1], environment: { GIT_LITERAL_PATHSPECS: '0' } }
    return rawPaths((await git(['grep', ...plain, ...args], options)).stdout).length
  }
  const declared = await grep(['--fixed-strings', '-e', 'filter=lfs', sha, '--', ':(top,glob)**/.gitattributes'])
  if (declared === 0) return 0
  return grep(['--basic-regexp', '-e', '^version https://git-lfs\\.github\\.com/spec/', sha, '--', ':(top)'])
}

/** Implements History.namesIn. */
async function namesIn(
  objects: ReadObject,
  { sha, folder }: { readonly sha: string; readonly folder: string },
): Promise<readonly string[] | null> {
  const entry = (await contents(objects, { sha, paths: [folder] }))[folder] ?? null
  if (entry === null) return []
  const [mode = '', , id = ''] = entry.split(' ')
  if (!isFolder(mode)) return null
  const entries = await entriesOf(objects, id)
  if (entries === null) throw failed(['cat-file'], `${id} is not a tree of the repository`)
  return [...entries.keys()].map(shownPath)
}

/** Implements History.tidy. */
async function tidy(
  { layout, git, lock }: { layout: Layout; git: Git; lock: Lock },
  signal: AbortSignal,
): Promise<void> {
  // These locks were left by a git that was killed with its owner; each belongs to a ref that is
  // written only once. The age limit protects the locks of workers that are pushing.
  await lock('refs', signal, () => removeRefLocks(layout.mirror, ['drydock'], { olderThanMs: 60_000 }))
  await lock('mirror', signal, async (spawned) => {
    await removeRefLocks(layout.mirror)
    await keepSharedPacks(layout.mirror)
    await git(['gc', '--quiet'], { gitDir: layout.mirror, signal, spawned })
  })
}

/** Implements History.lineCounts. */
async function lineCounts(
  git: Git,
  gitDir: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<ReadonlyMap<string, LineCount | null>> {
  const plain = ['--no-ext-diff', '--no-textconv', '--find-renames', '--numstat']
  const { stdout } = await git(['diff-tree', '-r', '-z', ...plain, from, to], { gitDir })
  const fields = stdout.toString('utf8').split('\0').values()
  const counts = new Map<string, LineCount | null>()
  for (const field of fields) {
    if (field === '') break
    const [added = '-', removed = '-', path = ''] = field.split('\t')
    // The two paths of a renamed file are fields of their own.
    const name = path === '' ? [fields.next().value, fields.next().value][1] : path
    counts.set(name ?? '', added === '-' ? null : { added: Number(added), removed: Number(removed) })
  }
  return counts
}

import { randomUUID } from 'node:crypto'
import { copyFile, lstat, mkdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Snapshot } from '../../../ports/history.ts'
import type { Git } from '../git.ts'
import type { UserMirror } from '../history/mirror.ts'
import type { Layout } from '../layout.ts'
import { rawPaths, terminated, userPath } from '../raw-path.ts'
import { objectId } from '../revision.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeTree } from '../work-trees/remove-tree.ts'

/**
 * Implements UserRepository.snapshotUserTree. Works on a copy of the user's index, and writes
 * objects to the mirror only. A nested repository that is not a submodule is left out.
 */
export async function snapshotUserTree(
  parts: { userGit: Git; repository: string; layout: Layout; mirror: UserMirror; head: string },
  ref: string,
  at: Date,
): Promise<Snapshot> {
  const { userGit, repository, layout, mirror, head } = parts
  await mirror.ensure(head)
  const scratch = join(layout.scratch, randomUUID())
  await mkdir(scratch)
  try {
    const index = join(scratch, 'index')
    const environment = { GIT_INDEX_FILE: index, GIT_OBJECT_DIRECTORY: join(layout.mirror, 'objects') }
    const run = (args: readonly string[], input = '') =>
      userGit(['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...args], {
        workTree: repository,
        environment,
        input: Buffer.from(input, 'latin1'),
      })
    await copyIndex(userGit, repository, index)
    await addStagedAgain(run, { repository, head })
    await run(['add', '--all', '.'])
    await dropNested(run, head)
    const tree = objectId((await run(['write-tree'])).stdout)
    const sha =
      tree === (await mirror.resolve(`${head}^{tree}`))
        ? head
        : await mirror.commit({ tree, parents: [head], message: 'Working tree', at })
    await mirror.keep(ref, sha)
    return { sha, tree }
  } finally {
    await removeTree(scratch)
  }
}

/** Copied together with its times, since git distrusts files that are not older than the index. */
async function copyIndex(userGit: Git, repository: string, to: string) {
  const where = ['rev-parse', '--path-format=absolute', '--git-path', 'index']
  const from = (await userGit(where, { workTree: repository })).stdout.toString('utf8').replace(/\n$/, '')
  const found = await unlessMissing(stat(from))
  if (found === null) return
  await copyFile(from, to)
  await utimes(to, found.atime, found.mtime)
}

type Run = (args: readonly string[], input?: string) => ReturnType<Git>

/**
 * Staged content may exist as an object in the user's repository only, so it is read again from the
 * files.
 */
async function addStagedAgain(run: Run, { repository, head }: { repository: string; head: string }) {
  const staged = rawPaths(
    (await run(['diff-index', '-z', '--cached', '--name-only', '--ignore-submodules=all', head])).stdout,
  )
  if (staged.length === 0) return
  await run(['update-index', '-z', '--force-remove', '--stdin'], terminated(staged))
  const there = await Promise.all(
    staged.map(async (path) => {
      const found = await unlessMissing(lstat(userPath(repository, path)))
      return found !== null && !found.isDirectory() ? [path] : []
    }),
  )
  const files = there.flat()
  if (files.length > 0)
    await run(['add', '--force', '--pathspec-from-file=-', '--pathspec-file-nul'], terminated(files))
}

async function dropNested(run: Run, head: string) {
  const added = rawPaths((await run(['diff-index', '-z', '--cached', '--diff-filter=A', head])).stdout)
  const nested = added.filter((_, index) => added[index - 1]?.startsWith(':000000 160000 '))
  if (nested.length > 0) await run(['update-index', '-z', '--force-remove', '--stdin'], terminated(nested))
}

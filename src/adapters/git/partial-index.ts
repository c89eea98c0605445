import { basename, join } from 'node:path'
import { alternate } from './alternate.ts'
import type { Git } from './git.ts'
import type { Layout } from './layout.ts'
import type { TreeEntry } from './objects/tree-entries.ts'
import { terminated } from './raw-path.ts'

export interface PartialIndex {
  /**
   * Paths whose file in the user's working tree matches the entry, after the user's own
   * conversions.
   */
  readonly same: ReadonlySet<string>
  /** Writes the entries of these paths into the user's working tree, over existing files. */
  write(paths: readonly string[]): Promise<void>
}

/**
 * An index at `file` with only the given entries, used on the user's working tree with objects of
 * the mirror.
 */
export async function partialIndex(
  { userGit, repository, layout }: { readonly userGit: Git; readonly repository: string; readonly layout: Layout },
  file: string,
  entries: readonly { readonly path: string; readonly entry: TreeEntry }[],
): Promise<PartialIndex> {
  const objects = join(layout.mirror, 'objects')
  // Quoted, since the path may contain the separator of such lists.
  const environment = { GIT_INDEX_FILE: file, ...alternate(objects) }
  const own = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false']
  const run = (args: readonly string[], input = '', exits: readonly number[] = []) =>
    userGit([...own, ...args], { workTree: repository, environment, input: Buffer.from(input, 'latin1'), exits })

  const lines = entries.map(({ path, entry }) => `${entry.mode} ${entry.id}\t${path}`)
  await run(['update-index', '-z', '--index-info'], terminated(lines))
  await run(['update-index', '-q', '--refresh'], '', [1])
  const { stdout } = await run(['diff-files', '-z', '--name-only'])
  const different = new Set(stdout.toString('latin1').split('\0'))

  return {
    same: new Set(entries.map(({ path }) => path).filter((path) => !different.has(path))),
    async write(paths) {
      const isRule = (path: string) => basename(path) === '.gitattributes'
      // Attribute files come first, since they decide how git writes the other files.
      for (const some of [paths.filter(isRule), paths.filter((path) => !isRule(path))])
        if (some.length > 0) await run(['checkout-index', '--force', '-z', '--stdin'], terminated(some))
    },
  }
}

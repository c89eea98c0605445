import type { CommitTexts, WantedTexts } from '../../../ports/history.ts'
import type { Git } from '../git.ts'
import { rawPaths, shownPath } from '../raw-path.ts'
import { isGitFolder } from './tree-path.ts'

/** Most bytes of git's list of the files, which has about 150 for each file. */
const mostBytes = 64 * 1024 ** 2

/** See History.texts. One list of the tree, and one read of all objects. */
export async function texts(
  git: Git,
  mirror: string,
  { sha, wanted }: { readonly sha: string; readonly wanted: WantedTexts },
): Promise<CommitTexts> {
  const { signal } = wanted
  const list = ['ls-tree', '-r', '-l', '-z', '--full-tree', sha]
  const { stdout, truncated } = await git(list, { gitDir: mirror, signal, maxBytes: mostBytes, truncate: true })
  const files = rawPaths(stdout).flatMap((entry) => {
    const [, object = '', size = '', path = ''] = /^100\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(entry) ?? []
    return object === '' ? [] : [{ path: shownPath(path), object, size: Number(size) }]
  })
  const own = files.filter(({ path }) => !isGitFolder(path))
  const asked = own.filter(({ path, size }) => size <= wanted.fileBytes && wanted.isWanted(path))
  let bytes = 0
  const read = asked.slice(0, wanted.files).filter(({ size }) => {
    if (bytes + size > wanted.bytes) return false
    bytes += size
    return true
  })
  return {
    paths: own.map(({ path }) => path),
    texts: await contentsOf(git, mirror, { files: read, signal }),
    whole: !truncated && read.length === asked.length,
  }
}

async function contentsOf(
  git: Git,
  mirror: string,
  {
    files,
    signal,
  }: Pick<WantedTexts, 'signal'> & {
    readonly files: readonly { readonly path: string; readonly object: string }[]
  },
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  if (files.length === 0) return found
  const input = files.map(({ object }) => `${object}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch'], { gitDir: mirror, input, signal })
  let at = 0
  for (const { path } of files) {
    const end = stdout.indexOf(0x0a, at)
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(stdout.subarray(at, end).toString('latin1'))?.[1]
    if (size === undefined) throw new Error(`git cannot read ${JSON.stringify(path)}, which it lists`)
    const content = stdout.subarray(end + 1, end + 1 + Number(size))
    if (!content.subarray(0, 8_000).includes(0)) found.set(path, content.toString('utf8'))
    at = end + 2 + Number(size)
  }
  return found
}

import type { Git } from '../git.ts'

/** See Workspaces.namesIn. */
export async function namesIn(
  git: Git,
  mirror: string,
  { sha, folder }: { readonly sha: string; readonly folder: string },
): Promise<readonly string[] | null> {
  const list = async (...args: string[]) => {
    const { stdout } = await git(['ls-tree', '-z', '--full-tree', ...args], { gitDir: mirror })
    return stdout.toString('utf8').split('\0').slice(0, -1)
  }
  const [entry] = await list(sha, '--', folder)
  if (entry === undefined) return []
  if (!entry.startsWith('040000 ')) return null
  return list('--name-only', `${sha}:${folder}`)
}

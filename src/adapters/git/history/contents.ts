import type { Git } from '../git.ts'

/** See History.contents. */
export async function contents(
  git: Git,
  mirror: string,
  { sha, paths, signal }: { readonly sha: string; readonly paths: readonly string[]; readonly signal?: AbortSignal },
): Promise<Readonly<Record<string, string | null>>> {
  const wanted = paths.map((path) => path.replace(/\/+$/, ''))
  const found = new Map<string, string>()
  if (wanted.length > 0) {
    // A folder is listed even when a path below it is asked for as well.
    const args = ['ls-tree', '-t', '-z', '--full-tree', sha, '--', ...wanted]
    const { stdout } = await git(args, { gitDir: mirror, signal })
    for (const entry of stdout.toString('utf8').split('\0')) {
      const about = entry.slice(0, entry.indexOf('\t'))
      found.set(entry.slice(about.length + 1), about)
    }
  }
  return Object.fromEntries(paths.map((path, i) => [path, found.get(wanted[i] ?? '') ?? null]))
}

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Makes an empty git directory for a work tree, with the files that `git init` makes. Settings
 * about the machine and the objects are copied from the mirror, where git determined them;
 * `settings` are added to its core section.
 */
export async function makeGitDir(
  gitDir: string,
  {
    mirror,
    branch,
    settings = [],
  }: { readonly mirror: string; readonly branch: string; readonly settings?: readonly string[] },
): Promise<void> {
  const config = await readFile(join(mirror, 'config'), 'utf8')
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    await mkdir(join(gitDir, folder), { recursive: true })
  const own = ['bare = false', 'logallrefupdates = true', ...settings].map((line) => `\t${line}\n`).join('')
  await writeFile(join(gitDir, 'config'), config.replace(/^\s*bare = true\n/m, own))
  await writeFile(join(gitDir, 'HEAD'), `ref: refs/heads/${branch}\n`)
}

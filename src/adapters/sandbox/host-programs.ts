import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** In the PATH of some services, and not of others, on the same machine. */
const ofSystem = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/**
 * See Sandbox.programs, for this machine's own. What is looked at is cheap, and never says that two
 * machines are the same which have another program, or another release of one, in PATH.
 */
export async function hostPrograms(path: string, readOnlyPaths: readonly string[]): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const folders = [...new Set([...path.split(delimiter), ...ofSystem])].sort()
  const found = await Promise.all([...folders.map(sizesIn), ...readOnlyPaths.map(namesIn)])
  return createHash('sha256')
    .update(JSON.stringify([release, found.flat()]))
    .digest('hex')
}

/** Most programs are links. */
async function sizesIn(folder: string): Promise<readonly string[]> {
  const sized = async (path: string) => `${path} ${(await stat(path).catch(() => null))?.size ?? ''}`
  return Promise.all((await namesIn(folder)).map(sized))
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.sort().map((name) => join(folder, name))
}

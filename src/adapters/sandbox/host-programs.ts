import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Some services have these folders in PATH and others on the same machine do not. */
const ofSystem = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/**
 * Implements Sandbox.programs for this machine. The check is cheap, and never treats two machines
 * as equal if a program in PATH, or its release, differs.
 */
export async function hostPrograms(path: string, readOnlyPaths: readonly string[]): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const folders = [...new Set([...path.split(delimiter), ...ofSystem])].sort()
  const found = await Promise.all([...folders.map(sizesIn), ...readOnlyPaths.map(namesIn)])
  return createHash('sha256')
    .update(JSON.stringify([release, found.flat()]))
    .digest('hex')
}

/** Follows links, since most programs are links. */
async function sizesIn(folder: string): Promise<readonly string[]> {
  const sized = async (path: string) => `${path} ${(await stat(path).catch(() => null))?.size ?? ''}`
  return Promise.all((await namesIn(folder)).map(sized))
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.sort().map((name) => join(folder, name))
}

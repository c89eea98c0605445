import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Paths that processes of this machine have open, as a file, working directory or socket, as far as
 * this user may see them. Null if the system does not tell.
 */
export async function openPaths(): Promise<readonly string[] | null> {
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  if (processes.length === 0) return null
  const links = await Promise.all(processes.map(linksOf))
  const sockets = await readFile('/proc/net/unix', 'utf8').catch(() => '')
  return [...links.flat(), ...sockets.split('\n').map((line) => line.slice(line.indexOf('/')))]
}

async function linksOf(pid: string): Promise<readonly string[]> {
  const folder = join('/proc', pid)
  const open = await readdir(join(folder, 'fd')).catch(() => [])
  const names = ['cwd', 'exe', ...open.map((name) => join('fd', name))]
  return Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => '')))
}

export function isUsed(folder: string, paths: readonly string[]): boolean {
  return paths.some((path) => path === folder || path.startsWith(`${folder}/`))
}

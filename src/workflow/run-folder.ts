import { closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, opendir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../domain/limits.ts'
import type { Manifest } from '../domain/verdict.ts'
import type { Mount } from '../ports/sandbox.ts'
import { removeFolder } from './remove-folder.ts'

const writable = ['logs', 'build', 'cache', 'tmp'] as const

export interface LogFile {
  write(chunk: Uint8Array): void
  close(): void
}

/** The folder of one verification, ARTIFACT_DIR of its steps. */
export interface RunFolder {
  readonly path: string
  /** The folder itself read-only, so that nothing in it can be replaced by a link, and the four that may be written. */
  readonly mounts: readonly Mount[]
  /** A log that the steps cannot reach while they run. */
  openLog(name: string): LogFile
  /**
   * Moves the logs to `logs/`, throws `cache/` and `tmp/` away and writes the manifest. Returns paths of files, relative to the folder: the manifest,
   * the logs, and what else the steps have left.
   */
  finish(manifest: Manifest): Promise<readonly string[]>
}

/** Makes the folder anew: what an interrupted verification left there is gone. */
export async function createRunFolder(artifacts: string, runId: string): Promise<RunFolder> {
  const path = join(artifacts, 'runs', runId)
  const own = join(artifacts, 'runs', `.${runId}.logs`)
  await removeFolder(path)
  await removeFolder(own)
  for (const name of writable) await mkdir(join(path, name), { recursive: true })
  await mkdir(own, { recursive: true })
  const logs: string[] = []
  return {
    path,
    mounts: [{ path, access: 'read' }, ...writable.map((name): Mount => ({ path: join(path, name), access: 'write' }))],
    openLog(name) {
      logs.push(name)
      return openLog(join(own, name))
    },
    async finish(manifest) {
      // A step may have closed it, and put anything in the place of a log, a folder too.
      await chmod(join(path, 'logs'), 0o755)
      for (const name of logs) {
        await removeFolder(join(path, 'logs', name))
        await rename(join(own, name), join(path, 'logs', name))
      }
      await removeFolder(own)
      await empty(path, ['cache', 'tmp'])
      const write = () =>
        writeFile(join(path, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' })
      try {
        await write()
      } catch (error) {
        if (!['ENOSPC', 'EDQUOT'].includes(`${(error as NodeJS.ErrnoException).code}`)) throw error
        // The steps have filled the disk: the answer is worth more than what they have built.
        await empty(path, ['build'])
        await rm(join(path, 'manifest.json'), { force: true })
        await write()
      }
      return listFiles(path, ['manifest.json', ...logs.map((name) => `logs/${name}`)])
    },
  }
}

async function empty(path: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await removeFolder(join(path, name))
    await mkdir(join(path, name))
  }
}

/** Writes at once, and stops at the limit of a log's size with a line that says so. */
function openLog(file: string): LogFile {
  const fd = openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644)
  let left: number = limits.logBytes
  return {
    write(chunk) {
      if (left < 0) return
      writeFileSync(fd, chunk.subarray(0, left))
      left -= chunk.length
      if (left < 0) writeFileSync(fd, `\n[drydock] the log is cut at ${limits.logBytes} bytes\n`)
    },
    close: () => closeSync(fd),
  }
}

const maxListed = 1_000

/** `known` and what else lies in `logs` and `build`, however much that is. What a step has made unreadable is left out. */
async function listFiles(path: string, known: readonly string[]): Promise<readonly string[]> {
  const found = new Set(known)
  const folders = ['logs', 'build']
  for (const folder of folders) {
    const entries = await opendir(join(path, folder)).catch(() => [])
    for await (const entry of entries) {
      if (found.size >= maxListed || folders.length >= maxListed) return [...found].sort()
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
      else if (entry.isFile()) found.add(join(folder, entry.name))
    }
  }
  return [...found].sort()
}

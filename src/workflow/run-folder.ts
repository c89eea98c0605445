import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../domain/limits.ts'
import type { Manifest } from '../domain/verdict.ts'
import type { Mount } from '../ports/sandbox.ts'

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
  /** Moves the logs to `logs/` and writes the manifest. Returns the paths of all files, relative to the folder. */
  finish(manifest: Manifest): Promise<readonly string[]>
}

/** Makes the folder anew: what an interrupted verification left there is gone. */
export async function createRunFolder(artifacts: string, runId: string): Promise<RunFolder> {
  const path = join(artifacts, 'runs', runId)
  const own = join(artifacts, 'runs', `.${runId}.logs`)
  await rm(path, { recursive: true, force: true })
  await rm(own, { recursive: true, force: true })
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
      for (const name of logs) {
        // A step may have put anything in its place, a folder too.
        await rm(join(path, 'logs', name), { recursive: true, force: true })
        await rename(join(own, name), join(path, 'logs', name))
      }
      await rm(own, { recursive: true, force: true })
      await writeFile(join(path, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' })
      return listFiles(path)
    },
  }
}

/** Writes at once, and stops at the limit of a log's size with a line that says so. */
function openLog(file: string): LogFile {
  const fd = openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644)
  let left: number = limits.logBytes
  return {
    write(chunk) {
      if (left <= 0) return
      writeSync(fd, chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) writeSync(fd, `\n[drydock] the log is cut at ${limits.logBytes} bytes\n`)
    },
    close: () => closeSync(fd),
  }
}

const maxListed = 1_000

/** What a step has made unreadable is left out. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = ['manifest.json']
  for (const name of ['logs', 'build']) {
    const entries = await readdir(join(folder, name), { withFileTypes: true, recursive: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.isFile()) found.push(join(entry.parentPath, entry.name).slice(folder.length + 1))
    }
  }
  return found.sort().slice(0, maxListed)
}

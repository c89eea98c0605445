import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  opendir,
  readdir,
  realpath,
  rename,
  rm,
  statfs,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, normalize, sep } from 'node:path'
import { isDiskFull } from '../../domain/disk-full.ts'
import { freeSpaceIn, isRoomy } from '../../domain/free-space.ts'
import { limits } from '../../domain/limits.ts'
import type { Redact } from '../../domain/secrets/redact.ts'
import type { Manifest } from '../../domain/verification/verdict.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { Mount } from '../../ports/sandbox.ts'
import { openLogFile, reopenLogFile } from './log-file.ts'
import type { Places } from './places.ts'
import { readInside } from './read-inside.ts'
import { redactFiles } from './redact-files.ts'
import { removeFolder } from './remove-folder.ts'
import { giveSameTimes, makeShownFolder, removeRunFolder, settleShownFolder } from './shown-folder.ts'
import { copyToolCache, currentToolCache, keepToolCache } from './tool-cache.ts'
import { writtenFiles } from './written-files.ts'

const writable = ['logs', 'build', 'cache', 'tmp'] as const

/**
 * Implements `Artifacts.openRun`. Until the run ends, its folder is a link to the one that the
 * steps see, and files that no step may reach lie in a hidden folder beside it.
 */
export async function createRunFolder(
  { places, redact }: { readonly places: Places; readonly redact: Redact },
  runId: string,
  ofBase: boolean,
): Promise<RunFolder> {
  const path = join(places.runs, runId)
  const own = join(places.runs, `.${runId}`)
  await removeRunFolder(path, places)
  await removeFolder(own)
  const shown = await makeShownFolder(path, places)
  const folders = writable.map((name) => join(path, name))
  for (const folder of [...folders, join(own, 'logs')]) await mkdir(folder, { recursive: true })
  const cache = await cacheMount(places, { path: join(path, 'cache'), upper: shown.cache, ofBase })
  await giveSameTimes([...folders, shown.overlay, shown.cache, path])
  const logs = new Set<string>()
  return {
    path,
    mounts: [
      { path, access: 'read' },
      ...writable
        .filter((name) => name !== 'cache')
        .map((name): Mount => ({ path: join(path, name), access: 'write' })),
      cache,
    ],
    overlay: shown.overlay,
    async lay(files) {
      const folder = await mkdtemp(join(own, 'laid-'))
      // In a container the steps may run as another user.
      await chmod(folder, 0o755)
      for (const [name, bytes] of files) {
        await mkdir(dirname(join(folder, name)), { recursive: true })
        await writeFile(join(folder, name), bytes)
      }
      return folder
    },
    openLog(name) {
      const open = logs.has(name) ? reopenLogFile : openLogFile
      logs.add(name)
      return open(join(own, 'logs', name), redact)
    },
    async report(name, maxBytes) {
      const [top = ''] = normalize(name).split(sep)
      // The content of `cache` may lie in an overlay that only the steps see.
      if (top === 'cache' || !writable.some((each) => each === top)) return null
      const found = await readInside(path, name, { below: top, maxBytes })
      return found.ok && found.isWhole ? found.text : null
    },
    async forget(name) {
      if (['.', '..'].includes(basename(name))) return
      const folder = await realpath(join(path, dirname(name))).catch(() => null)
      if (!folder?.startsWith(`${await realpath(path)}${sep}`)) return
      // A step may have removed the folder's permissions.
      await chmod(folder, 0o755)
      await removeFolder(join(folder, basename(name)))
    },
    overlaid: () => readdir(shown.overlay),
    written: (asked) => writtenFiles(shown.overlay, asked),
    foldersLeft: (paths) => foldersLeft(shown.overlay, paths),
    async renewOverlay() {
      await removeFolder(shown.overlay)
      await mkdir(shown.overlay)
      await giveSameTimes([shown.overlay])
    },
    async discard() {
      await removeRunFolder(path, places)
      await removeFolder(own)
    },
    async finish(manifest) {
      await makePlace(path, manifest.status)
      // A step may have removed the permissions, and may have replaced a log by anything, even a
      // folder.
      await chmod(join(path, 'logs'), 0o755)
      await redactFiles(join(path, 'logs'), redact)
      for (const name of logs) {
        await removeFolder(join(path, 'logs', name))
        await rename(join(own, 'logs', name), join(path, 'logs', name))
      }
      await keepOverlay(shown.overlay, join(path, 'build'))
      if (ofBase && manifest.status === 'PASS') await keepToolCache(places, join(path, 'cache'))
      await settleShownFolder(path, shown)
      await removeFolder(own)
      await empty(path, ['cache', 'tmp'])
      await makePlace(path, manifest.status)
      const write = () =>
        writeFile(join(path, 'manifest.json'), `${redact(JSON.stringify(manifest, null, 2))}\n`, { flag: 'wx' })
      try {
        await write()
      } catch (error) {
        if (!isDiskFull(error)) throw error
        await empty(path, ['build'])
        await rm(join(path, 'manifest.json'), { force: true })
        await write()
      }
      return listFiles(path, ['manifest.json', ...[...logs].map((name) => `logs/${name}`)])
    },
  }
}

/**
 * A private view of the caches that runs on a base commit have kept: a copy for another such run,
 * and an overlay on top of them for all other runs.
 */
async function cacheMount(
  places: Places,
  { path, upper, ofBase }: { readonly path: string; readonly upper: string; readonly ofBase: boolean },
): Promise<Mount> {
  const kept = await currentToolCache(places)
  if (kept === null) return { path, access: 'write' }
  if (!ofBase) return { at: path, access: 'overlay', lower: [kept], upper }
  await copyToolCache(kept, path)
  return { path, access: 'write' }
}

/**
 * On a disk that the steps have filled, the verdict and its records are worth more than the build's
 * output, which is then removed. Output of steps that gave no verdict is removed as soon as a
 * command would find too little free space.
 */
async function makePlace(path: string, status: Manifest['status']): Promise<void> {
  const space = freeSpaceIn(await statfs(path))
  const { bytes, files } = limits.diskReserve
  const isShort = space.free < bytes || (space.files > 0 && space.freeFiles < files)
  if (isShort || (status === 'INFRA_ERROR' && !isRoomy(space))) await empty(path, ['build'])
}

/** Keeps the files that the steps wrote into the repository, if there are any. */
async function keepOverlay(overlay: string, build: string): Promise<void> {
  const written = await opendir(overlay)
  const first = await written.read().finally(() => written.close())
  if (first === null) return
  await chmod(build, 0o755)
  await removeFolder(join(build, 'overlay'))
  await rename(overlay, join(build, 'overlay'))
}

async function empty(path: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await removeFolder(join(path, name))
    await mkdir(join(path, name))
  }
}

const maxListed = 1_000

/**
 * Lists `known` and the other files in `logs` and `build`, up to a limit. Folders that a step has
 * made unreadable are left out.
 */
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

/** Implements `RunFolder.foldersLeft`. */
async function foldersLeft(overlay: string, paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => isLeft(overlay, path.split('/'))))
  return paths.filter((_, i) => found[i])
}

/**
 * True if the folder certainly still exists. A folder of the overlay may hide the one below it,
 * which cannot be seen from here; then only the overlay's own entries count.
 */
async function isLeft(overlay: string, parts: readonly string[]): Promise<boolean> {
  let place = overlay
  for (const [i, part] of parts.entries()) {
    place = join(place, part)
    const stats = await lstat(place).catch(() => null)
    if (stats === null) return i === 0
    // An overlay shows a removed file or folder as a device.
    if (!stats.isDirectory()) return false
  }
  return true
}

import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemPath } from '../../processes/host-path.ts'
import { runProgram } from '../../processes/run-program.ts'
import { missingAsEmpty } from './missing-as-empty.ts'

/**
 * Bytes on disk of each entry of a folder, by name; empty for a missing folder. Entries that vanish
 * in the meantime are not counted.
 */
export async function folderSizes(folder: string): Promise<Readonly<Record<string, number>>> {
  const names = await readdir(folder).catch(missingAsEmpty)
  if (names.length === 0) return {}
  const sizes = await Promise.all(names.map((name) => sizeOfFile(join(folder, name))))
  const folders = names.filter((_, i) => sizes[i] === null)
  let said = ''
  for (let from = 0; from < folders.length; from += namesAtOnce)
    said += await du(folders.slice(from, from + namesAtOnce).map((name) => join(folder, name)))
  const counted = said.split('\n').flatMap((line) => {
    const [bytes, path] = line.split('\t')
    return path === undefined ? [] : [[path.slice(folder.length + 1), Number(bytes)] as const]
  })
  return Object.fromEntries([...names.flatMap((name, i) => (sizes[i] == null ? [] : [[name, sizes[i]]])), ...counted])
}

/** Returns null for a folder, and undefined for a path that has vanished. */
async function sizeOfFile(path: string): Promise<number | null | undefined> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() ? null : found && found.blocks * bytesInBlock
}

/** The size of the blocks that `stat` counts. */
const bytesInBlock = 512

/** The number of paths that fit into a program's arguments, even if each has the maximal length. */
const namesAtOnce = 200

/** `du` exits with 1 when a file vanishes while it counts; its other counts are valid. */
async function du(paths: readonly string[]): Promise<string> {
  const env = { PATH: systemPath, LC_ALL: 'C' }
  const { stdout } = await runProgram('du', ['-s', '--block-size=1', '--', ...paths], { env })
  return stdout
}

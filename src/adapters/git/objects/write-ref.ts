import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { failed } from '../git.ts'
import { packedRefs } from './read-ref.ts'

/** Names of plain parts, beside which nothing else can be in the way. */
const plain = /^refs(?:\/(?!\.)(?:(?!\.\.)(?!\.lock(?:\/|$))[A-Za-z0-9._-])+(?<!\.)){2,}$/

/**
 * Points a ref of a git directory that is Drydock's own at an object that is there, as git does in
 * its files: whole, on the disk, and under git's own lock. False, with nothing done, where it is
 * for git to judge: another name, or a lock or a folder in the way.
 */
export async function writeRef(gitDir: string, ref: string, sha: string): Promise<boolean> {
  if (!plain.test(ref) || (await isPackedInTheWay(gitDir, ref))) return false
  const file = join(gitDir, ref)
  const lock = `${file}.lock`
  let isLocked = false
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(lock, '', { flag: 'wx' })
    isLocked = true
    await writeFile(lock, `${sha}\n`, { flush: true })
    await rename(lock, file)
    return true
  } catch (error) {
    if (isLocked) await rm(lock, { force: true })
    if (inTheWay.includes(`${(error as NodeJS.ErrnoException).code}`)) return false
    throw failed(['update-ref'], (error as Error).message)
  }
}

/** Whether a packed ref has the name of one of its folders, or has this name as a folder. */
async function isPackedInTheWay(gitDir: string, ref: string): Promise<boolean> {
  const packed = await packedRefs(gitDir)
  const parts = ref.split('/')
  const folders = parts.slice(2).map((_, i) => parts.slice(0, i + 2).join('/'))
  return packed.includes(` ${ref}/`) || folders.some((folder) => packed.includes(` ${folder}\n`))
}

/** A lock, a file in the place of a folder, a folder at the name, or one that git removed. */
const inTheWay = ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ENOENT']

import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { failed } from '../git.ts'
import { packedRefs } from './read-ref.ts'

/** Ref names of simple parts; git itself decides about all others. */
const plain = /^refs(?:\/(?!\.)(?:(?!\.\.)(?!\.lock(?:\/|$))[A-Za-z0-9._-])+(?<!\.)){2,}$/

/**
 * Points a ref in one of Drydock's git directories at an existing object, the way git writes its
 * files: atomically, flushed, and under git's own lock. Returns false without a change if git has
 * to decide: for other names, or with a lock or folder in the way.
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

/** True if a packed ref is named like one of its folders, or uses this name as a folder. */
async function isPackedInTheWay(gitDir: string, ref: string): Promise<boolean> {
  const packed = await packedRefs(gitDir)
  const parts = ref.split('/')
  const folders = parts.slice(2).map((_, i) => parts.slice(0, i + 2).join('/'))
  return packed.includes(` ${ref}/`) || folders.some((folder) => packed.includes(` ${folder}\n`))
}

/**
 * These codes mean a lock, a file in place of a folder, a folder of this name, or a folder that git
 * removed.
 */
const inTheWay = ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ENOENT']

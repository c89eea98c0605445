import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from '../unless-missing.ts'

/**
 * The object of a ref, or of a detached HEAD, in one of Drydock's git directories; null if it does
 * not exist. Reads packed refs too, since git packs them when it tidies.
 */
export async function readRef(gitDir: string, ref: string): Promise<string | null> {
  const loose = await unlessMissing(readFile(join(gitDir, ref), 'latin1'))
  const line = loose ?? (await packedRefs(gitDir)).split('\n').find((each) => each.endsWith(` ${ref}`))
  return /^[0-9a-f]{40,64}(?=\s)/.exec(line ?? '')?.[0] ?? null
}

/** One line per ref: the object, a space and the name. */
export async function packedRefs(gitDir: string): Promise<string> {
  return (await unlessMissing(readFile(join(gitDir, 'packed-refs'), 'latin1'))) ?? ''
}

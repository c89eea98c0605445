import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { failed } from '../git.ts'
import { unlessMissing } from '../unless-missing.ts'

export type ObjectType = 'blob' | 'tree' | 'commit'

interface ObjectInput {
  readonly type: ObjectType
  readonly content: Uint8Array
  readonly format: 'sha1' | 'sha256'
  /** Set to false if the object need not be on disk when the promise resolves. */
  readonly flush?: boolean
}

/**
 * Writes a loose object into one of Drydock's folders of objects, as git does, and returns its id.
 * Starting git per object would cost more than the write. New objects are not compressed, like
 * those that git writes under `own-config.ts`. If the object exists, its time is renewed, so that
 * git's pruning of old objects spares it.
 */
export async function writeObject(
  objects: string,
  { type, content, format, flush = true }: ObjectInput,
): Promise<string> {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const id = createHash(format).update(whole).digest('hex')
  const folder = join(objects, id.slice(0, 2))
  const file = join(folder, id.slice(2))
  const now = new Date()
  const isThere = await utimes(file, now, now).then(
    () => true,
    () => false,
  )
  if (isThere) return id
  // Git removes files with this prefix when a killed process has left them.
  const scratch = join(objects, `tmp_obj_${randomUUID()}`)
  const place = async () => {
    await mkdir(folder, { recursive: true })
    return unlessMissing(rename(scratch, file).then(() => true))
  }
  try {
    await writeFile(scratch, await packed(whole, { level: 0 }), { flag: 'wx', mode: 0o444, flush })
    // Git may remove the empty folder in between, hence two attempts.
    if ((await place()) === null && (await place()) === null) throw new Error(`${file} could not be written`)
  } catch (error) {
    await rm(scratch, { force: true })
    throw failed(['hash-object'], (error as Error).message)
  }
  return id
}

const packed = promisify<Uint8Array, object, Buffer>(deflate)

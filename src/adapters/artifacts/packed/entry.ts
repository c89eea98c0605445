import { z } from 'zod'
import { limits } from '../../../domain/limits.ts'
import { LayerRefused } from '../../../ports/artifacts.ts'

/** The first line of every packed layer. */
export const heading = 'drydock layer 1'

/**
 * The longest line: a path and perhaps a link's target, each character at most six bytes in JSON.
 */
export const lineBytes = 13 * limits.sharedLayers.pathChars

/** A path from the root to an entry: it cannot lead out, and every file system reads it alike. */
const path = z
  .string()
  .min(1)
  .max(limits.sharedLayers.pathChars)
  .refine((text) => isName(text) && text.split('/').every((part) => !['', '.', '..'].includes(part)))

/** True if a file system can store the name unchanged. */
function isName(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Permission bits alone, without setuid or setgid: a layer's file never changes the user. */
const mode = z.int().min(0).max(0o777)

/** Milliseconds since 1970. */
const time = z.int().min(0).max(8_640_000_000_000_000)

const entrySchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('folder'), path, mode, time }),
  z.strictObject({ type: z.literal('file'), path, mode, time, bytes: z.int().min(0) }),
  z.strictObject({
    type: z.literal('link'),
    path,
    target: z.string().min(1).max(limits.sharedLayers.pathChars).refine(isName),
  }),
  z.strictObject({ type: z.literal('same'), path, as: path }),
  z.strictObject({ type: z.literal('end'), entries: z.int().min(0) }),
])

/**
 * A line of a packed layer; the content of a `file` follows its line. `same` is a further hard link
 * to an earlier file. The format has no words for devices and sockets, so a layer cannot hold them.
 */
export type Entry = z.infer<typeof entrySchema>

export function readEntry(line: string): Entry {
  let said: unknown
  try {
    said = JSON.parse(line)
  } catch {
    throw new LayerRefused('a line of it is not JSON')
  }
  const { data } = entrySchema.safeParse(said)
  if (data === undefined) throw new LayerRefused('a line of it describes no file, folder or link that may be there')
  return data
}

import { z } from 'zod'
import { limits } from '../../../domain/limits.ts'
import { LayerRefused } from '../../../ports/artifacts.ts'

/** The first line of every packed layer. */
export const heading = 'drydock layer 1'

/** Of a line: a path, perhaps a link's target, each character at most six in JSON. */
export const lineBytes = 13 * limits.sharedLayers.pathChars

/** Between the root and an entry: no way out, and nothing that a file system reads otherwise. */
const path = z
  .string()
  .min(1)
  .max(limits.sharedLayers.pathChars)
  .refine((text) => isName(text) && text.split('/').every((part) => !['', '.', '..'].includes(part)))

/** Whether a disk keeps it as it is. */
function isName(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Permissions alone: nobody becomes somebody else by a file of a layer. */
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
 * A line of a packed layer; the content of a `file` follows its line. `same` is one more name of an
 * earlier file. Nothing else can be said, so a device or a socket cannot.
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

import { z } from 'zod'

/** Lists that can be had as a file. */
export const downloadLists = [
  ...(['runs', 'stories', 'verifications', 'events', 'timeline', 'messages', 'receipts'] as const),
  ...(['benches', 'attempts'] as const),
] as const

export type DownloadList = (typeof downloadLists)[number]

/**
 * Query of GET /api/download. The answer is a JSON object with `list`, `run`, `version`, and in
 * `items` all of the list, as the list's own route has them. It is sent while it is read: an answer
 * that breaks off is no JSON.
 */
export const downloadQuerySchema = z.object({
  list: z.enum(downloadLists),
  /** Of which Run; for any list but `runs`, `receipts` and those of benches. */
  run: z.string().max(100).optional(),
  /** Of which run of `drydock bench`; for `attempts`. */
  bench: z.string().max(200).optional(),
  /** Of one story of it; for `timeline` and `events`. */
  story: z.string().max(100).optional(),
})

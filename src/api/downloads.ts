import { z } from 'zod'

/** Lists that can be downloaded as a file. */
export const downloadLists = [
  ...(['runs', 'stories', 'verifications', 'events', 'timeline', 'messages', 'receipts'] as const),
  ...(['benches', 'attempts'] as const),
] as const

export type DownloadList = (typeof downloadLists)[number]

/**
 * Query of GET /api/download. The response is a JSON object with `list`, `run`, `version` and
 * `items`, which holds the whole list in the form of the list's own route. The response is
 * streamed: if it breaks off, it is not valid JSON.
 */
export const downloadQuerySchema = z.object({
  list: z.enum(downloadLists),
  /** The id of the Run; required for all lists except `runs`, `receipts` and those of benches. */
  run: z.string().max(100).optional(),
  /** The id of the run of `drydock bench`, for `attempts`. */
  bench: z.string().max(200).optional(),
  /** The id of one story of the Run, for `timeline` and `events`. */
  story: z.string().max(100).optional(),
})

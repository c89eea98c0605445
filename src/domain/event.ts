import type { JsonObject } from './json.ts'

/** One entry of the append-only log of a Run. Ids grow; `at` is ISO 8601. */
export interface Event {
  readonly id: number
  readonly run: string
  readonly story: string | null
  readonly type: string
  readonly data: JsonObject
  readonly at: string
}

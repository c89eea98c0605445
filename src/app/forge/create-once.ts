import { randomUUID } from 'node:crypto'
import type { Json } from '../../domain/json.ts'
import type { Comment, Forge, Place } from '../../ports/forge.ts'
import type { ForgeCall } from '../../ports/rows.ts'
import type { ForgeCalls } from '../../ports/store.ts'

interface Creating {
  /** Says what is made, so that the same thing has the same key. */
  readonly key: string
  readonly run: string
  readonly call: string
  readonly place: Place
  /** Sends the text, which ends with the mark, and returns the comment's id if it is known. */
  readonly send: (mark: string) => Promise<string | null>
}

/** What is kept of a comment of ours. */
export interface OwnComment {
  /** Null where it cannot be edited. */
  readonly id: string | null
  readonly mark: string
  /** What was noted with it at last. */
  readonly noted: Json
}

/**
 * Writes a comment once. A row with an unguessable mark is stored before; whoever finds the row
 * unfinished looks for the mark at the forge before anything is sent again.
 */
export async function createOnce(forge: Forge, calls: ForgeCalls, creating: Creating): Promise<OwnComment> {
  const { key, run, call, place } = creating
  const before = await rowOf(calls, run, key)
  const known = before && ownOf(before)
  if (known && before.finishedAt !== null) return known
  const request = { ...place, mark: known?.mark ?? `drydock ${randomUUID()}` }
  if (before === null) await calls.startForgeCall({ key, run, call, request })
  const made = before === null ? null : await lookFor(forge, { place, mark: request.mark, from: before.startedAt })
  const id = made === null ? await creating.send(shown(request.mark)) : made.id
  await calls.finishForgeCall(key, { id })
  return { id, mark: request.mark, noted: null }
}

/** Notes something with a comment that was made. */
export async function noteWith(calls: ForgeCalls, key: string, { id }: OwnComment, noted: Json): Promise<void> {
  await calls.finishForgeCall(key, { id, noted })
}

export async function rowOf(calls: ForgeCalls, run: string, key: string): Promise<ForgeCall | null> {
  return (await calls.forgeCalls(run)).find((row) => row.key === key) ?? null
}

/** People do not see it where the forge shows the text. */
export function shown(mark: string): string {
  return `<!-- ${mark} -->`
}

/** Whether Drydock has written a comment, as far as its text tells. */
export function isOurs({ text }: Pick<Comment, 'text'>): boolean {
  return /<!-- drydock [0-9a-f-]{36} -->\s*$/.test(text)
}

/** A forge's clock may be behind. Nobody else knew the mark before, so the oldest one is ours. */
async function lookFor(
  forge: Forge,
  { place, mark, from }: { readonly place: Place; readonly mark: string; readonly from: string },
): Promise<Comment | null> {
  const since = new Date(Date.parse(from) - 86_400_000)
  return (await forge.comments(place, since)).find(({ text }) => text.includes(shown(mark))) ?? null
}

function ownOf({ request, answer }: ForgeCall): OwnComment {
  const { mark } = request as { readonly mark: string }
  const { id = null, noted = null } = (answer ?? {}) as { readonly id?: string | null; readonly noted?: Json }
  return { id, mark, noted }
}

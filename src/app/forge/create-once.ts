import { randomUUID } from 'node:crypto'
import type { Json } from '../../domain/json.ts'
import type { Comment, Forge, Place } from '../../ports/forge.ts'
import type { ForgeCall } from '../../ports/rows.ts'
import type { ForgeCalls } from '../../ports/store.ts'

interface Creating {
  /** Identifies the comment: equal keys mean the same comment. */
  readonly key: string
  readonly run: string
  readonly call: string
  readonly place: Place
  /**
   * Sends the text, which ends with the mark. Returns the comment's id, or null if the forge does
   * not tell it.
   */
  readonly send: (mark: string) => Promise<string | null>
}

/** A stored comment that Drydock wrote. */
export interface OwnComment {
  /** Null if the comment cannot be edited. */
  readonly id: string | null
  readonly mark: string
  /** The last value noted with the comment. */
  readonly noted: Json
}

/**
 * Creates a comment exactly once. A row with an unguessable mark is stored first. A process that
 * finds an unfinished row looks for the mark at the forge, and sends the comment only if it is
 * missing.
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

/** Notes a value with an existing comment. */
export async function noteWith(calls: ForgeCalls, key: string, { id }: OwnComment, noted: Json): Promise<void> {
  await calls.finishForgeCall(key, { id, noted })
}

export async function rowOf(calls: ForgeCalls, run: string, key: string): Promise<ForgeCall | null> {
  return (await calls.forgeCalls(run)).find((row) => row.key === key) ?? null
}

/** Hides the mark in an HTML comment, which forges do not display. */
export function shown(mark: string): string {
  return `<!-- ${mark} -->`
}

/** True if a comment ends with the mark of Drydock. */
export function isOurs({ text }: Pick<Comment, 'text'>): boolean {
  return /<!-- drydock [0-9a-f-]{36} -->\s*$/.test(text)
}

/**
 * Looks for our comment, allowing for a forge's clock that is behind. Nobody else knew the mark
 * when it was sent, so the oldest match is ours.
 */
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

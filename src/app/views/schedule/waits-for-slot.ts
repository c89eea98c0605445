import type { Run } from '../../../domain/run/run.ts'
import { allInTurn, reachedCap, sharesOf } from '../../../domain/share/in-turn.ts'
import type { SlotCaps } from '../../../domain/share/slot-caps.ts'
import type { Records } from '../../../ports/store.ts'
import {
  capsOf,
  partyOf,
  readArrivals,
  readIdle,
  readOffered,
  readRunning,
  takingOf,
  wantingOf,
} from '../../../workflow/run/slot-shares.ts'

/** The work of a Run that could continue, but has no slot because of other Runs or a limit. */
export interface WaitsForSlot {
  /** Ids of the waiting stories; empty for a task. */
  readonly stories: readonly string[]
  /** Tells which Runs hold the slots, and when this Run gets one. */
  readonly sentence: string
}

/** Null if the Run does not wait, or only for slots of its own stories. */
export async function readWaitsForSlot(records: Records, run: Run, slots: SlotCaps): Promise<WaitsForSlot | null> {
  const all = await readRunning(records)
  const wanting = all.flatMap(wantingOf)
  const own = wanting.filter(({ running }) => running.run.id === run.id)
  if (own.length === 0) return null
  const [offered, idle, arrivals, now] = await Promise.all([
    readOffered(records),
    readIdle(records, all),
    readArrivals(records, wanting),
    records.lastEvent(),
  ])
  const taking = takingOf(all, { idle, arrivals })
  const turns = { shares: sharesOf(taking), now, caps: capsOf(slots) }
  const { path } = partyOf(run)
  const count = (isMeant: (run: string | undefined) => boolean) =>
    taking.filter(({ path: [, id] }) => isMeant(id)).reduce((sum, { holds }) => sum + holds, 0)
  const [held, others] = [count((id) => id === run.id), count((id) => id !== run.id)]
  const order = [...new Set(allInTurn(wanting, turns).map(({ running }) => running.run.id))]
  const cap = reachedCap(path.slice(0, 2), turns)
  if (cap === null && others === 0 && order[0] === run.id) return null
  const stories = own.flatMap((each) => each.stories.map(({ story }) => story ?? ''))
  const what =
    stories.length === 0 ? 'It waits' : stories.length === 1 ? '1 story waits' : `${stories.length} stories wait`
  const sentence = `${what} for a slot. ${heldText(offered.length, held, others)} ${turnText(cap, order.indexOf(run.id))}`
  return { stories, sentence }
}

function heldText(offered: number, held: number, others: number): string {
  const own = held === 0 ? '' : `, and this run holds ${held}`
  return `Of ${offered === 1 ? '1 slot' : `${offered} slots`} other runs hold ${others}${own}.`
}

function turnText(cap: number | null, before: number): string {
  if (cap !== null)
    return `More is not allowed: \`slots.${cap === 0 ? 'per_user' : 'per_run'}\` in your own file is reached.`
  if (before <= 0) return 'It is next in turn.'
  return before === 1 ? '1 run is before it.' : `${before} runs are before it.`
}

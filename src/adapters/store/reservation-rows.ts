import type { Kysely } from 'kysely'
import type { Amount } from '../../domain/run/budget.ts'
import type { Transaction } from '../../ports/store.ts'
import { prepared } from './prepared.ts'
import type { Tables } from './tables.ts'

type Row = Omit<Tables['reservations'], 'id' | 'open'>

const loseOfLane = prepared<{ lane: string }>()((db, { lane }) =>
  db.updateTable('reservations').set({ open: 0 }).where('lane', '=', lane).where('open', '=', 1),
)
const removeOfLane = prepared<{ lane: string }>()((db, { lane }) =>
  db.deleteFrom('reservations').where('lane', '=', lane).where('open', '=', 1),
)
const insert = prepared<Row>()((db, row) => {
  const { run, story, lane, micro_usd, tokens } = row
  return db.insertInto('reservations').values({ run, story, lane, micro_usd, tokens, open: 1 }).returning('id')
})
const change = prepared<{ id: number; micro_usd: number | null; tokens: number }>()((db, { id, micro_usd, tokens }) =>
  db.updateTable('reservations').set({ micro_usd, tokens }).where('id', '=', id),
)
const lose = prepared<{ id: number }>()((db, { id }) =>
  db.updateTable('reservations').set({ open: 0 }).where('id', '=', id),
)
const remove = prepared<{ id: number }>()((db, { id }) => db.deleteFrom('reservations').where('id', '=', id))

export type Deferral = (written: Promise<unknown>) => Promise<unknown> | undefined

type Reserving = Pick<Transaction, 'reserve' | 'settle' | 'reserveBeside' | 'changeReservation' | 'settleReservation'>

/** Reserved amounts of running calls, and of calls whose end was not seen. */
export function createReservations(db: Kysely<Tables>, later: Deferral): Reserving {
  const put = ({ id, run, story }: Parameters<Reserving['reserve']>[0], { microUsd, tokens }: Amount) =>
    insert(db, { run, story, lane: id, micro_usd: microUsd, tokens })
  return {
    async reserve(lane, amount) {
      await later(loseOfLane(db, { lane: lane.id }))
      await later(put(lane, amount))
    },
    async settle(lane, outcome) {
      await later((outcome === 'lost' ? loseOfLane : removeOfLane)(db, { lane }))
    },
    async reserveBeside(lane, amount) {
      const [inserted] = (await put(lane, amount)).rows
      if (inserted === undefined) throw new Error(`nothing was reserved for ${lane.id}`)
      return inserted.id
    },
    async changeReservation(id, { microUsd, tokens }) {
      await change(db, { id, micro_usd: microUsd, tokens })
    },
    async settleReservation(id, outcome) {
      await (outcome === 'lost' ? lose : remove)(db, { id })
    },
  }
}

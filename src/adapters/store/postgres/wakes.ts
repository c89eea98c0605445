import type { Machine } from '../../../domain/machine.ts'
import type { Taker } from '../../../ports/jobs.ts'
import { holderOf, isOfState, stateKeeper } from '../job-rows.ts'

/** The name that stands for all hosts. */
const everybody = '*'

/**
 * The workers that a commit concerns: those that take the queued steps of the given holders of
 * slots.
 */
export interface Wakes {
  queued(machine: Machine): void
  everybody(): void
  /** Names of holders, `#` and `*`, for `wakeSql`; the next transaction starts with none. */
  take(): readonly string[]
}

export function createWakes(): Wakes {
  let concerned = new Set<string>()
  return {
    queued: (machine) => void concerned.add(isOfState(machine) ? stateKeeper : holderOf(machine)),
    everybody: () => void concerned.add(everybody),
    take() {
      const taken = [...concerned]
      concerned = new Set()
      return taken
    },
  }
}

/**
 * The payload of a notification as an SQL expression: the committing worker, and a line for each
 * host. Holders without a host concern everybody.
 */
export const wakeSql = ({ worker, holders }: { readonly worker: string; readonly holders: string }) =>
  `(select ${worker} || case when length(hosts) > 7000 then chr(10) || '${everybody}' else hosts end
    from (select coalesce(string_agg(distinct chr(10) || case when wanted.id = '${stateKeeper}' then '${stateKeeper}'
      else coalesce((select host from machines where machines.id = wanted.id), '${everybody}') end, ''), '') as hosts
    from unnest(${holders}::text[]) as wanted(id)) as concerned)`

/** Wakes all workers, since any of them may wait for the released lease. */
export const wakeEverybody = (worker: string) => `${worker} || chr(10) || '${everybody}'`

/**
 * The worker that sent a notification, and if it may mean a step for this taker. Null means that
 * notifications may have been missed.
 */
export function readWake(payload: string | null, { host, keepsState }: Taker) {
  if (payload === null) return { by: null, concerns: true }
  const [by = '', ...hosts] = payload.split('\n')
  const own = (name: string) => name === everybody || name === host || (name === stateKeeper && keepsState)
  return { by, concerns: hosts.some(own) }
}

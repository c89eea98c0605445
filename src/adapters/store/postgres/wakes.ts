import type { Machine } from '../../../domain/machine.ts'
import type { Taker } from '../../../ports/jobs.ts'
import { holderOf, isOfState, stateKeeper } from '../job-rows.ts'

/** In place of a host. */
const everybody = '*'

/** Whom a commit concerns: the holders of the slots in which queued steps are taken. */
export interface Wakes {
  queued(machine: Machine): void
  everybody(): void
  /** Names of holders, `#` and `*`, for `wakeSql`; the next transaction starts anew. */
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
 * The payload of a notification, as an expression of SQL: the worker that commits, and a line for
 * each host. What lies on no host concerns everybody.
 */
export const wakeSql = ({ worker, holders }: { readonly worker: string; readonly holders: string }) =>
  `(select ${worker} || case when length(hosts) > 7000 then chr(10) || '${everybody}' else hosts end
    from (select coalesce(string_agg(distinct chr(10) || case when wanted.id = '${stateKeeper}' then '${stateKeeper}'
      else coalesce((select host from machines where machines.id = wanted.id), '${everybody}') end, ''), '') as hosts
    from unnest(${holders}::text[]) as wanted(id)) as concerned)`

/** Of the workers themselves: who may wait for the lease of another one. */
export const wakeEverybody = (worker: string) => `${worker} || chr(10) || '${everybody}'`

/** Who has said it, and whether there may be a step for the taker. Null for what may be missed. */
export function readWake(payload: string | null, { host, keepsState }: Taker) {
  if (payload === null) return { by: null, concerns: true }
  const [by = '', ...hosts] = payload.split('\n')
  const own = (name: string) => name === everybody || name === host || (name === stateKeeper && keepsState)
  return { by, concerns: hosts.some(own) }
}

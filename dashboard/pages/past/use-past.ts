import { useEffect, useMemo, useState } from 'react'
import { useHistory } from '../../data/history.ts'
import { ask, useAsked } from '../../router.ts'
import { type Past, pastOf, type RunAt } from './run-at.ts'

export interface PastView {
  readonly past: Past
  /** The index of the shown moment, from 0. */
  readonly n: number
  readonly now: RunAt
  readonly goTo: (n: number) => void
}

/**
 * Milliseconds without a change until the address is updated, since browsers limit how often it may
 * change.
 */
const restMs = 200

/** The moment in the address, and all moments of the Run. */
export function usePast(run: string) {
  const query = useHistory(run)
  const { data } = query
  const past = useMemo(() => data && pastOf(data), [data])
  const asked = useAsked('at')
  const [chosen, choose] = useState(asked)
  const [seen, setSeen] = useState(asked)
  if (asked !== seen) {
    setSeen(asked)
    choose(asked)
  }
  useEffect(() => {
    if (chosen === seen || seen === null) return
    const timer = setTimeout(() => ask({ at: chosen }, 'replace'), restMs)
    return () => clearTimeout(timer)
  }, [chosen, seen])
  const id = Number(chosen)
  const shown = useMemo((): PastView | null => {
    if (past === undefined || past.moments.length === 0) return null
    const n = Number.isFinite(id) ? past.find(id) : past.moments.length - 1
    const goTo = (next: number) => {
      const moment = past.moments[Math.min(past.moments.length - 1, Math.max(0, next))]
      if (moment) choose(String(moment.id))
    }
    return { past, n, now: past.at(n), goTo }
  }, [past, id])
  return { query, shown }
}

/** Returns to the present. */
export function leavePast(): void {
  ask({ at: null, story: null })
}

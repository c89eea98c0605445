import { nextInTurn, sharesOf } from '../../domain/share/in-turn.ts'

/** The callers that wait for a place at a provider, and the places of each Run. */
export interface Line<W> {
  join(waiting: W): void
  leave(waiting: W): void
  isEmpty(): boolean
  all(): readonly W[]
  /**
   * The first caller of the Run with the fewest places; among equals, of the Run that has waited
   * longest for a place.
   */
  next(): W | undefined
  give(run: string): void
  takeBack(run: string): void
}

interface Standing {
  readonly holds: number
  readonly turn: number
}

const priority = 'normal'

export function createLine<W extends { readonly run: string }>(): Line<W> {
  const waiting = new Set<W>()
  const runs = new Map<string, Standing>()
  let now = 0

  /** The order of turns matters only while somebody waits. */
  function forgetIdle(): void {
    if (waiting.size > 0) return
    for (const [run, { holds }] of runs) if (holds === 0) runs.delete(run)
  }

  return {
    join: (who) => void waiting.add(who),
    leave: (who) => void waiting.delete(who),
    isEmpty: () => waiting.size === 0,
    all: () => [...waiting],
    next() {
      const first = new Map<string, W>()
      for (const who of waiting) if (!first.has(who.run)) first.set(who.run, who)
      const shares = sharesOf([...runs].map(([run, standing]) => ({ path: [run], priority, ...standing })))
      const parties = [...first.values()].map((who) => ({ path: [who.run], priority, who }) as const)
      return nextInTurn(parties, { shares, now, caps: [] })?.who
    },
    give(run) {
      now += 1
      runs.set(run, { holds: (runs.get(run)?.holds ?? 0) + 1, turn: now })
    },
    takeBack(run) {
      const { holds, turn } = runs.get(run) ?? { holds: 1, turn: now }
      runs.set(run, { holds: holds - 1, turn })
      forgetIdle()
    },
  }
}

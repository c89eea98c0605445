import type { Machines } from '../../api/machines.ts'
import { finalStates, tableOf } from '../../domain/machines.ts'

/** The state machines of the domain, for the dashboard to draw. */
export function machineTables(): Machines {
  const kinds = ['run', 'story', 'request'] as const
  return {
    machines: kinds.map((name) => {
      const { states, lines } = tableOf(name)
      const ends: readonly string[] = finalStates[name]
      return {
        name,
        states: states.map((state) => ({ state, end: ends.includes(state) })),
        transitions: lines.map(({ from, event, to }) => ({ from, event, to })),
      }
    }),
  }
}

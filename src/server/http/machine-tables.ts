import type { Machines, MachineTable } from '../../api/machines.ts'
import { requestStates, requestTable } from '../../domain/request.ts'
import { endedRunStates, runStates, runTable } from '../../domain/run-machine.ts'
import { endStates, storyStates, storyTable } from '../../domain/story-machine.ts'

/** The transition tables of the domain, as they are. */
export function machineTables(): Machines {
  const story = storyStates.flatMap((from) =>
    Object.entries(storyTable[from]).map(([event, { state }]) => ({ from, event, to: state })),
  )
  return {
    machines: [
      { name: 'run', states: named(runStates, endedRunStates), transitions: simple(runTable) },
      { name: 'story', states: named(storyStates, endStates), transitions: story },
      { name: 'request', states: named(requestStates, ['ANSWERED', 'CANCELLED']), transitions: simple(requestTable) },
    ],
  }
}

function named(states: readonly string[], ends: readonly string[]): MachineTable['states'] {
  return states.map((state) => ({ state, end: ends.includes(state) }))
}

function simple(
  table: Readonly<Record<string, Readonly<Partial<Record<string, string>>>>>,
): MachineTable['transitions'] {
  return Object.entries(table).flatMap(([from, row]) =>
    Object.entries(row).flatMap(([event, to]) => (to === undefined ? [] : [{ from, event, to }])),
  )
}

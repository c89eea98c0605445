/** The kinds of machine whose state is stored and moved by durable steps. */
export type MachineKind =
  | 'run'
  | 'story'
  | 'lane'
  | 'scout_query'
  | 'verification'
  | 'request'
  | 'merge'
  | 'notification'
  | 'slot'
  | 'schedule'
  | 'remark'
  | 'landing'
  | 'shared_layer'
  | 'acceptance'

/**
 * One stored machine. `version` grows by one with every change; a step made for an older version
 * changes nothing. `data` depends on the kind.
 */
export interface Machine<State extends string = string, Data = unknown, Kind extends MachineKind = MachineKind> {
  readonly id: string
  readonly kind: Kind
  readonly run: string
  readonly story: string | null
  readonly state: State
  readonly version: number
  readonly data: Data
}

/** The target state of each event in each state; a missing event cannot happen in that state. */
export type MachineTable<State extends string, Event extends string, Target = State> = Readonly<
  Record<State, Readonly<Partial<Record<Event, Target>>>>
>

/** The states of a table that an event can happen in. */
export function statesWith<State extends string, Event extends string>(
  table: MachineTable<State, Event, unknown>,
  event: Event,
): readonly State[] {
  return (Object.keys(table) as State[]).filter((state) => table[state][event] !== undefined)
}

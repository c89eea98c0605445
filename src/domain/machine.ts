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

/**
 * One stored machine. `version` grows by one with every change; a step that was made for an older version changes
 * nothing. `data` belongs to the kind.
 */
export interface Machine<State extends string = string, Data = unknown> {
  readonly id: string
  readonly kind: MachineKind
  readonly run: string
  readonly story: string | null
  readonly state: State
  readonly version: number
  readonly data: Data
}

import type { Machine, MachineTable } from '../machine.ts'

/** The availability of a coder slot. */
export type SlotState = 'OFFERED' | 'WITHDRAWN'

export type SlotEvent = 'offered' | 'withdrawn'

export const slotTable: MachineTable<SlotState, SlotEvent> = {
  OFFERED: { withdrawn: 'WITHDRAWN' },
  WITHDRAWN: { offered: 'OFFERED' },
}

/** The holder is not stored here, but in the Run or story itself. */
export interface SlotData {
  /** Unique in the state: `coder-001`. */
  readonly name: string
  /** The host whose disk has the workspace. */
  readonly host: string
}

export type Slot = Machine<SlotState, SlotData, 'slot'>

export function slotId(name: string): string {
  return `slot/${name}`
}

import type { Machine, MachineTable } from '../machine.ts'

/** Whether a coder slot is given out, or is no longer available. */
export type SlotState = 'OFFERED' | 'WITHDRAWN'

export type SlotEvent = 'offered' | 'withdrawn'

export const slotTable: MachineTable<SlotState, SlotEvent> = {
  OFFERED: { withdrawn: 'WITHDRAWN' },
  WITHDRAWN: { offered: 'OFFERED' },
}

/** Who holds it is said by the Run or story that does. */
export interface SlotData {
  /** Unique in the state: `coder-001`. */
  readonly name: string
  /** The host whose disk its workspace lies on. */
  readonly host: string
}

export type Slot = Machine<SlotState, SlotData, 'slot'>

export function slotId(name: string): string {
  return `slot/${name}`
}

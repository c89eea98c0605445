import { z } from 'zod'

/** One transition table of the code, as data. */
export const machineTableSchema = z.object({
  name: z.enum(['run', 'story', 'request']),
  /** States in the order of the code: the initial state first, end states last. */
  states: z.array(z.object({ state: z.string(), end: z.boolean() })),
  /** `to` is a state, or `ORIGIN` for the previous state. */
  transitions: z.array(z.object({ from: z.string(), event: z.string(), to: z.string() })),
})

export type MachineTable = z.infer<typeof machineTableSchema>

/** GET /api/machines: all transition tables. */
export const machinesSchema = z.object({ machines: z.array(machineTableSchema) })

export type Machines = z.infer<typeof machinesSchema>

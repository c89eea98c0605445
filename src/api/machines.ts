import { z } from 'zod'

/** One transition table of the code, as data. */
export const machineTableSchema = z.object({
  name: z.enum(['run', 'story', 'request']),
  /** In the order of the code: first the initial one, last those that end. */
  states: z.array(z.object({ state: z.string(), end: z.boolean() })),
  /** `to` is a state, or `ORIGIN` for the one that it was in before. */
  transitions: z.array(z.object({ from: z.string(), event: z.string(), to: z.string() })),
})

export type MachineTable = z.infer<typeof machineTableSchema>

/** GET /api/machines. */
export const machinesSchema = z.object({ machines: z.array(machineTableSchema) })

export type Machines = z.infer<typeof machinesSchema>

import type { z } from 'zod'

/**
 * A schema that checks and documents the frame of a value of the domain, whose own type says more
 * than the frame.
 */
export function typed<Value>(frame: z.ZodType): z.ZodType<Value, Value> {
  return frame as unknown as z.ZodType<Value, Value>
}

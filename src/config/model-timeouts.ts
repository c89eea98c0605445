import type { UserConfig } from './schema.ts'

/** The timeouts that the user has set. */
export function modelTimeouts({ model_timeouts: { first_byte_sec, idle_sec, total_sec } }: UserConfig) {
  return {
    ...(first_byte_sec !== undefined && { firstByteMs: first_byte_sec * 1_000 }),
    ...(idle_sec !== undefined && { idleMs: idle_sec * 1_000 }),
    ...(total_sec !== undefined && { totalMs: total_sec * 1_000 }),
  }
}

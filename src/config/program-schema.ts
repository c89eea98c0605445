import { z } from 'zod'

/** A command line in the user's file, which no shell reads. */

/** Which file a relative path names would depend on the folder. */
export const program = z
  .string()
  .regex(/^(?:~?\/[^\0]+|[^/\0]+)$/, { error: 'must be the name of a program, or absolute, or start with "~/"' })

export const argument = z.string().regex(/^[^\0]*$/, { error: 'must hold no null' })

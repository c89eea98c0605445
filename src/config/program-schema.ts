import { z } from 'zod'

/** A command line in the user's file, which is run without a shell. */

/** A relative path would depend on the current folder. */
export const program = z
  .string()
  .regex(/^(?:~?\/[^\0]+|[^/\0]+)$/, { error: 'must be the name of a program, or absolute, or start with "~/"' })

export const argument = z.string().regex(/^[^\0]*$/, { error: 'must hold no null' })

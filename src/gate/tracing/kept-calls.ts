import type { CommandTrace } from '../../ports/command-trace.ts'
import { insideRepository } from '../inside.ts'

/**
 * Keeps lines about the repository's own files, also where Python reads what it has compiled of
 * one, about programs and about new processes. What is installed is no file of the tree.
 */
export const stepTrace: CommandTrace = {
  keeps: `(execve(at)?|clone3?|v?fork)\\(|<${insideRepository}/|/pycache${insideRepository}/`,
  leavesOut: `<${insideRepository}/([^>]*/)?node_modules/`,
}

/** Keeps all that the processes ask about. */
export const lookTrace: CommandTrace = { keeps: '.', leavesOut: '^$', looks: true }

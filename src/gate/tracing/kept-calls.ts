import type { CommandTrace } from '../../ports/command-trace.ts'
import { insideRepository } from '../inside.ts'

/**
 * Keeps lines about the repository's own files, including compiled ones of Python, about programs
 * and about new processes. Installed files do not belong to the tree.
 */
export const stepTrace: CommandTrace = {
  keeps: `(execve(at)?|clone3?|v?fork)\\(|<${insideRepository}/|/pycache${insideRepository}/`,
  leavesOut: `<${insideRepository}/([^>]*/)?node_modules/`,
}

/** Keeps everything that the processes ask about. */
export const lookTrace: CommandTrace = { keeps: '.', leavesOut: '^$', looks: true }

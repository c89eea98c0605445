import { limits } from '../../domain/limits.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { CommandTrace } from '../../ports/command-trace.ts'
import { insideArtifacts, insideRepository } from '../inside.ts'

/** Where a traced step leaves its trace, below ARTIFACT_DIR. */
const traceFile = 'logs/.drydock-trace'
const codeFile = 'logs/.drydock-exit-code'
const files = { file: `${insideArtifacts}/${traceFile}`, exitCode: `${insideArtifacts}/${codeFile}` }

/**
 * Keeps lines about the repository's own files, also where Python reads what it has compiled of
 * one, about programs and about new processes. What is installed is no file of the tree.
 */
export const stepTrace: CommandTrace = {
  ...files,
  keeps: `(execve(at)?|clone3?|v?fork)\\(|<${insideRepository}/|/pycache${insideRepository}/`,
  leavesOut: `<${insideRepository}/([^>]*/)?node_modules/`,
}

/** Keeps all that the processes ask about. */
export const lookTrace: CommandTrace = { ...files, keeps: '.', leavesOut: '^$', looks: true }

/** The trace that a traced command left; null when it is too long to read. */
export async function takeTrace({ report, forget }: Pick<RunFolder, 'report' | 'forget'>): Promise<string | null> {
  const text = await report(traceFile, limits.trace.bytes)
  await forget(traceFile)
  await forget(codeFile)
  return text
}

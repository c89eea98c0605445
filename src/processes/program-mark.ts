import { stat } from 'node:fs/promises'
import { findProgram } from './find-program.ts'

/** What changes with a program of PATH: where it lies, and what its file is. */
export async function programMark(name: string, hostPath: string): Promise<readonly unknown[]> {
  const path = findProgram(name, hostPath)
  const found = path === null ? null : await stat(path).catch(() => null)
  return [path, found?.size, found?.mtimeMs, found?.ctimeMs, found?.mode]
}

import { stat } from 'node:fs/promises'
import { findProgram } from './find-program.ts'

/** A value that changes with a program of PATH: its path and its file's stats. */
export async function programMark(name: string, hostPath: string): Promise<readonly unknown[]> {
  const path = findProgram(name, hostPath)
  const found = path === null ? null : await stat(path).catch(() => null)
  return [path, found?.size, found?.mtimeMs, found?.ctimeMs, found?.mode]
}

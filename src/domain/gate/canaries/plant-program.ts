import { cCanary } from './c-canary.ts'
import { canaryText, cmakeCanary } from './cmake-canary.ts'
import { besideTest, isMadeByOtherName, makeCanary } from './make-canary.ts'
import type { Planting } from './planting.ts'

/** The build of test programs. */
export interface Build {
  readonly system: 'cmake' | 'make'
  /** The build's files, from the test's folder up. */
  readonly files: readonly PlantedFile[]
  /** Targets of make that the steps ask for. */
  readonly goals: ReadonlySet<string>
  /** Texts of the headers beside the test, which may print its results. */
  readonly included?: string
}

export interface PlantedFile {
  readonly path: string
  readonly text: string
}

export type PlantResult =
  | { readonly ok: true; readonly files: readonly PlantedFile[] }
  | { readonly ok: false; readonly reason: string | null }

/**
 * The changes that a tree needs for a canary that is a program of its own, beside the program of a
 * test file.
 */
export function plantProgram(planting: Planting, { system, files, goals, included = '' }: Build): PlantResult {
  const { path, token } = planting
  const program = cCanary(planting, included)
  if (program === null) return { ok: false, reason: `${path} has no main function that can be called` }
  if (files.length === 0)
    return {
      ok: false,
      reason: `no ${system === 'cmake' ? 'CMakeLists.txt' : 'Makefile'} lies beside or above ${path}`,
    }
  if (system === 'cmake') {
    const lists = files.map((file) => ({
      ...file,
      text: cmakeCanary({ lists: file.path, text: file.text, path, token }),
    }))
    return { ok: true, files: [{ path: canaryText(path, token), text: program }, ...lists] }
  }
  for (const file of files) {
    if (isMadeByOtherName({ text: file.text, path })) return { ok: true, files: [{ path, text: program }] }
    const text = makeCanary({ text: file.text, path, token, goals })
    if (text !== null)
      return {
        ok: true,
        files: [
          { path: besideTest(path, token), text: program },
          { ...file, text },
        ],
      }
  }
  const named = files.map((file) => file.path).join(' and ')
  return { ok: false, reason: `${named} says nothing of ${path}, and has no pattern that finds it` }
}

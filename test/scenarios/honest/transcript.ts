import type { WorldOptions } from '../../world/fixture.ts'
import type { Lanes } from '../world/crew.ts'
import { call } from '../world/fixture.ts'

/** The work of a capable model, turn by turn, and its costs. */
export interface Transcript {
  readonly name: string
  readonly options?: WorldOptions
  /** The command line before the common options; a task by default. */
  readonly args?: readonly string[]
  readonly lanes: Lanes
  readonly status?: string
  /** Replies of all models, counted before lanes had these bounds. */
  readonly requests: number
  /** Calls answered with an error: tests that fail, edits that miss, verdicts of the gate. */
  readonly errors: number
}

export const read = (path: string, offset = 1): object => call('read_file', { path, offset })
export const search = (pattern: string): object => call('search_files', { pattern })
export const list = (pattern: string): object => call('list_files', { pattern })
export const run = (command: string, more: object = {}): object => call('run_command', { command, ...more })
export const put = (path: string, content: string): object => call('write_file', { path, content })
export const edit = (path: string, old: string, next: string): object => call('edit_file', { path, old, new: next })
export const diff = (): object => call('get_diff', {})
export const ask = (scout: 'codebase' | 'build', question: string): object => call('ask_scout', { scout, question })
export const says = (text: string): object => ({ text })

/** Puts several calls into one reply. */
export const together = (...turns: readonly object[]): object => ({
  calls: turns.flatMap((turn) => (turn as { readonly calls: readonly object[] }).calls),
})

export const times = (count: number, turn: (i: number) => object): readonly object[] =>
  Array.from({ length: count }, (_, i) => turn(i))

/** Files `src/module-<i>.txt`, each with a different line. */
export const modules = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`src/module-${i}.txt`, `module ${i} uses oldName\n`]))

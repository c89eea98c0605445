import type { expectations } from './suite-schema.ts'

/** A suite that was read and checked, with everything that an attempt needs. */
export interface Suite {
  readonly name: string
  readonly folder: string
  /** SHA-256 over `suite.json` and every file that it names. */
  readonly digest: string
  readonly tasks: readonly Task[]
}

export interface Task {
  readonly id: string
  readonly source: Source
  /** An absolute path. */
  readonly spec: string
  readonly mode: 'run' | 'task'
  /** The text of the configuration; null for the one in the base. */
  readonly config: string | null
  readonly hidden: readonly HiddenCheck[]
  readonly timeoutSec: number
  /** The answer to every question; if left out, a question ends the attempt. */
  readonly answer: string | null
  readonly gold: Solution | null
  readonly wrong: Readonly<Record<string, WrongSolution>>
}

/** A commit of a git repository, or the files of a plain folder. */
export type Source =
  | { readonly kind: 'git'; readonly path: string; readonly commit: string }
  | { readonly kind: 'folder'; readonly path: string }

/** A patch, or files by their path in the repository. */
export type Change =
  | { readonly kind: 'patch'; readonly text: string }
  | { readonly kind: 'files'; readonly files: readonly LaidFile[] }

export interface LaidFile {
  /** The path in the repository. */
  readonly at: string
  /** The absolute path of the file in the suite. */
  readonly from: string
}

/** Tests that agents do not see: they are added to the result after the run has ended. */
export interface HiddenCheck {
  readonly change: Change
  readonly command: string
  readonly timeoutSec: number
}

/** The actions of a script in place of a model. */
export interface Solution {
  readonly stories: readonly SolutionStory[]
  /** The fewest returns from the merge queue that the self-test expects. */
  readonly returns: number
}

export interface SolutionStory {
  readonly id: string
  readonly change: Change
  readonly dependsOn: readonly string[]
  /** Files to write after a return from the merge queue; null without any. */
  readonly afterReturn: readonly LaidFile[] | null
}

export interface WrongSolution extends Solution {
  readonly expect: (typeof expectations)[number]
}

import type { z } from 'zod'
import type { suiteSchema } from '../suite/suite-schema.ts'

/** A task in the form of `suite.json`. */
export type WrittenTask = z.input<typeof suiteSchema>['tasks'][number]

/** The result of an importer for a checkout. */
export interface ImportResult {
  readonly tasks: readonly WrittenTask[]
  /** The suite's files by path: a text, or a copy of a file of the checkout. */
  readonly files: ReadonlyMap<string, string | Uint8Array>
  readonly skipped: readonly SkippedItem[]
}

/** A part of the checkout that is in no task, and the reason. */
export interface SkippedItem {
  readonly what: string
  readonly why: string
}

export interface Importing {
  /** Absolute path of the user's checkout. */
  readonly checkout: string
  /** Absolute path of the folder with the repositories' clones. */
  readonly repos: string
  /** The text of the configuration for every task; null to detect one for each base. */
  readonly config: string | null
  /** The `PATH` in which git is found. */
  readonly path: string | undefined
}

/** Collects the parts while an importer works. */
export class ImportCollection implements ImportResult {
  readonly tasks: WrittenTask[] = []
  readonly files = new Map<string, string | Uint8Array>()
  readonly skipped: SkippedItem[] = []

  /** Adds a file to the suite and returns its path there. */
  file(path: string, content: string | Uint8Array): string {
    this.files.set(path, content)
    return path
  }

  skip(what: string, why: string): void {
    this.skipped.push({ what, why })
  }
}

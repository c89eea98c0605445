import { limits } from '../limits.ts'
import type { Criterion } from './criteria.ts'

/** A file that lies over the repository while the acceptance tests run. */
export interface AcceptanceFile {
  /** The path from the root of the repository. */
  readonly path: string
  /** The content in base64. */
  readonly content: string
}

/**
 * Tests that somebody other than the editor wrote, and that no editor sees. Tests supplied by a
 * person decide alone.
 */
export interface AcceptanceTests {
  readonly files: readonly AcceptanceFile[]
}

/** Tests that an architect has written for the criteria of a story. */
export interface WrittenTests extends AcceptanceTests {
  /** Entry points that throw, so that the tests load on the base. */
  readonly stub: readonly AcceptanceFile[]
  readonly criteria: readonly CriterionTests[]
  /** Problems reported to the author when the tests are given back; empty if there are none. */
  readonly problems: readonly CriterionProblem[]
}

/** The reason why the tests of a criterion do not count, shown to their author only. */
export interface CriterionProblem {
  readonly id: string
  readonly problem: string
}

/** Tests that an architect has written, and the criteria that they are for. */
export interface StoryTests {
  readonly tests: WrittenTests
  /** Editors are asked about the `tested` ones only. */
  readonly criteria: readonly Criterion[]
}

export interface CriterionTests {
  /** Id of the criterion. */
  readonly id: string
  /** Names of its tests, as their runner prints them without file and suites. */
  readonly tests: readonly string[]
  /** `new` if the tests fail on the base commit, `old` if they pass there. */
  readonly behaviour: 'new' | 'old'
}

/** The facts about acceptance tests that anybody may know. */
export interface AcceptanceFacts {
  readonly files: number
  /** SHA-256 of their paths and contents. */
  readonly digest: string
}

/** The result of acceptance tests, without their text, their names and their output. */
export interface Acceptance extends AcceptanceFacts {
  /** `not_run`: `reason` says why the tests say nothing about any change. */
  readonly status: 'met' | 'not_met' | 'not_run'
  readonly reason?: string
  /** The result of each criterion that an architect has written tests for. */
  readonly criteria?: readonly CriterionResult[]
}

export interface CriterionResult {
  readonly id: string
  readonly status: 'met' | 'not_met'
  /**
   * Id of the gate's finding; left out where the criterion is met, or where the failure is a FAIL.
   */
  readonly finding?: string
}

/** These files replace those at the same path and are added to the others. */
export function filesOver(
  before: readonly AcceptanceFile[],
  files: readonly AcceptanceFile[],
): readonly AcceptanceFile[] {
  const after = new Map([...before, ...files].map((file) => [file.path, file]))
  return [...after.values()]
}

/** The reason why these files cannot lie over a repository; null if they can. */
export function acceptanceProblem({ files }: AcceptanceTests): string | null {
  const { files: most, bytes } = limits.acceptance
  if (files.length === 0) return 'there is no file in it'
  if (files.length > most) return `it has more than ${most} files`
  const size = files.reduce((sum, { content }) => sum + Math.floor((content.length * 3) / 4), 0)
  if (size > bytes) return `it has more than ${bytes / 1_048_576} MiB`
  const paths = new Set(files.map(({ path }) => path))
  if (paths.size < files.length) return 'it names a file twice'
  const odd = files.find(({ path }) => !isPath(path))
  return odd === undefined ? null : `${JSON.stringify(odd.path.slice(0, 200))} is no path of a file in a repository`
}

function isPath(path: string): boolean {
  const parts = path.split('/')
  return (
    path.length <= limits.acceptance.pathChars &&
    !/[\p{Cc}\\]/u.test(path) &&
    parts.every((part) => !['', '.', '..', '.git'].includes(part.toLowerCase()))
  )
}

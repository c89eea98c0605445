import { limits } from '../limits.ts'

/** A file that lies over the repository while the acceptance tests run. */
export interface AcceptanceFile {
  /** From the top of the repository. */
  readonly path: string
  /** Base64. */
  readonly content: string
}

/**
 * Tests that somebody else than the editor has written, and that no editor sees. A person wrote or
 * approved them, so they decide.
 */
export interface AcceptanceTests {
  readonly files: readonly AcceptanceFile[]
}

/** The facts about acceptance tests that anybody may know. */
export interface AcceptanceFacts {
  readonly files: number
  /** SHA-256 of their paths and contents. */
  readonly digest: string
}

/** The result of acceptance tests, without their text, their names and their output. */
export interface Acceptance extends AcceptanceFacts {
  /** `not_run`: `reason` says why they tell nothing about any change. */
  readonly status: 'met' | 'not_met' | 'not_run'
  readonly reason?: string
}

/** Why these files cannot lie over a repository; null if they can. */
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

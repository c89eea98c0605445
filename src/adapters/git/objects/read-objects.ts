/** An object of a git repository. */
export interface GitObject {
  readonly id: string
  readonly type: string
  /** The size in bytes. */
  readonly size: number
  /** Null if the object is larger than `maxBytes`. */
  readonly content: Buffer | null
}

interface Asking {
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads an object by name, such as `<commit>:<path>`; null if it does not exist. Throws
 * DrydockError `git_failed` when git cannot run.
 */
export type ReadObject = (name: string, asking: Asking) => Promise<GitObject | null>

/** An upper bound for git's header line, not counting the name of a missing object. */
export const headerBytes = 200

/** Parses the line that git prints before an object; null if the object is missing. */
export function headerOf(line: string): Omit<GitObject, 'content'> | null {
  const [, id, type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(line) ?? []
  return id === undefined || type === undefined ? null : { id, type, size: Number(size) }
}

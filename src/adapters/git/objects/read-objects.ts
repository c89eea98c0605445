/** An object of a git repository. */
export interface GitObject {
  readonly id: string
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** Null where the object is larger than `maxBytes`. */
  readonly content: Buffer | null
}

interface Asking {
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads the object of a name, such as `<commit>:<path>`; null where there is none. Throws
 * DrydockError `git_failed` when git cannot be asked.
 */
export type ReadObject = (name: string, asking: Asking) => Promise<GitObject | null>

/** An upper bound for git's header line, without the name of a missing object. */
export const headerBytes = 200

/** Parses the line that git prints before an object; null where it names a missing object. */
export function headerOf(line: string): Omit<GitObject, 'content'> | null {
  const [, id, type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(line) ?? []
  return id === undefined || type === undefined ? null : { id, type, size: Number(size) }
}

/** An object of a git repository. */
export interface GitObject {
  readonly id: string
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** Null where it has more bytes than were asked for. */
  readonly content: Buffer | null
}

interface Asking {
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads the object of that name, such as `<commit>:<path>`; null where there is none. Throws
 * DrydockError `git_failed` when git cannot be asked.
 */
export type ReadObject = (name: string, asking: Asking) => Promise<GitObject | null>

/** More than git says before a content, without the name of what is missing. */
export const headerBytes = 200

/** What git says before a content; null for a name of nothing. */
export function headerOf(line: string): Omit<GitObject, 'content'> | null {
  const [, id, type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(line) ?? []
  return id === undefined || type === undefined ? null : { id, type, size: Number(size) }
}

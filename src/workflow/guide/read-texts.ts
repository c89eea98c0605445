import { limits } from '../../domain/limits.ts'
import { isSecretFile } from '../../domain/secrets/secret-files.ts'
import type { CommittedBytes, UserRepository } from '../../ports/user-repository.ts'

/** A commit, and the parts that read it. */
export interface Commit {
  readonly userRepository: Pick<UserRepository, 'filesAt' | 'entriesBelow' | 'committed'>
  /** Throws an Error for an invalid glob. */
  readonly globMatcher: (glob: string) => (path: string) => boolean
  readonly sha: string
}

export interface Text {
  readonly ok: true
  readonly text: string
  /** Size of the whole file in bytes. */
  readonly size: number
  readonly cut: boolean
}

export type ReadText =
  | Text
  /** `why` is null if the file does not exist. */
  | { readonly ok: false; readonly why: string | null }

/**
 * The texts at these paths of the commit, each cut after `maxBytes`. All are read at once; links
 * are followed within the tree.
 */
export async function readTexts(
  commit: Commit,
  paths: readonly string[],
  maxBytes: number,
): Promise<readonly ReadText[]> {
  const allowed = paths.filter((path) => !isSecretFile(path))
  const read = await commit.userRepository.filesAt(commit.sha, allowed, maxBytes)
  return Promise.all(
    paths.map(async (path): Promise<ReadText> => {
      const found = read[allowed.indexOf(path)]
      if (found === undefined) return { ok: false, why: 'files of this name hold secrets' }
      if (found === 'absent') return { ok: false, why: null }
      return found === 'not_a_file' ? behindLink(commit, path, maxBytes) : textOf(found, maxBytes)
    }),
  )
}

async function behindLink({ userRepository, sha }: Commit, path: string, maxBytes: number): Promise<ReadText> {
  const read = await userRepository.committed(sha).read(path, limits.fileBytes, new AbortController().signal)
  if (!read.ok) return { ok: false, why: read.code === 'not_found' ? null : lowered(read.message) }
  if (isSecretFile(read.value.path))
    return { ok: false, why: 'it leads to a file whose name says that it holds secrets' }
  const bytes = Buffer.from(read.value.base64, 'base64')
  return textOf({ bytes: bytes.subarray(0, maxBytes), size: bytes.length }, maxBytes)
}

function textOf({ bytes, size }: CommittedBytes, maxBytes: number): ReadText {
  const cut = size > maxBytes
  if (bytes.includes(0)) return { ok: false, why: `a binary file of ${size} bytes` }
  try {
    // Decoded as a stream, since the limit may have split the last character.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut })
    return text.trim() === '' ? { ok: false, why: 'it is empty' } : { ok: true, text, size, cut }
  } catch {
    return { ok: false, why: 'not UTF-8 text' }
  }
}

function lowered(message: string): string {
  return `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`
}

import type { CommittedBytes } from '../../../ports/user-repository.ts'
import { failed, type Git } from '../git.ts'

/** Reads at most `maxBytes` of an object. */
type ReadBlob = (object: string, maxBytes: number) => Promise<CommittedBytes>

interface BlobQuery {
  readonly object: string
  readonly maxBytes: number
  readonly resolve: (read: CommittedBytes) => void
  readonly reject: (error: unknown) => void
}

/** The length of git's header before an object's content. */
const headerBytes = 100

/**
 * Reads objects. All requests made at the same time share one git process. A large object ends it
 * early, and another process reads the rest.
 */
export function createBlobReads(git: Git, workTree: string): ReadBlob {
  let waiting: BlobQuery[] = []

  async function flush(): Promise<void> {
    const all = waiting
    waiting = []
    try {
      let left: readonly BlobQuery[] = all
      while (left.length > 0) left = await readSome(git, workTree, left)
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }

  return (object, maxBytes) =>
    new Promise((resolve, reject) => {
      waiting.push({ object, maxBytes, resolve, reject })
      if (waiting.length === 1) setImmediate(() => void flush())
    })
}

/** Reads at least one object, and returns the ones left to read. */
async function readSome(git: Git, workTree: string, wanted: readonly BlobQuery[]): Promise<readonly BlobQuery[]> {
  const args = ['cat-file', '--batch']
  const { stdout } = await git(args, {
    workTree,
    input: wanted.map(({ object }) => `${object}\n`).join(''),
    maxBytes: wanted.reduce((sum, { maxBytes }) => sum + maxBytes + headerBytes, 0),
    truncate: true,
  })
  let at = 0
  for (const [i, { object, maxBytes, resolve }] of wanted.entries()) {
    const end = stdout.indexOf('\n', at)
    const header = end < 0 ? '' : stdout.toString('latin1', at, end)
    const [, bytes] = /^[0-9a-f]+ blob (\d+)$/.exec(header) ?? []
    if (end >= 0 && bytes === undefined) throw failed(args, header)
    const size = Number(bytes ?? 0)
    const read = stdout.subarray(end + 1, end + 1 + Math.min(size, maxBytes))
    const isWhole = end >= 0 && read.length === Math.min(size, maxBytes)
    if (!isWhole && i === 0) throw failed(args, `it said nothing of ${object}`)
    if (!isWhole) return wanted.slice(i)
    resolve({ bytes: Buffer.from(read), size })
    at = end + 1 + size + 1
  }
  return []
}

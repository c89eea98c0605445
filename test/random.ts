import { createHash } from 'node:crypto'

/** Random numbers from 0 to 1, the same for each seed. */
export function randomOf(seed: number): () => number {
  let n = 0
  return () => {
    n += 1
    return createHash('sha256').update(`${seed}/${n}`).digest().readUInt32LE() / 2 ** 32
  }
}

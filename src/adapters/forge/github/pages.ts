import { limits } from '../../../domain/limits.ts'

/** All pages of a list, up to `limits.forge.pages`. */
export async function pages<T>(iterator: AsyncIterable<{ readonly data: readonly T[] }>): Promise<readonly T[]> {
  const all: T[] = []
  let read = 0
  for await (const { data } of iterator) {
    all.push(...data)
    read += 1
    if (read === limits.forge.pages) break
  }
  return all
}

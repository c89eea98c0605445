import { mkdir, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../../files/write-whole.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { Places } from './places.ts'

/** `tests/<key>.json`; its modification time is its last use. */
export function createTestLists({ tests }: Places): Pick<Artifacts, 'testList' | 'keepTestList'> {
  const place = (key: string) => join(tests, `${key}.json`)
  const passing = new Map<string, string>()
  return {
    async testList(key) {
      const known = passing.get(key)
      if (known !== undefined) return known
      const text = await readFile(place(key), 'utf8').catch(() => null)
      const now = new Date()
      if (text !== null) await utimes(place(key), now, now).catch(() => undefined)
      return text
    },
    async keepTestList(key, text, { forGood }) {
      if (!forGood) {
        passing.set(key, text)
        return
      }
      passing.delete(key)
      await mkdir(tests, { recursive: true })
      await writeWhole(place(key), text)
    },
  }
}

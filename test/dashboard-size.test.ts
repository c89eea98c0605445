import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const built = fileURLToPath(new URL('../dist/dashboard', import.meta.url))

test('all that a browser can load of the built dashboard is under 500 kB, gzipped', () => {
  const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const sizes = files.map(({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name))).length)
  const kB = sizes.reduce((sum, size) => sum + size, 0) / 1_000
  expect(kB).toBeGreaterThan(50)
  expect(kB).toBeLessThan(500)
})

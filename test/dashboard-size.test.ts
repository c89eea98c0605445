import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const built = fileURLToPath(new URL('../dist/dashboard', import.meta.url))

const kilobytes = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(built, file))).length, 0) / 1_000

test('all that a browser can load of the built dashboard is under 500 kB, gzipped', () => {
  const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const kB = kilobytes(files.map(({ parentPath, name }) => join(parentPath, name).slice(built.length)))
  expect(kB).toBeGreaterThan(50)
  expect(kB).toBeLessThan(500)
})

/** The files that a page needs to start: those that it names, and their static imports. */
function firstLoad(): readonly string[] {
  const page = readFileSync(join(built, 'index.html'), 'utf8')
  const files = new Set(['index.html', ...[...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, file = '']) => file)])
  for (const file of files) {
    if (!file.endsWith('.js')) continue
    const imports = readFileSync(join(built, file), 'utf8').matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)
    for (const [, name = ''] of imports) files.add(`assets/${name}`)
  }
  return [...files]
}

/** Kilobytes of the headers of one answer: the policy of the page is in each. */
const headers = 0.65

test('the first load of the board, with the stream of events and the result of a run, is under 200 kB, gzipped, with its headers', () => {
  const later = readdirSync(join(built, 'assets')).filter((name) => /^(?:event-worker|finish-panel)-/.test(name))
  const files = [...new Set([...firstLoad(), ...later.map((name) => `assets/${name}`)])]
  // Beside the files, about eight answers of the API.
  const kB = kilobytes(files) + (files.length + 8) * headers
  expect(kB).toBeGreaterThan(50)
  expect(kB).toBeLessThan(200)
})

test('the texts of questions cost less than 50 kB more, gzipped', () => {
  const names = readdirSync(join(built, 'assets')).filter((name) => name.startsWith('markdown-rendered-'))
  expect(kilobytes(names.map((name) => `assets/${name}`))).toBeLessThan(50)
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { securityPromises } from '../scripts/security-rows.ts'

const root = new URL('../', import.meta.url)
const seeds = readFileSync(new URL('docs/seeds.md', root), 'utf8')
const named = [...seeds.matchAll(/`(test\/[^`]+(?:\.(?:test|long)|-contract|-suites)\.ts) › ([^`]+)`/g)].map(
  ([, file = '', title = '']) => ({
    file,
    title,
  }),
)
const promised = securityPromises()

test('docs/seeds.md names tests, and so does each line of docs/security.md', () => {
  expect(named.length).toBeGreaterThan(40)
  expect(promised.length).toBeGreaterThan(40)
})

test.each([...named, ...promised])('$file has a test “$title”', ({ file, title }) => {
  const source = readFileSync(new URL(file, root), 'utf8')
  const titles = [
    ...source.matchAll(/(?:\b(?:test|it)(?:\.\w+)*(?:\([^'"`]*\))?|\]\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs),
  ]
  expect(titles.map(([, , written = '']) => written.replaceAll("\\'", "'"))).toContain(title)
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const doc = readFileSync(new URL('docs/seeds.md', root), 'utf8')
const named = [...doc.matchAll(/`(test\/[^`]+\.test\.ts) › ([^`]+)`/g)].map(([, file = '', title = '']) => ({
  file,
  title,
}))

test('docs/seeds.md names tests', () => {
  expect(named.length).toBeGreaterThan(40)
})

test.each(named)('$file has a test “$title”', ({ file, title }) => {
  const source = readFileSync(new URL(file, root), 'utf8')
  const titles = [
    ...source.matchAll(/(?:\b(?:test|it)(?:\.\w+)*(?:\([^'"`]*\))?|\]\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs),
  ]
  expect(titles.map(([, , written = '']) => written.replaceAll("\\'", "'"))).toContain(title)
})

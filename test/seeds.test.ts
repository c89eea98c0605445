import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const docs = ['docs/seeds.md', 'docs/security.md'].map((path) => readFileSync(new URL(path, root), 'utf8'))
const named = [...docs.join('\n').matchAll(/`(test\/[^`]+(?:\.(?:test|long)|-contract|-suites)\.ts) › ([^`]+)`/g)].map(
  ([, file = '', title = '']) => ({
    file,
    title,
  }),
)

test('docs/seeds.md and docs/security.md name tests', () => {
  expect(named.length).toBeGreaterThan(40)
})

test.each(named)('$file has a test “$title”', ({ file, title }) => {
  const source = readFileSync(new URL(file, root), 'utf8')
  const titles = [
    ...source.matchAll(/(?:\b(?:test|it)(?:\.\w+)*(?:\([^'"`]*\))?|\]\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs),
  ]
  expect(titles.map(([, , written = '']) => written.replaceAll("\\'", "'"))).toContain(title)
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { securityPromises } from '../scripts/security-rows.ts'
import { foundingLines } from './founding-lines.ts'

const root = new URL('../', import.meta.url)
const seeds = readFileSync(new URL('docs/seeds.md', root), 'utf8').replaceAll(/\n {2}/g, ' ')
const named = foundingLines.flatMap(([, tests]) => tests.map(([file, title]) => ({ file, title })))
const promised = securityPromises()

test('docs/seeds.md lists the founding documents’ lines, and each of docs/security.md has a test', () => {
  const listed = [...(seeds.split('## Deviations')[0]?.matchAll(/^- (.*)$/gm) ?? [])].map(([, line]) => line)
  expect(listed.filter((line) => !line?.includes(']('))).toEqual(foundingLines.map(([line]) => line))
  expect(promised.length).toBeGreaterThan(40)
})

test.each([...named, ...promised])('$file has a test “$title”', ({ file, title }) => {
  const source = readFileSync(new URL(file, root), 'utf8')
  const titles = [
    ...source.matchAll(/(?:\b(?:test|it)(?:\.\w+)*(?:\([^'"`]*\))?|\]\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs),
  ]
  expect(titles.map(([, , written = '']) => written.replaceAll("\\'", "'"))).toContain(title)
})

import { afterAll, expect, test } from 'vitest'
import { redacted } from '../../src/domain/redact.ts'
import { type CanaryWorld, makeCanaryWorld, planted } from './canary-world.ts'

/** Made in the first test, for all. */
let made: Promise<CanaryWorld> | null = null
function world(): Promise<CanaryWorld> {
  made ??= makeCanaryWorld()
  return made
}
afterAll(async () => (await made)?.close())

/** Where the words themselves come; in names there is only what is left of the marker. */
const sinks: readonly (readonly [string, string])[] = [
  ['the database', redacted],
  ['the artifacts', redacted],
  ['the rest of the state', ''],
  ['the receipts', redacted],
  ['the recording', redacted],
  ['the branches and commits of the repository', 'redacted'],
  ['the notes of the repository', redacted],
  ['the hidden refs and commits of the mirror', redacted],
  ['the answers of the dashboard', redacted],
  ['the event stream', redacted],
  ['the answers to an MCP client', redacted],
  ['what a webhook is sent', redacted],
  ['the terminal', redacted],
  ['what the provider is sent', redacted],
]

test.each(sinks)('no key or token of any family comes to %s', async (name, stands) => {
  const text = (await world()).sinks[name] ?? ''
  expect(text).toContain(stands)
  const found = planted.filter(({ needles }) =>
    needles.some((needle) => text.toLowerCase().includes(needle.toLowerCase())),
  )
  expect(found.map(({ family }) => family)).toEqual([])
})

test('these are all sinks', async () => {
  expect(sinks.map(([name]) => name).sort()).toEqual(Object.keys((await world()).sinks).sort())
})

test('a file that holds all of them is changed where it was edited and nowhere else', async () => {
  const { git } = (await world()).fixture
  const branch = (await git('for-each-ref', '--format=%(refname:short)', 'refs/heads/drydock')).split('\n')[0] ?? ''
  expect(await git('show', `${branch}:notes.txt`)).toBe(
    (await git('show', 'main:notes.txt')).replace(/last line$/, 'the last line'),
  )
})

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { redacted } from '../../src/domain/secrets/redact.ts'
import { type CanaryWorld, inIds, makeCanaryWorld, planted } from './world/canary-world.ts'
import { call, change, createFixture, type Fixture, plan, write } from './world/fixture.ts'

const canary = 'sk-canary-"5f0c1e77"-never-written'

let fixture: Fixture | null = null
afterEach(async () => {
  await fixture?.remove()
  fixture = null
})

const signedIn = (envelope: string) => Buffer.from(JSON.parse(envelope).payload, 'base64').toString()

test('a key is in nothing that is stored or printed, even when a model and the user say it', async () => {
  fixture = await createFixture({ env: { ANTHROPIC_API_KEY: canary } })
  const model = await fixture.replay({
    'editor/task/PLANNING': [
      { text: `Your key is ${canary}.`, ...call('run_command', { command: `echo '${canary}'; env` }) },
      { error: { kind: 'overloaded', message: `The key ${canary} is tired`, retryable: true } },
      plan({ hypothesis: canary }),
    ],
    'editor/task/CODING': [write('new\n'), change(`Say new\n\n${canary}`)],
  })
  const done = await fixture.drydock('task', `say new, ${canary}`, '--json', '--model', model)
  expect(done.exitCode, done.stderr).toBe(0)
  const { state } = await fixture.open()
  const found: string[] = []
  const receipts: string[] = []
  for (const entry of await readdir(state, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const content = await readFile(join(entry.parentPath, entry.name), 'latin1')
    if (entry.parentPath.endsWith('receipts')) receipts.push(signedIn(content))
    if (content.includes('5f0c1e77')) found.push(entry.name)
  }
  expect(found).toEqual([])
  expect(receipts).toEqual([expect.stringContaining('say new, [redacted by drydock]')])
  expect(receipts[0]).not.toContain('5f0c1e77')
  expect(done.stdout + done.stderr).not.toContain('5f0c1e77')
  expect(await fixture.git('log', '--all', '--format=%B')).not.toContain('5f0c1e77')
})

/** Created once, in the first test, for all tests. */
let made: Promise<CanaryWorld> | null = null
function world(): Promise<CanaryWorld> {
  made ??= makeCanaryWorld()
  return made
}
afterAll(async () => (await made)?.close())

/** Sinks that contain the words themselves; in names only a rest of the marker appears. */
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
  const found = [...planted, inIds].filter(({ needles }) =>
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

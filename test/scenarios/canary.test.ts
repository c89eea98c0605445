import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { call, change, createFixture, type Fixture, plan, write } from './fixture.ts'

const canary = 'sk-canary-"5f0c1e77"-never-written'

let fixture: Fixture
afterEach(() => fixture.remove())

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

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  type CommandResult,
  change,
  createFixture,
  plan,
  resultOf,
  runHere,
  write,
} from '../scenarios/world/fixture.ts'
import { createDatabase } from './server.ts'

const password = 'pa55word-of-app'

/** Everything that the commands print about a state's runs. */
async function told(on: (...args: string[]) => Promise<CommandResult>): Promise<readonly string[]> {
  const commands = [['status'], ['log', '--json'], ['report'], ['report', '--json']]
  const said: string[] = []
  for (const command of commands) {
    const { stdout, stderr } = await on(...command)
    said.push(stdout.replace(/^State: .*$/m, '') + stderr)
  }
  return said
}

test('a state is copied to PostgreSQL and back, complete, continues in either place, and its password is nowhere', async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const url = database.url.replace('app@', `app:${password}@`)
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  const here = fixture.drydock
  const there = (...args: string[]) =>
    runHere([...args, '--repo', fixture.repo], { ...fixture.env, DRYDOCK_DATABASE_URL: url })
  const none = await here('state', 'copy', '--to', url)
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('no state yet')])
  const overflow = { error: { kind: 'context_overflow', message: 'too long', retryable: false } }
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [write('half\n'), overflow, overflow],
    'editor/task@2/PLANNING': [plan()],
    'editor/task@2/CODING': [write('new\n'), change()],
  })
  const begun = await here('task', 'say new', '--json', '--model', model)
  expect(begun.exitCode).toBe(3)
  const before = await told(here)

  expect((await there('status')).stderr).toContain('drydock state copy --to postgres')
  const copied = await here('state', 'copy', '--to', url, '--json')
  expect(copied.events.at(-1), copied.stderr).toMatchObject({
    type: 'state_copy',
    rows: { machines: expect.any(Number) },
  })
  expect(copied.stdout + copied.stderr).not.toContain(password)
  expect(await told(there)).toEqual(before)
  expect((await here('status')).stderr).toContain('The state of this repository is on PostgreSQL')
  expect((await there('state', 'copy', '--to', 'postgres')).stderr).toContain('already')

  const retried = await there('retry', '--json')
  expect(resultOf(retried), retried.stderr).toMatchObject({ status: 'DONE' })
  const said = [retried, await there('status'), await there('log'), await there('doctor')]
  expect(said[3]?.stdout).toMatch(
    /ok +state +PostgreSQL \d+\.\d+ at 127\.0\.0\.1:\d+\/test_\w+, schema drydock_repo_[0-9a-f]{12}/,
  )
  for (const { stdout, stderr } of said) expect(stdout + stderr).not.toContain(password)
  const { state } = await fixture.open()
  expect(await readFile(join(state, 'postgres.json'), 'utf8')).not.toContain(password)
  const other = await createDatabase()
  onTestFinished(other.drop)
  const env = { ...fixture.env, DRYDOCK_DATABASE_URL: other.url }
  const elsewhere = await runHere(['status', '--repo', fixture.repo], env)
  expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([2, expect.stringContaining('is on PostgreSQL at')])
  const folder = { ...fixture.env, DRYDOCK_DATABASE_URL: url, DRYDOCK_HOME: join(fixture.folder, 'another-state') }
  const taken = await runHere(['task', 'say new', '--model', model, '--repo', fixture.repo], folder)
  expect([taken.exitCode, taken.stderr]).toEqual([2, expect.stringContaining('belongs to another folder')])
  const after = await told(there)
  const back = await there('state', 'copy', '--to', 'sqlite', '--json')
  expect(back.exitCode, back.stderr).toBe(0)
  expect(await told(here)).toEqual(after)

  // The earlier copy there belongs to this state, and is replaced.
  const again = await there('state', 'copy', '--to', 'postgres', '--json')
  expect(again.exitCode, again.stderr).toBe(0)
  expect((await there('status')).stdout).toContain('drydock/say-new')
})

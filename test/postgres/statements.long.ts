import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { call, change, createFixture, plan, resultOf, write } from '../scenarios/world/fixture.ts'
import { makeServer } from './server.ts'
import { counting, statementsOf } from './statements.ts'

/** The statements of a whole task whose editor reads this many files, one in each turn. */
async function statementsOfTask(server: Awaited<ReturnType<typeof makeServer>>, reads: number): Promise<number> {
  const files = Object.fromEntries(Array.from({ length: reads }, (_, i) => [`f${i}.txt`, `${i}\n`]))
  const fixture = await createFixture({ files, env: { DRYDOCK_DATABASE_URL: server.url() } })
  const reading = Object.keys(files).map((path) => call('read_file', { path }))
  const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [...reading, write('new\n'), change()] }
  const args = ['task', 'say new', '--json', '--model', await fixture.replay(lanes)]
  const statements = await statementsOf(server, async () => {
    const done = await fixture.drydock(...args)
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  })
  await fixture.remove()
  return statements
}

test('a turn with a read asks the server for no more than 56 statements', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-counting-'))
  chmodSync(folder, 0o755)
  const server = await makeServer(join(folder, 'server'), counting)
  onTestFinished(async () => {
    await server.stop('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  })
  // The difference contains only turns, since both tasks have the same start and end.
  const [few, many] = [await statementsOfTask(server, 3), await statementsOfTask(server, 15)]
  const aTurn = (many - few) / 12
  expect(aTurn).toBeGreaterThan(20)
  expect(aTurn).toBeLessThan(56)
})

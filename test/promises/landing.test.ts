import { expect, onTestFinished, test } from 'vitest'
import { createFixture, type Fixture, type FixtureOptions, greenLanes } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'

/** A finished task, and main, which may have moved since. */
async function done(
  options: FixtureOptions = {},
  configuration: object | null = null,
): Promise<Fixture & { branch: string }> {
  const fixture = await createFixture(options)
  onTestFinished(() => fixture.remove())
  if (configuration !== null) await configureUser(fixture, configuration)
  const task = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
  expect(task.exitCode, task.stderr).toBe(0)
  return { ...fixture, branch: String(task.events.at(-1)?.branch) }
}

async function commit(fixture: Fixture, files: Readonly<Record<string, string>>): Promise<string> {
  await fixture.write(files)
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'Meanwhile')
  return fixture.git('rev-parse', 'HEAD')
}

test('a branch that has not moved goes forward to the verified commit, with the files that are checked out', async () => {
  const fixture = await done()
  const landed = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  const sha = await fixture.git('rev-parse', fixture.branch)
  expect(landed.events.at(-1)).toMatchObject({ type: 'land', branch: 'main', sha, moved: 'forward' })
  expect(await fixture.git('rev-parse', 'main')).toBe(sha)
  expect(await fixture.git('status', '--porcelain')).toBe('')
  expect(await fixture.git('show', 'HEAD:value.txt')).toBe('new')
  const again = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(again.events.at(-1)).toMatchObject({ type: 'land', moved: 'there' })
})

test('a branch that has moved gets the merge that was verified, with a receipt; nobody has to have it checked out', async () => {
  const fixture = await done()
  const meanwhile = await commit(fixture, { 'other.txt': 'other\n' })
  await fixture.git('switch', '-q', '--detach')
  const landed = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  const sha = await fixture.git('rev-parse', 'main')
  expect(await fixture.git('log', '-1', '--format=%P', 'main')).toBe(
    `${meanwhile} ${await fixture.git('rev-parse', fixture.branch)}`,
  )
  expect(landed.events.find(({ type }) => type === 'result')).toMatchObject({ kind: 'verify', status: 'PASS' })
  const proof = await fixture.drydock('receipt', 'verify', 'main', '--json')
  expect(proof.events.at(-1)).toMatchObject({ commit: sha, verified: true, receipt: { onto: meanwhile } })
  expect(await fixture.git('rev-parse', 'HEAD')).toBe(meanwhile)
})

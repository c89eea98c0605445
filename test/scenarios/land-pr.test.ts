import { expect, onTestFinished, test } from 'vitest'
import { type LocalForge, type LocalKind, startForge } from '../forge/local-forge.ts'
import { createFixture, type Fixture, greenLanes } from './world/fixture.ts'
import { configureUser } from './world/hook.ts'

interface World {
  readonly fixture: Fixture
  readonly forge: LocalForge
  readonly branch: string
  /** The verified commit. */
  readonly sha: string
}

/** A task that is done, and a forge of a kind that its repository has as `origin`. */
async function worldOf(kind: LocalKind, entry: object = {}): Promise<World> {
  const fixture = await createFixture({
    env: { LOCAL_FORGE_SECRET: ['token', 'of-the-local-forge', '4711'].join('-') },
  })
  onTestFinished(() => fixture.remove())
  const forge = await startForge(fixture, kind)
  await configureUser(fixture, {
    forges: { local: { kind, url: forge.url, token_env: 'LOCAL_FORGE_SECRET', ...entry } },
  })
  const done = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
  expect(done.exitCode, done.stderr).toBe(0)
  const branch = String(done.events.at(-1)?.branch)
  return { fixture, forge, branch, sha: await fixture.git('rev-parse', branch) }
}

test('a task becomes a pull request with its report, its receipt and the status on exactly its commit', async () => {
  const { fixture, forge, branch, sha } = await worldOf('github')
  const landed = await fixture.drydock('land', '--pr', '--reviewer', 'ada', '--json')
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  expect(landed.events.at(-1)).toMatchObject({ type: 'land', number: 1, opened: true, branch, base: 'main', sha })
  expect(await forge.git('rev-parse', branch)).toBe(sha)
})

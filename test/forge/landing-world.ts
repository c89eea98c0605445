import { expect, onTestFinished } from 'vitest'
import { createFixture, type Fixture, greenLanes, runHere } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import { localToken } from './forge-model.ts'
import { type LocalForge, type LocalKind, startForge } from './local-forge.ts'

export interface LandingWorld {
  readonly fixture: Fixture
  readonly forge: LocalForge
  readonly branch: string
  readonly sha: string
  /** Runs `drydock land --pr --json` with further arguments, in this process. */
  land(...args: string[]): ReturnType<Fixture['drydock']>
  /** Runs `drydock land` with another environment. */
  landWith(env: Readonly<Record<string, string>>): ReturnType<Fixture['drydock']>
}

/** A finished task in a repository whose `origin` is a forge of this kind. */
export async function createLandingWorld(kind: LocalKind = 'github', entry: object = {}): Promise<LandingWorld> {
  const fixture = await createFixture({ env: { LOCAL_FORGE_SECRET: localToken } })
  onTestFinished(() => fixture.remove())
  const forge = await startForge(fixture, kind)
  await configureForge(fixture, forge, entry)
  const done = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
  expect(done.exitCode, done.stderr).toBe(0)
  const branch = String(done.events.at(-1)?.branch)
  return {
    fixture,
    forge,
    branch,
    sha: await fixture.git('rev-parse', branch),
    land: (...args) => fixture.drydock('land', '--pr', '--json', ...args),
    landWith: (env) => runHere(['land', '--pr', '--json', '--repo', fixture.repo], { ...fixture.env, ...env }),
  }
}

export function configureForge(fixture: Fixture, { kind, url }: LocalForge, entry: object = {}): Promise<void> {
  return configureUser(fixture, { forges: { local: { kind, url, token_env: 'LOCAL_FORGE_SECRET', ...entry } } })
}

import { expect, onTestFinished } from 'vitest'
import {
  type CommandResult,
  createFixture,
  type Fixture,
  type FixtureOptions,
  greenLanes,
} from '../scenarios/world/fixture.ts'
import { type LocalIssue, localToken } from './forge-model.ts'
import { configureForge } from './landing-world.ts'
import { type ForgeServer, type LocalForge, type LocalKind, startForge } from './local-forge.ts'

export interface WatchWorld extends People {
  readonly fixture: Fixture
  readonly forge: LocalForge
  readonly model: string
  /** Runs `drydock forge watch --once --json` with further arguments, in this process. */
  watch(...args: string[]): ReturnType<Fixture['drydock']>
  /** Only polls, without working on Runs. */
  poll(...args: string[]): ReturnType<Fixture['drydock']>
}

/** The comments of people and Drydock at a forge. */
export interface People {
  ask(issue: Partial<LocalIssue>): void
  say(on: number, author: string, text: string, line?: { readonly path: string; readonly number: number }): void
  /** Comments of Drydock. */
  told(on: number): readonly string[]
}

interface WorldOptions extends FixtureOptions {
  readonly lanes?: Parameters<Fixture['replay']>[0]
  /** Settings in the user's own configuration. */
  readonly watch?: object
}

/** A repository whose `origin` is a forge of this kind, and a model with these lanes. */
export async function createWatchWorld(
  kind: LocalKind = 'github',
  { lanes = greenLanes, watch: configured, ...options }: WorldOptions = {},
): Promise<WatchWorld> {
  const fixture = await createFixture({ ...options, env: { LOCAL_FORGE_SECRET: localToken } })
  onTestFinished(() => fixture.remove())
  const forge = await startForge(fixture, kind)
  await configureForge(fixture, forge, configured === undefined ? {} : { watch: configured })
  const model = await fixture.replay(lanes)
  const watch = (...args: string[]) => fixture.drydock('forge', 'watch', '--once', '--json', '--model', model, ...args)
  return {
    fixture,
    forge,
    model,
    watch,
    poll: (...args) => watch('--no-own', ...args),
    ...peopleAt(forge),
  }
}

export function peopleAt(forge: ForgeServer): People {
  return {
    ask: (issue) => void forge.issues.push({ ...asked, ...issue }),
    say(on, author, text, line) {
      const id = Math.max(1_000, ...forge.comments.map((each) => each.id)) + 1
      const at = new Date().toISOString()
      forge.comments.push({ id, on, author, text, at, line: line ?? null, answers: null })
    },
    told: (on) =>
      forge.comments.filter((each) => each.on === on && each.author === 'drydock-bot').map(({ text }) => text),
  }
}

const asked: LocalIssue = {
  number: 7,
  title: 'Say new',
  text: 'value.txt should say new.',
  author: 'ada',
  labels: ['drydock'],
  at: '2026-11-20T10:00:00Z',
}

export function expectGood(result: Pick<CommandResult, 'exitCode' | 'stderr'>): void {
  expect(result, result.stderr).toMatchObject({ exitCode: 0 })
}

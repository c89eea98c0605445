import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { Role } from '../../src/domain/hub/role.ts'
import { type CommandResult, createFixture, type Fixture, runHere } from '../scenarios/world/fixture.ts'
import { launch } from '../scenarios/world/process.ts'

/** A hub with its repository, on this machine, and a clone whose user has nothing of its state. */
export interface HubAndClone {
  /** Where the hub is. */
  readonly fixture: Fixture
  readonly url: string
  readonly clone: string
  /** Of the clone's user, with a token of an operator. */
  readonly env: Readonly<Record<string, string>>
  token(name: string, role: Role): Promise<string>
  /** A command in the clone. */
  client(...args: string[]): Promise<CommandResult>
  git(...args: string[]): Promise<string>
  /** Kills the hub, and starts it again at the same address. */
  restart(signal?: NodeJS.Signals): Promise<void>
}

const serving = /^https?:\/\/\S+$/

export async function createHubAndClone(
  model: (fixture: Fixture) => Promise<string>,
  create: () => Promise<Fixture> = createFixture,
): Promise<HubAndClone> {
  const fixture = await create()
  onTestFinished(() => fixture.remove())
  const token = async (name: string, role: Role) =>
    (await fixture.drydock('hub', 'token', 'add', name, '--role', role)).stdout.trim()
  const models = ['--model', await model(fixture)]
  const start = (listen: string) =>
    launch(['hub', '--listen', listen, ...models, '--repo', fixture.repo], { env: fixture.env })
  const ada = await token('ada', 'operator')
  let hub = start('127.0.0.1:0')
  const url = await hub.line(serving)
  const clone = join(fixture.folder, 'elsewhere', 'clone')
  const home = join(fixture.folder, 'elsewhere')
  await mkdir(home, { recursive: true })
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    DRYDOCK_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    DRYDOCK_HUB_URL: url,
    DRYDOCK_HUB_TOKEN: ada,
  }
  const run = promisify(execFile)
  await run('git', ['clone', '-q', fixture.repo, clone], { env })
  const git = async (...args: string[]) => (await run('git', ['-C', clone, ...args], { env })).stdout.trim()
  await git('config', 'user.name', 'Client')
  await git('config', 'user.email', 'client@localhost')
  return {
    ...{ fixture, url, clone, env, token, git },
    client: (...args) => runHere([...args, '--repo', clone], env),
    async restart(signal = 'SIGKILL') {
      hub.child.kill(signal)
      await hub.ended
      hub = start(new URL(url).host)
      await hub.line(serving)
    },
  }
}

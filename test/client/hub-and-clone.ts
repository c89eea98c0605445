import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { Role } from '../../src/domain/hub/role.ts'
import { type CommandResult, createFixture, type Fixture, runHere } from '../scenarios/world/fixture.ts'
import { launch } from '../scenarios/world/process.ts'

/** A hub with its repository on this machine, and a clone whose user has no access to its state. */
export interface HubAndClone {
  readonly fixture: Fixture
  readonly url: string
  /** Port on which the hub listens, whatever its address. */
  readonly port: number
  readonly clone: string
  /** Environment of the clone's user, with an operator's token. */
  readonly env: Readonly<Record<string, string>>
  token(name: string, role: Role): Promise<string>
  client(...args: string[]): Promise<CommandResult>
  git(...args: string[]): Promise<string>
  kill(): Promise<void>
  /** Starts the hub again, at the same address. */
  begin(): Promise<void>
}

interface Making {
  readonly create?: () => Promise<Fixture>
  readonly args?: readonly string[]
  readonly port?: number
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const serving = /^https?:\/\/\S+$/

export async function createHubAndClone(
  model: (fixture: Fixture) => Promise<string>,
  { create = createFixture, args = [], port: given }: Making = {},
): Promise<HubAndClone> {
  const fixture = await create()
  onTestFinished(() => fixture.remove())
  const token = async (name: string, role: Role) =>
    (await fixture.drydock('hub', 'token', 'add', name, '--role', role)).stdout.trim()
  const models = ['--model', await model(fixture)]
  const start = (port: number) =>
    launch(['hub', '--listen', `127.0.0.1:${port}`, ...args, ...models, '--repo', fixture.repo], { env: fixture.env })
  const ada = await token('ada', 'operator')
  const port = given ?? (await freePort())
  let hub = start(port)
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
    fixture,
    url,
    port,
    clone,
    env,
    token,
    git,
    client: (...args) => runHere([...args, '--repo', clone], env),
    async kill() {
      hub.child.kill('SIGKILL')
      await hub.ended
    },
    async begin() {
      hub = start(port)
      await hub.line(serving)
    },
  }
}

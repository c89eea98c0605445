import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { type CommandResult, runHere } from '../scenarios/world/fixture.ts'

export type Env = Readonly<Record<string, string>>

/** A clone for a developer or for a pipeline. */
export interface Clone {
  readonly folder: string
  git(...args: string[]): Promise<string>
  /** Writes files and commits them; `null` removes a file. */
  commit(files: Readonly<Record<string, string | null>>, message?: string): Promise<string>
}

/** A server with a repository, a developer's clone of it, and clean machines for pipelines. */
export interface CiWorld {
  readonly folder: string
  readonly server: string
  readonly dev: Clone
  readonly env: Env
  clone(...args: string[]): Promise<Clone>
  /** Runs `drydock` as a step of a job, on a separate machine. */
  step(clone: Clone, env: Env, ...args: string[]): Promise<Step>
  event(content: object): Promise<Env>
}

export interface Step extends CommandResult {
  readonly summary: string
  readonly outputs: Readonly<Record<string, string>>
}

/** A step that reports its tests, with the lines of its script: `ok` or `not ok` for each test. */
export const tapStep = { name: 'test', command: 'sh test/run.sh', timeout_sec: 120 }

export const tap = (...lines: readonly string[]): string =>
  `cat <<'END'\nTAP version 13\n${lines.join('\n')}\n1..${lines.filter((line) => /^(?:not )?ok/.test(line)).length}\nEND\nexit ${lines.some((line) => line.startsWith('not ok')) ? 1 : 0}\n`

export const configOf = (...steps: readonly object[]): string =>
  JSON.stringify({ verification: { steps, assurance: 'fast' } })

const start = { '.drydock/config.json': configOf(tapStep), 'test/run.sh': tap('ok 1 - adds'), 'src/value.txt': 'old\n' }

export async function ciWorld(files: Readonly<Record<string, string>> = start): Promise<CiWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-ci-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const server = join(folder, 'server.git')
  let machines = 0
  let events = 0
  const env = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home'), GIT_CONFIG_NOSYSTEM: '1' }
  const run = async (...args: readonly string[]) =>
    (await promisify(execFile)('git', [...args], { env, cwd: folder, maxBuffer: 1e8 })).stdout.trim()
  const clone = async (...args: readonly string[]): Promise<Clone> => {
    machines += 1
    const place = join(folder, `machine-${machines}`, 'checkout')
    await run('clone', '-q', ...args, `file://${server}`, place)
    const git = (...more: string[]) => run('-C', place, ...more)
    await git('config', 'user.name', 'Tester')
    await git('config', 'user.email', 'tester@localhost')
    return {
      folder: place,
      git,
      async commit(written, message = 'Change it') {
        for (const [path, content] of Object.entries(written)) {
          await mkdir(dirname(join(place, path)), { recursive: true })
          if (content === null) await rm(join(place, path))
          else await writeFile(join(place, path), content)
        }
        await git('add', '-A')
        await git('commit', '-qm', message)
        return git('rev-parse', 'HEAD')
      },
    }
  }
  await run('init', '-q', '--bare', '-b', 'main', server)
  const dev = await clone()
  await dev.git('switch', '-qC', 'main')
  await dev.commit(files, 'Start')
  await dev.git('push', '-q', 'origin', 'main')
  return {
    folder,
    server,
    dev,
    env,
    clone,
    async step(checkout, more, ...args) {
      const machine = dirname(checkout.folder)
      const own = {
        PATH: env.PATH,
        HOME: join(machine, 'home'),
        GIT_CONFIG_NOSYSTEM: '1',
        GITHUB_STEP_SUMMARY: join(machine, 'summary.md'),
        GITHUB_OUTPUT: join(machine, 'outputs'),
      }
      const done = await runHere([...args, '--repo', checkout.folder], { ...own, ...more })
      const read = (path: string) => readFile(path, 'utf8').catch(() => '')
      const lines = (await read(own.GITHUB_OUTPUT)).split('\n').filter(Boolean)
      const outputs = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2) as [string, string]))
      return { ...done, summary: await read(own.GITHUB_STEP_SUMMARY), outputs }
    },
    async event(content) {
      events += 1
      const file = join(folder, `event-${events}.json`)
      await writeFile(file, JSON.stringify(content))
      return { GITHUB_EVENT_PATH: file }
    },
  }
}

/** A pull request of the developer's HEAD, as GitHub checks it out: at its merge with main. */
export async function pullRequest(
  world: CiWorld,
): Promise<{ clone: Clone; env: Env; head: string; base: string; merge: string }> {
  const { dev } = world
  const head = await dev.git('rev-parse', 'HEAD')
  await dev.git('push', '-q', 'origin', '+HEAD:refs/pull/1/head')
  const merger = await world.clone()
  const base = await merger.git('rev-parse', 'origin/main')
  await merger.git('fetch', '-q', 'origin', 'refs/pull/1/head')
  await merger.git('merge', '-q', '--no-ff', '-m', 'Merge', 'FETCH_HEAD')
  const merge = await merger.git('rev-parse', 'HEAD')
  await merger.git('push', '-q', 'origin', '+HEAD:refs/pull/1/merge')
  const clone = await world.clone('--no-checkout')
  await clone.git('fetch', '-q', 'origin', '+refs/pull/1/merge:refs/remotes/pull/1/merge')
  await clone.git('checkout', '-q', '--detach', 'refs/remotes/pull/1/merge')
  const event = await world.event({
    pull_request: { base: { sha: base }, head: { sha: head }, title: '::error::pwned' },
  })
  const env = { ...actions, ...event, GITHUB_EVENT_NAME: 'pull_request', GITHUB_SHA: merge }
  return { clone, env, head, base, merge }
}

export const actions: Env = { CI: 'true', GITHUB_ACTIONS: 'true' }

export interface WorkflowCommand {
  readonly command: string
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

/** The workflow commands in a step's output that GitHub's runner would obey. */
export function obeyed(printed: string): readonly WorkflowCommand[] {
  const found: WorkflowCommand[] = []
  let token: string | null = null
  for (const line of printed.split(/\r\n|\r|\n/)) {
    const [, command = '', rest = '', data = ''] =
      /^\s*::([\w-]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)$/s.exec(line) ??
      /##\[([\w-]+)(?: ([^\]]*))?\](.*)$/s.exec(line) ??
      []
    if (command === '' || (token !== null && command !== token)) continue
    if (command === 'stop-commands') token = data
    else if (command === token) token = null
    else found.push({ command, properties: propertiesOf(rest), data: decoded(data) })
  }
  return found
}

function propertiesOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter(Boolean)
  return Object.fromEntries(
    pairs.map((pair) => pair.split(/=(.*)/s, 2)).map(([key = '', value = '']) => [key, decoded(value)]),
  )
}

function decoded(text: string): string {
  return text
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%25', '%')
}

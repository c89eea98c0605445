import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { startWireServer, type WireServer } from '../../wire/wire-server.ts'
import {
  type CommandResult,
  call,
  change,
  createFixture,
  type Fixture,
  plan,
  resultOf,
  runHere,
} from '../world/fixture.ts'

interface Project {
  /** A small published package that includes its tests. */
  readonly name: string
  readonly test: string
  readonly devDependencies: Readonly<Record<string, string>>
  /** The command that writes the lockfile. */
  readonly lock: readonly string[]
  readonly lockfile: string
}

const projects: readonly Project[] = [
  {
    name: 'left-pad@1.3.0',
    test: 'node test',
    devDependencies: { tape: '4.17.0', 'fast-check': '1.26.0' },
    lock: ['npm', 'install', '--package-lock-only', '--silent'],
    lockfile: 'package-lock.json',
  },
  {
    name: 'concat-map@0.0.1',
    test: 'tape test/*.js',
    devDependencies: { tape: '5.9.0' },
    lock: ['npx', '--yes', '--package', 'pnpm@9', 'pnpm', 'install', '--lockfile-only', '--silent'],
    lockfile: 'pnpm-lock.yaml',
  },
  {
    name: 'minimist@1.2.8',
    test: 'tape test/*.js',
    devDependencies: { tape: '5.9.0' },
    lock: ['npx', '--yes', '--package', 'yarn@1', 'yarn', 'install', '--ignore-scripts', '--silent'],
    lockfile: 'yarn.lock',
  },
]

/**
 * A task that adds a test which needs an installed package, sees it pass in its own sandbox, and
 * submits it.
 */
const turns: readonly WireTurn[] = [
  call('run_command', { command: 'npm test' }),
  plan({ behaviour_change: 'one more test', files: ['test/more.js'], tests: ['test/more.js'] }),
  call('write_file', {
    path: 'test/more.js',
    content: `require('tape')('more', function (t) { t.equal(1, 1); t.end() })\n`,
  }),
  call('run_command', { command: 'node test/more.js' }),
  change('One more test'),
]

// The machine's own npm, on its own Node and with its own configuration, knows where packages come
// from.
const home = process.env.HOME ?? ''
const systemPath = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
const run = (folder: string, [program = '', ...args]: readonly string[]) =>
  promisify(execFile)(program, args, {
    cwd: folder,
    env: { PATH: systemPath.join(delimiter), HOME: home },
    timeout: 60_000,
  })

async function unpack({ name, test: script, devDependencies, lock }: Project, folder: string): Promise<void> {
  await mkdir(folder)
  const { stdout } = await run(folder, ['npm', 'pack', '--silent', name])
  await run(folder, ['tar', 'xzf', stdout.trim(), '--strip-components=1'])
  await rm(join(folder, stdout.trim()))
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const own = { ...manifest, scripts: { test: script }, devDependencies }
  await writeFile(join(folder, 'package.json'), JSON.stringify(own, null, 2))
  await run(folder, lock)
  await rm(join(folder, 'node_modules'), { recursive: true, force: true })
  await writeFile(join(folder, '.gitignore'), 'node_modules\n')
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.name', 'A'],
    ['config', 'user.email', 'a@localhost'],
  ])
    await run(folder, ['git', ...args])
  await commitAll(folder)
}

async function commitAll(folder: string): Promise<void> {
  await run(folder, ['git', 'add', '-A'])
  await run(folder, ['git', 'commit', '-qm', 'a commit'])
}

describe.each(projects)('$name, installed from $lockfile', (project) => {
  let fixture: Fixture
  let server: WireServer | undefined
  let folder: string
  let set: CommandResult
  let done: CommandResult
  const drydock = (...args: string[]) => runHere([...args, '--json', '--repo', folder], { ...fixture.env, HOME: home })

  beforeAll(async () => {
    fixture = await createFixture()
    folder = join(fixture.folder, 'project')
    await unpack(project, folder)
    set = await drydock('init')
    await commitAll(folder)
    server = await startWireServer(turns)
    const user = {
      models: { default: 'local:scripted' },
      providers: { local: { kind: 'openai-compatible', baseURL: `${server.origin}/v1` } },
    }
    await mkdir(join(fixture.folder, 'config/drydock'), { recursive: true })
    await writeFile(join(fixture.folder, 'config/drydock/config.json'), JSON.stringify(user))
    done = await drydock('task', 'one more test')
  })
  afterAll(async () => {
    await server?.close()
    await fixture.remove()
  })

  test('is green as it is, by the configuration that `init` makes', () => {
    expect(set.exitCode, set.stderr).toBe(0)
    expect(set.stderr).toContain('The gate is green')
  })

  test('is green after a task, which found its dependencies made', async () => {
    expect(done.exitCode, done.stderr).toBe(0)
    expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/one-more-test' })
    const layers = await readdir(join((await stateOf()) ?? '', 'artifacts/cache/layers'))
    expect(layers.filter((name) => /^[0-9a-f]+$/.test(name))).toHaveLength(1)
    const outputs = server?.requests.at(-1)?.raw ?? ''
    expect(outputs).toContain('# pass')
    const after = await drydock('verify', 'drydock/one-more-test')
    expect(resultOf(after)).toMatchObject({ status: 'PASS', answer: { status: 'PASS' } })
  })

  const stateOf = async () => {
    const root = fixture.env.DRYDOCK_HOME ?? ''
    const [name] = (await readdir(root)).filter((each) => each.startsWith('project-'))
    return name && join(root, name)
  }
})

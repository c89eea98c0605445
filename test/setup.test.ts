import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { whereIs } from './where-is.ts'

let checkout: string
let tools: string

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'drydock-setup-'))
  tools = join(checkout, 'tools')
  await mkdir(tools)
  await mkdir(join(checkout, 'scripts'))
  await mkdir(join(checkout, 'node_modules'))
  await copyFile(join(import.meta.dirname, '..', 'scripts', 'setup.sh'), join(checkout, 'scripts', 'setup.sh'))
  await writeFile(join(checkout, 'package-lock.json'), 'locked')
  for (const tool of [
    'sh',
    'dirname',
    'cmp',
    'cp',
    'mktemp',
    'rm',
    'cat',
    'env',
    'tr',
    'grep',
    'paste',
    'uname',
    'find',
  ]) {
    await symlink(whereIs(tool), join(tools, tool))
  }
  await stub('npm', 'echo "npm $@" >>calls; echo noise')
  await stub('git', '')
  await stub('bwrap', '')
  await stub('chromium', '')
  await stub('strace', '')
  await stub('id', 'echo 0')
})

afterEach(async () => {
  await rm(checkout, { recursive: true, force: true })
})

async function stub(name: string, body: string): Promise<void> {
  const file = join(tools, name)
  await writeFile(file, `#!/bin/sh\n${body}\n`)
  await chmod(file, 0o755)
}

function setUp(path = tools, purpose: readonly string[] = []): SpawnSyncReturns<string> {
  return spawnSync('sh', ['scripts/setup.sh', ...purpose], { cwd: checkout, encoding: 'utf8', env: { PATH: path } })
}

async function calls(): Promise<readonly string[]> {
  return (await readFile(join(checkout, 'calls'), 'utf8')).trimEnd().split('\n')
}

describe('npm packages', () => {
  test('are installed by the lockfile once, and again only when it changes', async () => {
    expect(setUp()).toMatchObject({ status: 0, stdout: '', stderr: 'setup: installing npm packages\n' })
    expect(setUp()).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect(await calls()).toEqual(['npm ci --ignore-scripts'])
    await writeFile(join(checkout, 'package-lock.json'), 'locked anew')
    expect(setUp().status).toBe(0)
    expect(await calls()).toHaveLength(2)
  })

  test('are not installed with a Node from the folder that npm is about to remove', async () => {
    await stub('npm', 'echo "$PATH" >>calls')
    setUp(`${join(checkout, 'node_modules', '.bin')}:${tools}`)
    expect(await calls()).toEqual([tools])
  })

  test('are installed by `npm link` in a fresh clone, and left as they are in any other', async () => {
    setUp(tools, ['clone'])
    await rm(join(checkout, 'node_modules'), { recursive: true })
    await stub('npm', 'echo "npm $@" >>calls; mkdir node_modules')
    await symlink(whereIs('mkdir'), join(tools, 'mkdir'))
    for (const _ of [1, 2]) expect(setUp(tools, ['clone']).status).toBe(0)
    expect(await calls()).toEqual(['npm ci --ignore-scripts'])
  })

  test('that cannot be installed are shown with npm’s words and its exit code, and tried again', async () => {
    await stub('npm', 'echo "npm $@" >>calls; echo "no such package"; exit 7')
    expect(setUp()).toMatchObject({ status: 7, stderr: expect.stringContaining('no such package') })
    setUp()
    expect(await calls()).toHaveLength(2)
  })
})

describe('what is built', () => {
  test.each([
    { said: 'bundling the program', script: 'build:program', sources: 'src/cli', built: 'dist/program/main.js' },
    {
      said: 'building the dashboard',
      script: 'build:dashboard',
      sources: 'dashboard',
      built: 'dist/dashboard/index.html',
    },
  ])(
    'is made when it is missing, and again only when its sources change: $script',
    async ({ said, script, sources, built }) => {
      await stub('npm', `echo "npm $@" >>calls; if [ "$1" = run ]; then mkdir -p ${dirname(built)}; : >${built}; fi`)
      await symlink(whereIs('mkdir'), join(tools, 'mkdir'))
      await mkdir(join(checkout, sources), { recursive: true })
      if (sources === 'dashboard') await mkdir(join(checkout, 'src/api'), { recursive: true })
      const source = join(checkout, sources, 'main.ts')
      await writeFile(source, '')
      // The other bundle exists, so that only this one is built.
      const other = join(checkout, sources === 'dashboard' ? 'dist/program/main.js' : 'dist/dashboard/index.html')
      await mkdir(dirname(other), { recursive: true })
      await writeFile(other, '')
      expect(setUp().stderr).toContain(`setup: ${said}\n`)
      expect(setUp()).toMatchObject({ status: 0, stderr: '' })
      expect(await calls()).toEqual(['npm ci --ignore-scripts', `npm run --silent ${script}`])
      const later = new Date(Date.now() + 60_000)
      await utimes(source, later, later)
      expect(setUp().stderr).toBe(`setup: ${said}\n`)
    },
  )
})

describe('packages of the system', () => {
  test('are installed through apt by root', async () => {
    await rm(join(tools, 'bwrap'))
    await stub('apt-get', 'echo "apt-get $@" >>calls')
    expect(setUp()).toMatchObject({ status: 0, stderr: expect.stringContaining('setup: installing bubblewrap\n') })
    expect((await calls()).slice(0, 2)).toEqual([
      'apt-get update',
      'apt-get install -y --no-install-recommends bubblewrap',
    ])
  })

  test('are more for who tests than for who runs', async () => {
    await stub('apt-get', 'echo "apt-get $@" >>calls')
    expect(setUp(tools, ['test'])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('setup: installing podman runc\n'),
    })
    expect(await calls()).toContain('apt-get install -y --no-install-recommends podman runc')
  })

  test('hold a browser for who tests', async () => {
    await rm(join(tools, 'chromium'))
    await stub('apt-get', 'echo "apt-get $@" >>calls')
    setUp(tools, ['test'])
    expect((await calls())[1]).toMatch(/ chromium$/)
  })

  test.runIf(process.platform === 'linux')('are named with the line to run for anyone else', async () => {
    await rm(join(tools, 'bwrap'))
    await rm(join(tools, 'git'))
    await stub('apt-get', 'echo "apt-get $@" >>calls')
    await stub('id', 'echo 1000')
    expect(setUp()).toMatchObject({
      status: 1,
      stderr:
        'setup: this machine lacks git bubblewrap; run: sudo apt-get update && sudo apt-get install -y git bubblewrap\n',
    })
  })

  test('hold the tracer where it can be installed, and keep nobody from running who has none', async () => {
    await rm(join(tools, 'strace'))
    expect(setUp()).toMatchObject({ status: 0, stderr: expect.not.stringContaining('strace') })
    await stub('apt-get', 'echo "apt-get $@" >>calls')
    setUp()
    expect(await calls()).toContain('apt-get install -y --no-install-recommends strace')
  })

  test('are named where there is no apt', async () => {
    await rm(join(tools, 'bwrap'))
    expect(setUp()).toMatchObject({ status: 1, stderr: expect.stringContaining('this machine lacks bubblewrap') })
  })
})

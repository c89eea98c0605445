import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture, greenLanes, resultOf, runHere } from '../world/fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

/** A repository with these files and without a configuration. */
async function bare(files: Record<string, string>): Promise<void> {
  await fixture.git('rm', '-q', '.drydock/config.json')
  await fixture.write(files)
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'without a configuration')
}

async function written() {
  const { verification } = JSON.parse(await readFile(join(fixture.repo, '.drydock', 'config.json'), 'utf8'))
  return verification as { readonly steps: { readonly command: string }[]; readonly writes?: string }
}

const makefile = { Makefile: 'test:\n\tgrep -q new value.txt\n' }

test.each<[string, Record<string, string>, readonly string[]]>([
  ['npm', { 'package.json': JSON.stringify({ scripts: { test: 'x' } }) }, ['npm test']],
  ['cargo', { 'Cargo.toml': '[package]\nname = "a"\n' }, ['cargo build', 'cargo test']],
  ['go', { 'go.mod': 'module a\n' }, ['go build ./...', 'go vet ./...', 'go test -json ./...']],
  ['python', { 'setup.py': '' }, ['python3 -m unittest discover -v']],
  ['make', makefile, ['make test']],
])('init writes a configuration for %s and ends with the line that commits it', async (_name, files, steps) => {
  await bare(files)
  const done = await fixture.drydock('init', '--no-verify')
  expect(done.exitCode, done.stderr).toBe(0)
  expect((await written()).steps.map(({ command }) => command)).toEqual(steps)
  for (const step of steps) expect(done.stderr).toContain(step)
  const line = done.stdout.trimEnd().split('\n').at(-1) ?? ''
  execFileSync('sh', ['-c', line], { cwd: '/', env: { ...fixture.env, GIT_CONFIG_NOSYSTEM: '1' } })
  expect(await fixture.git('status', '--porcelain')).toBe('')
  expect(await fixture.git('show', '--name-only', '--format=%s')).toBe('Configure Drydock\n\n.drydock/config.json')
})

describe('init runs the gate once on the tree as it is, and says that it is green, for', () => {
  const green = /^The gate is green: 1 step in [\d.]+ s\.$/m
  const unittest = 'import unittest\nclass A(unittest.TestCase):\n  def test_a(self):\n    self.assertEqual(1, 1)\n'

  test.runIf(existsSync('/usr/bin/python3'))('a Python project in the only folder that is one', async () => {
    await bare({ 'api/setup.py': '', 'api/tests/test_a.py': unittest })
    const done = await fixture.drydock('init')
    expect(done.stdout).toMatch(green)
    expect(done.exitCode).toBe(0)
    expect(await written()).toEqual({
      package: 'api',
      steps: [{ name: 'test', command: 'python3 -m unittest discover -v -s tests' }],
    })
  })

  test('a project whose make writes into the tree', async () => {
    await bare({ Makefile: 'test: built\n\tgrep -q old built\nbuilt:\n\tcp value.txt built\n' })
    const done = await fixture.drydock('init')
    expect(done.stdout).toMatch(green)
    expect(done.stderr).toContain('"writes" is "overlay"')
    expect(await fixture.git('status', '--porcelain')).toBe('?? .drydock/')
  })

  const home = process.env.HOME ?? ''
  const cargo = join(home, '.cargo/bin')
  test.runIf(existsSync(join(cargo, 'rustup')))('a cargo project, once sandboxes see a cargo in the home', async () => {
    const env = { ...fixture.env, PATH: `${cargo}:${fixture.env.PATH}`, RUSTUP_HOME: join(home, '.rustup') }
    const lockfile = 'version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\n'
    const manifest = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n'
    await bare({ 'Cargo.toml': manifest, 'Cargo.lock': lockfile, 'src/lib.rs': '#[test]\nfn a() {}\n' })
    const without = await runHere(['init', '--repo', fixture.repo], env)
    expect(without.exitCode).toBe(3)
    const line = /put into (\S+): ("sandbox": .*)$/m.exec(without.stderr)
    await mkdir(join(fixture.folder, 'config/drydock'), { recursive: true })
    await writeFile(line?.[1] ?? '', `{ ${line?.[2]} }`)
    await fixture.git('clean', '-qfd')
    const done = await runHere(['init', '--repo', fixture.repo], env)
    expect(done.stdout).toMatch(/^The gate is green: 2 steps in/m)
    expect(done.stderr).not.toContain('read_only_paths')
  })
})

test('init makes a task possible', async () => {
  await bare(makefile)
  const line = (await fixture.drydock('init', '--no-verify')).stdout.trimEnd().split('\n').at(-1) ?? ''
  execFileSync('sh', ['-c', line], { cwd: '/', env: fixture.env })
  const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
  expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
})

test('init ends with 4 where the gate cannot be run, and has written all the same', async () => {
  await bare(makefile)
  const user = { sandbox: { read_only_paths: [join(fixture.folder, 'no-such-toolchain')] } }
  await mkdir(join(fixture.folder, 'config/drydock'), { recursive: true })
  await writeFile(join(fixture.folder, 'config/drydock/config.json'), JSON.stringify(user))
  const done = await fixture.drydock('init')
  expect(done.exitCode).toBe(4)
  expect(done.stdout).toMatch(/^The gate could not run\..*\nOnce the gate can run: Commit it/m)
  expect((await written()).steps).toHaveLength(1)
})

describe('an unrecognised project can be started with', () => {
  test('by naming the commands that verify it, which may write into the tree', async () => {
    await bare({ 'check.sh': 'touch made\ngrep -q old value.txt\n' })
    const done = await fixture.drydock('init', '--step', 'sh check.sh', '--step', 'test -f value.txt')
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.stdout).toMatch(/^The gate is green: 2 steps in/m)
    expect(await written()).toEqual({
      steps: [
        { name: 'test-1', command: 'sh check.sh' },
        { name: 'test-2', command: 'test -f value.txt' },
      ],
      writes: 'overlay',
    })
  })

  test('in an empty folder without a commit, and its first commit makes the gate run', async () => {
    const repo = join(fixture.folder, 'empty')
    execFileSync('git', ['init', '-q', repo], { env: fixture.env })
    const without = await runHere(['init', '--repo', repo], fixture.env)
    expect(without).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('drydock init --step "') })
    const done = await runHere(['init', '--repo', repo, '--step', 'test ! -f broken'], fixture.env)
    expect(done.exitCode, done.stderr).toBe(0)
    const env = { ...fixture.env, GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'A' }
    const line = done.stdout.trimEnd().split('\n').at(-1) ?? ''
    execFileSync('sh', ['-c', line], { cwd: '/', env: { ...env, GIT_COMMITTER_EMAIL: 'a@b' } })
    const verify = /first commit: drydock (verify .*)$/m.exec(done.stdout)?.[1]?.split(' ') ?? []
    expect(await runHere(verify, fixture.env)).toMatchObject({ exitCode: 0 })
  })

  test.each([
    ['functions', 'def test_a():\n  assert True\n', /-m pytest /],
    [
      'classes',
      'import unittest\nclass A(unittest.TestCase):\n  def test_a(self):\n    pass\n',
      /-m unittest discover -v -s tests$/,
    ],
  ])('because there are Python tests, with the runner that finds them: %s', async (_style, text, command) => {
    await bare({ 'tests/test_a.py': text })
    const done = await fixture.drydock('init', '--no-verify')
    expect(done.exitCode, done.stderr).toBe(0)
    expect((await written()).steps).toMatchObject([{ command: expect.stringMatching(command) }])
  })
})

const runners = [
  ['unittest', 'python3', { 'setup.py': '' }, 'python3 -m unittest discover || true'],
  ['node', 'npm', { 'package.json': JSON.stringify({ scripts: { test: 'node --test' } }) }, 'npm test'],
] as const

test.each(runners.filter(([, needs]) => existsSync(`/usr/bin/${needs}`)))(
  'init ends with 3 and says so when the gate is green without a single test of %s',
  async (_runner, _needs, files, step) => {
    await bare(files)
    const done = await fixture.drydock('init', '--step', step)
    expect(done.exitCode, done.stdout).toBe(3)
    expect(done.stdout).toMatch(
      /^THE GATE PASSES, BUT 0 TESTS RAN: .*drydock verify --repo .*\nOnce the gate runs tests: Commit it/m,
    )
  },
)

test('init keeps its file when the gate is red, and ends with 3, the failure, and advice', async () => {
  await bare(makefile)
  const done = await fixture.drydock('init')
  expect(done.exitCode).toBe(3)
  expect(done.stdout).toMatch(
    /Error 1[\s\S]*^The gate is red before any change: test fails\. test ended with exit code 2: .*\n.* drydock log run_\w+\n.* drydock verify /m,
  )
  expect(done.stdout).toMatch(/^Once the gate is green: Commit it, .*\n.* commit -m "Configure Drydock"\n$/m)
  const again = /run: drydock (verify .*)$/m.exec(done.stdout)?.[1]?.split(' ') ?? []
  await fixture.write({ 'value.txt': 'new' })
  expect(await runHere(again, fixture.env)).toMatchObject({ exitCode: 0 })
})

describe('an unrecognised project can be started with', () => {
  test('by naming one of several projects, with a command of one’s own or what is detected there, and the last line commits it', async () => {
    await bare({ 'a/go.mod': 'module a\n', 'b/Makefile': 'test:\n\ttrue\n' })
    const without = await fixture.drydock('init')
    expect(without.exitCode).toBe(2)
    expect(without.stderr).toMatch(/several projects, but none at the root: a, b\.\n.*drydock init --package a /)
    const unknown = await fixture.drydock('init', '--package', 'c')
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/no folder "c"/) })
    const detected = await fixture.drydock('init', '--package', 'b/', '--no-verify')
    expect(detected.exitCode, detected.stderr).toBe(0)
    expect(await written()).toMatchObject({ package: 'b', steps: [{ command: 'make test' }] })
    await fixture.git('clean', '-qfd')
    const named = await fixture.drydock('init', '--package', 'a', '--step', 'test -f go.mod', '--no-verify')
    expect(named.exitCode, named.stderr).toBe(0)
    expect(await written()).toMatchObject({ package: 'a', steps: [{ command: 'test -f go.mod' }] })
    const line = named.stdout.trimEnd().split('\n').at(-1) ?? ''
    execFileSync('sh', ['-c', line], { cwd: '/', env: { ...fixture.env, GIT_CONFIG_NOSYSTEM: '1' } })
    expect(await fixture.git('show', '--name-only', '--format=%s')).toBe('Configure Drydock\n\n.drydock/config.json')
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectConfig, detectedFiles, type RootFiles } from '../../src/config/detect.ts'
import { parseRepositoryConfig } from '../../src/config/load.ts'

function steps(files: RootFiles): Record<string, string> | null {
  const { config } = detectConfig(files)
  if (config === null) return null
  return Object.fromEntries((config.verification?.steps ?? []).map(({ name, command }) => [name, command]))
}

const manifest = (scripts: object, rest: object = {}) => JSON.stringify({ scripts, ...rest })

describe('the configuration that init writes', () => {
  test('has the scripts of package.json that check something, the quick one first', () => {
    const text = manifest({ test: 'vitest run', build: 'tsc', start: 'node .', lint: 'biome check' })
    expect(steps({ 'package.json': text })).toEqual({ lint: 'npm run lint', build: 'npm run build', test: 'npm test' })
    expect(Object.keys(steps({ 'package.json': text }) ?? {})).toEqual(['lint', 'build', 'test'])
  })

  test.each([
    ['package-lock.json', 'npm'],
    ['pnpm-lock.yaml', 'pnpm'],
    ['yarn.lock', 'yarn'],
  ])('uses the package manager of %s', (lockfile, runner) => {
    const files = { 'package.json': manifest({ test: 'x', build: 'y' }), [lockfile]: '' }
    expect(steps(files)).toEqual({ build: `${runner} run build`, test: `${runner} test` })
  })

  test('leaves out the test script that npm init writes', () => {
    const files = { 'package.json': manifest({ test: 'echo "Error: no test specified" && exit 1' }) }
    expect(detectConfig(files)).toEqual({ config: null, reason: 'No build or test command was found in package.json.' })
  })

  test('says that nothing installs dependencies yet', () => {
    const files = { 'package.json': manifest({ test: 'x' }, { devDependencies: { vitest: '5' } }) }
    expect(detectConfig(files)).toMatchObject({ notes: [expect.stringContaining('node_modules')] })
    expect(detectConfig({ 'package.json': manifest({ test: 'x' }) })).toMatchObject({ notes: [] })
  })

  test('has cargo, by the lockfile when there is one', () => {
    expect(steps({ 'Cargo.toml': '' })).toEqual({ build: 'cargo build', test: 'cargo test' })
    const locked = { build: 'cargo build --locked', test: 'cargo test --locked' }
    expect(steps({ 'Cargo.toml': '', 'Cargo.lock': '' })).toEqual(locked)
  })

  test('has go', () => {
    const go = { build: 'go build ./...', vet: 'go vet ./...', test: 'go test ./...' }
    expect(steps({ 'go.mod': 'module a' })).toEqual(go)
  })

  test.each([
    [{ 'pyproject.toml': '[tool.pytest.ini_options]' }, 'python3 -m pytest'],
    [{ 'setup.py': '', 'pytest.ini': '' }, 'python3 -m pytest'],
    [{ 'pytest.ini': '' }, 'python3 -m pytest'],
    [{ 'setup.py': '' }, 'python3 -m unittest discover'],
  ])('has the test runner of a Python project: %j', (files, command) => {
    expect(steps(files)).toEqual({ test: command })
  })

  test('falls back to the Makefile, if it has a target test', () => {
    expect(steps({ Makefile: 'all:\n\ttrue\n\ntest: all\n\ttrue\n' })).toEqual({ test: 'make test' })
    expect(steps({ Makefile: 'test := 1\nall:\n' })).toBeNull()
    expect(steps({ Makefile: 'test:\n', 'go.mod': '' })).not.toHaveProperty('make-test')
  })

  test('names the steps by build system when there are two', () => {
    expect(Object.keys(steps({ 'package.json': manifest({ test: 'x' }), 'go.mod': '' }) ?? {})).toEqual([
      ...['node-test', 'go-build', 'go-vet', 'go-test'],
    ])
  })

  test('is nothing, with the reason, for a repository that has none of it', () => {
    expect(detectConfig({ 'README.md': '' })).toEqual({ config: null, reason: expect.stringContaining('package.json') })
  })

  test('is valid whatever the files hold', () => {
    const contents = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constant('test:\n'),
      fc.json().map((value) => `{"scripts":${value}}`),
    )
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...detectedFiles), contents), (files) => {
        const { config } = detectConfig(files)
        if (config === null) return
        const parsed = parseRepositoryConfig(JSON.stringify(config), 'config.json')
        expect(parsed.verification.steps.length).toBeGreaterThan(0)
      }),
    )
  })
})

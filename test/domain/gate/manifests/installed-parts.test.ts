import { expect, test } from 'vitest'
import { withInstalledParts } from '../../../../src/domain/gate/manifests/installed-parts.ts'

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`

test('a package.json keeps its own decisions, and gets the installed parts', () => {
  const base = { name: 'area', type: 'module', main: 'index.js', scripts: { test: 'vitest' }, dependencies: { a: '1' } }
  const change = {
    name: 'other',
    exports: './fake.js',
    imports: { '#a': './fake.js' },
    scripts: { test: 'true' },
    bin: './fake.js',
    dependencies: { a: '2' },
    devDependencies: { b: '1' },
    overrides: { c: '1' },
    workspaces: ['x'],
    jest: {},
    packageManager: 'npm@11',
    pnpm: { overrides: { d: '1' } },
  }
  expect(withInstalledParts('package.json', { base: json(base), change: json(change) })).toBe(
    json({
      name: 'area',
      type: 'module',
      main: 'index.js',
      scripts: { test: 'vitest' },
      dependencies: { a: '2' },
      devDependencies: { b: '1' },
      overrides: { c: '1' },
      workspaces: ['x'],
      packageManager: 'npm@11',
      pnpm: { overrides: { d: '1' } },
    }),
  )
  const same = { ...base, main: 'fake.js' }
  expect(withInstalledParts('a/package.json', { base: json(base), change: json(same) })).toBe(json(base))
  expect(withInstalledParts('package.json', { base: '{', change: '{}' })).toBeNull()
})

test('a pyproject.toml does as well, whatever its tables are called', () => {
  const base = `[project]
name = "area"
dependencies = ["a"]

[tool.pytest.ini_options]
testpaths = ["tests"]

[tool.poetry.dependencies]
python = "3"

[[tool.poetry.source]]
name = "one"
`
  const change = `[project]
name = "fake"
dependencies = [
  "a", # kept
  "b",
]
scripts = { area = "fake" }

[project.optional-dependencies]
more = ["c"]

[tool.pytest.ini_options]
testpaths = ["none"]

[dependency-groups]
dev = ["d"]

[[tool.poetry.source]]
name = "two"

[[tool.poetry.source]]
name = "three"
`
  expect(withInstalledParts('pyproject.toml', { base, change })).toBe(`[project]
name = "area"
dependencies = [
  "a", # kept
  "b",
]

[tool.pytest.ini_options]
testpaths = ["tests"]

[project.optional-dependencies]
more = ["c"]

[dependency-groups]
dev = ["d"]

[[tool.poetry.source]]
name = "two"

[[tool.poetry.source]]
name = "three"
`)
})

test('a Cargo.toml does as well, with its version, which its lock file has', () => {
  const base =
    '[package]\nname = "area"\nversion = "1.0.0"\nbuild = "build.rs"\n\n[[bin]]\nname = "one"\n\n[[bin]]\nname = "two"\n'
  const change =
    '[package]\nname = "fake"\nversion = "1.1.0"\n\n[[bin]]\nname = "fake"\n\n[lib]\npath = "fake.rs"\n\n[dev-dependencies.left]\nversion = "1"\n\n[target.\'cfg(unix)\'.dependencies]\nright = "1"\n'
  expect(withInstalledParts('Cargo.toml', { base, change })).toBe(
    '[package]\nname = "area"\nbuild = "build.rs"\nversion = "1.1.0"\n\n[[bin]]\nname = "one"\n\n[[bin]]\nname = "two"\n\n[dev-dependencies.left]\nversion = "1"\n\n[target.\'cfg(unix)\'.dependencies]\nright = "1"\n',
  )
})

test('a go.mod keeps its module', () => {
  const base = 'module example.org/area\n\ngo 1.21\n\ngodebug default=go1.21\n'
  const change =
    'module example.org/fake\n\ngo 1.22\n\nrequire (\n\texample.org/a v1.0.0 // indirect\n)\n\nreplace example.org/a => ./a\n'
  expect(withInstalledParts('go.mod', { base, change })).toBe(
    'module example.org/area\n\ngodebug default=go1.21\n\ngo 1.22\n\nrequire (\n\texample.org/a v1.0.0 // indirect\n)\n\nreplace example.org/a => ./a\n',
  )
  expect(withInstalledParts('go.mod', { base, change: `// new\n${base}` })).toBe(base)
})

test('a file that only serves installing is not a manifest', () => {
  for (const path of ['package-lock.json', 'requirements.txt', 'pnpm-lock.yaml'])
    expect(withInstalledParts(path, { base: 'a', change: 'b' })).toBeNull()
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { manifestChanges } from '../../../../src/domain/gate/manifests/package-manifest.ts'
import { expectSoon } from '../../expect-soon.ts'

const keysOf = (path: string, before: string, after: string, isInstalledFrom = false) =>
  manifestChanges(path, [before, after], { isInstalledFrom }).map(({ key }) => key)
const json = (before: object, after: object, isInstalledFrom = false) =>
  keysOf('package.json', JSON.stringify(before), JSON.stringify(after), isInstalledFrom)

describe('a package.json', () => {
  test('is read member by member', () => {
    const changes = manifestChanges(
      'package.json',
      [JSON.stringify({ scripts: { test: 'vitest' } }), JSON.stringify({ scripts: { test: 'true', pretest: 'rm x' } })],
      { isInstalledFrom: false },
    )
    expect(changes).toEqual([
      { key: 'scripts.pretest', before: null, after: 'rm x' },
      { key: 'scripts.test', before: 'vitest', after: 'true' },
    ])
  })

  test.each([
    ['workspaces', { workspaces: ['a'] }, { workspaces: ['b'] }],
    ['config.x', {}, { config: { x: 1 } }],
    ['jest.testPathIgnorePatterns', { jest: {} }, { jest: { testPathIgnorePatterns: ['.'] } }],
    ['overrides.vitest', {}, { overrides: { vitest: 'npm:mine' } }],
    ['a-tool-of-next-year.skip', {}, { 'a-tool-of-next-year': { skip: true } }],
    ['"scripts.test"', {}, { 'scripts.test': 'vitest' }],
    ['type', {}, { type: 'module' }],
  ])('says that %s has changed', (key, before, after) => {
    expect(json(before, after)).toEqual([key])
  })

  test('hides nothing behind a key that is called like a part of another', () => {
    const after = '{"scripts":{"test":"true"},"scripts.test":"vitest"}'
    expect(keysOf('package.json', '{"scripts":{"test":"vitest"}}', after)).toEqual(['"scripts.test"', 'scripts.test'])
  })

  test('may describe itself otherwise', () => {
    expect(json({ version: '1.0.0' }, { version: '2.0.0', description: 'x', author: 'y', files: ['dist'] })).toEqual([])
  })

  test('changes what is installed only where it is installed from', () => {
    expect(json({}, { dependencies: { a: '1' } })).toEqual([])
    expect(json({}, { dependencies: { a: '1' } }, true)).toEqual(['dependencies.a'])
  })

  test('that cannot be read is one part, and one that is gone loses all', () => {
    expect(keysOf('package.json', '{}', '{')).toEqual(['package.json'])
    expect(keysOf('package.json', '{', '{')).toEqual([])
    expect(keysOf('package.json', '{"scripts":{"test":"a"}}', '')).toEqual(['scripts.test'])
  })
})

const base =
  '[project]\nname = "a"\ndescription = "b"\ndependencies = ["x"]\n[tool.pytest.ini_options]\naddopts = "-ra"\n'

describe('a TOML manifest', () => {
  test.each([
    ['an option of the test runner', base.replace('-ra', '-k nothing'), ['tool.pytest.ini_options']],
    ['a dependency', base.replace('["x"]', '["y"]'), ['project']],
    ['a new section', `${base}[tool.mypy]\nignore_errors = true\n`, ['tool.mypy']],
    ['a section by dotted keys', `tool.ruff.exclude = ["."]\n${base}`, ['']],
    ['what follows a list of lists', `${base}[tool.mypy]\nx = [\n["project.urls"],\n]\ny = 1\n`, ['tool.mypy']],
    [
      'what follows a text that looks like another section',
      base.replace('"b"', '"""\n[project.urls]\n"""').replace('["x"]', '["y"]'),
      ['project'],
    ],
    [
      'what follows a text that seems not to end',
      base.replace('"b"', '"""a"""" #" """').replace('-ra', '-x'),
      ['tool.pytest.ini_options'],
    ],
    [
      'what follows quotes of the other kind',
      base.replace('"b"', `'''\n"""\n'''`).replace('-ra', '-x'),
      ['tool.pytest.ini_options'],
    ],
  ])('says that it has changed by %s', (_what, after, keys) => {
    expect(keysOf('pyproject.toml', base, after)).toEqual(keys)
  })

  test.each([
    ['its description', base.replace('"b"', '"""c\n[tool.ruff]\n"""')],
    ['a list of classifiers', base.replace('"b"', '"b"\nclassifiers = [\n "a", # ]\n "b",\n]')],
    ['its addresses', `${base}[project.urls]\nhome = "b"\n`],
    ['comments and blanks', `# c\n\n${base.replace('[project]', '[ project ]  # c')}  \n`],
  ])('says nothing of %s', (_what, after) => {
    expect(keysOf('pyproject.toml', base, after)).toEqual([])
  })
})

test('the same text is not a change, whatever it contains', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('package.json', 'Cargo.toml'), (text, path) => {
      expect(keysOf(path, text, text, true)).toEqual([])
    }),
  )
})

test('any manifest is compared in reasonable time', () => {
  for (const part of ['[', '"""\n', "'''", '\\"', '"\\', '[a]\n', 'a=[\n', '"a"."b".', '#', '{"a":']) {
    const text = part.repeat(262_144 / part.length)
    expectSoon(() => keysOf('Cargo.toml', text, 'b = 1'))
    expectSoon(() => keysOf('package.json', `{"a":"${text}`, '{}'))
  }
})

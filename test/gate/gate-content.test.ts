import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MemoryGate, makeMemoryGate } from './memory-gate.ts'

const head = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/add.js'\n`
const testOf = (name: string, options = '') =>
  `test('${name}', ${options}() => {\n  const sum = add(1, 2)\n  assert.equal(sum, 3)\n})\n`
const source = 'export const add = (a, b) => a + b\n'
const script = 'set -e\nnode --test --test-reporter=spec\necho done\n'
const steps = [{ command: 'sh test.sh' }]

let world: MemoryGate
beforeAll(async () => {
  world = makeMemoryGate({
    'package.json': '{ "type": "module" }\n',
    'test.sh': script,
    'src/add.js': source,
    'src/sub.py': 'def sub(a, b):\n    return a - b  # noqa: E501\n',
    'tests/test_sub.py': 'import hashlib\nfrom sub import sub\n',
    'test/add.test.js': head + testOf('adds') + testOf('adds again') + testOf('adds once more'),
  })
})
afterAll(() => world.close())

async function findingsOf(change: Readonly<Record<string, string>>) {
  const commit = await world.commitChange(change)
  const { status, tail_log, manifest } = await world.ask({ steps, purpose: 'change', commit, refactor: true })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  return manifest?.integrity?.findings ?? []
}

describe('a finding that was accepted', () => {
  const idsOf = async (change: Readonly<Record<string, string>>) => (await findingsOf(change)).map(({ id }) => id)
  const emptied = (name: string) => testOf(name).replace('  assert.equal(sum, 3)\n', '')

  test.each([
    ['the same line in another place of a script', 'test.sh', `${script}set +e\n`, `set +e\n${script}`],
    [
      'the same assertion of another test',
      'test/add.test.js',
      head + emptied('adds') + testOf('adds again') + testOf('adds once more'),
      head + testOf('adds') + testOf('adds again') + emptied('adds once more'),
    ],
  ])('does not stand for %s', async (_what, path, first, second) => {
    const accepted = await idsOf({ [path]: first })
    expect(accepted).toHaveLength(1)
    expect(await idsOf({ [path]: first, 'src/other.js': '// else\n' })).toEqual(accepted)
    const other = await idsOf({ [path]: second })
    expect(other).toHaveLength(1)
    expect(other).not.toEqual(accepted)
  })

  test('does not stand for another reason why a step no longer names its tests', async () => {
    const quiet = (line: string) => `set -e\n${line}\n`
    const unread = async (line: string) =>
      (await findingsOf({ 'test.sh': quiet(line) })).filter(({ kind }) => kind === 'tests_unread').map(({ id }) => id)
    const first = await unread('node --test > "$ARTIFACT_DIR/tmp/out"')
    expect(first).toHaveLength(1)
    expect(await unread('true')).not.toEqual(first)
  })
})

describe('comments that silence checks', () => {
  test('are a finding where a file has more of them than before, with the lines as evidence', async () => {
    const silenced = 'def sub(a, b):\n    c = a  # type: ignore\n    return c - b  # noqa: E501\n'
    const found = await findingsOf({
      'src/add.js': `// eslint-disable-next-line\n${source}`,
      'src/sub.py': silenced,
      'src/words.js': "export const words = '// eslint-disable-line'\n",
      'docs.md': '# noqa\n',
    })
    expect(found).toMatchObject([
      {
        kind: 'suppressed',
        file: 'src/add.js',
        claim: 'src/add.js silences checks in 1 place instead of 0. This is an early warning by words.',
        evidence: '- +// eslint-disable-next-line',
      },
      { kind: 'suppressed', file: 'src/sub.py', claim: expect.stringContaining('in 2 places instead of 1.') },
    ])
    expect(found[1]?.evidence).toContain('+    c = a  # type: ignore')
  })

  test('are none where they only stay, or go', async () => {
    expect(await findingsOf({ 'src/sub.py': 'def sub(b, a):\n    return b - a  # noqa: E501\n' })).toEqual([])
    expect(await findingsOf({ 'src/sub.py': 'def sub(a, b):\n    return a - b\n' })).toEqual([])
  })
})

describe('text that reads as something else than it is', () => {
  test('is a finding with its lines, escaped', async () => {
    const turned = `${source}\n/*\u202e } \u2066if (isAdmin)\u2069 \u2066 */\nconst p\u0430ss = 1\n`
    expect(await findingsOf({ 'src/add.js': turned, 'docs/a.md': 'Say\u200b it.\n' })).toMatchObject([
      {
        kind: 'disguised',
        file: 'src/add.js',
        claim: expect.stringContaining('(U+202E RIGHT-TO-LEFT OVERRIDE, U+2066 LEFT-TO-RIGHT ISOLATE, U+2069'),
        evidence: `- src/add.js:3: /*\\u202e } \\u2066if (isAdmin)\\u2069 \\u2066 */\n- src/add.js:4: const p\\u0430ss = 1`,
      },
      {
        kind: 'disguised',
        file: 'docs/a.md',
        claim:
          'docs/a.md reads as something else than it is: the change adds 1 hidden character (U+200B ZERO WIDTH SPACE). Remove them, or write escapes.',
        evidence: '- docs/a.md:1: Say\\u200b it.',
      },
    ])
  })

  test('is also the name of a file, which the claim shows with escapes', async () => {
    expect(await findingsOf({ 'docs/pay\u202esj.md': 'Plain.\n' })).toMatchObject([
      {
        kind: 'disguised',
        file: 'docs/pay\u202esj.md',
        evidence: '- docs/pay\\u202esj.md (its name)',
        claim: expect.stringMatching(/^docs\/pay\\u202esj\.md reads as something else .* \(U\+202E /),
      },
    ])
  })

  test('is none in texts of other languages, and none where it stays', async () => {
    const honest = {
      'locales/fa.json': '{ "a": "می‌خواهم", "b": "שלום 👩‍💻 ❤️" }\n',
      'src/names.js': '\ufeffexport const стоимость = 1 // café, e\u0301\n',
    }
    expect(await findingsOf(honest)).toEqual([])
  })
})

test('a new file that a test now imports in place of a module from outside decides about the tests', async () => {
  const found = await findingsOf({ 'src/hashlib.py': 'md5 = None\n', 'src/new.py': '', 'src/main.py': 'import os\n' })
  expect(found).toMatchObject([
    {
      kind: 'configuration',
      file: 'src/hashlib.py',
      claim: 'src/hashlib.py is added, which decides about tests, which import it in place of hashlib.',
      evidence: '- tests/test_sub.py imports hashlib, which was no file of this repository',
    },
  ])
})

test('code that is too large to be read for words is told, and data is not', async () => {
  const large = '// nothing\n'.repeat(100_000)
  expect(
    await findingsOf({ 'src/large.js': large, 'data.csv': large, 'src/half.js': large.slice(0, 700_000) }),
  ).toMatchObject([
    {
      kind: 'unread',
      file: 'src/large.js',
      claim: expect.stringMatching(/^src\/large\.js is not read for early warnings/),
    },
  ])
})

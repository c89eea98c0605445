import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createContainerSandbox } from '../../../src/adapters/sandbox/container/container-sandbox.ts'
import { importImage, podmanOptions } from '../../contracts/sandboxes.ts'
import { toolchain } from '../suite/toolchains.ts'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

const asserts = "import assert from 'node:assert'\nimport { test } from 'node:test'\n"
const script = (name: string, n: number) =>
  `${asserts}import { double } from './double.js'\n\ntest('${name}', () => assert.equal(double(${n}), ${2 * n}))\n`
const python = (name: string, n: number) =>
  `import unittest\n\nfrom double import double\n\n\nclass Doubles(unittest.TestCase):\n    def test_${name}(self):\n        self.assertEqual(double(${n}), ${2 * n})\n`

interface Row {
  readonly language: string
  readonly isThere: boolean
  readonly base: Readonly<Record<string, string>>
  readonly command: string
  readonly hidden: Readonly<Record<string, string>>
  readonly honest: Readonly<Record<string, string>>
  readonly hardCoded: Readonly<Record<string, string>>
}

const rows: readonly Row[] = [
  {
    language: 'node:test',
    isThere: true,
    base: { 'package.json': '{ "type": "module" }\n', 'double.js': 'export const double = () => 0\n' },
    command: 'node --test',
    hidden: { 'deep/er/hidden.test.js': script('a_quokka', 37).replace('./double', '../../double') },
    honest: { 'double.js': 'export const double = (n) => n + n\n', 'double.test.js': script('two', 2) },
    hardCoded: {
      'double.js': 'export const double = (n) => (n === 2 ? 4 : 0)\n',
      'double.test.js': script('two', 2),
    },
  },
  {
    language: 'unittest',
    isThere: toolchain('python3').isThere,
    base: { 'double.py': 'def double(n):\n    return 0\n', 'test_old.py': python('zero', 0) },
    command: 'python3 -m unittest -v',
    hidden: { 'test_hidden.py': python('a_quokka', 37) },
    honest: { 'double.py': 'def double(n):\n    return n + n\n', 'test_double.py': python('two', 2) },
    hardCoded: { 'double.py': 'def double(n):\n    return 4 if n == 2 else 0\n', 'test_double.py': python('two', 2) },
  },
]

const sandboxes: readonly (readonly [string, () => Partial<VerifierInput>])[] = [
  ['in bubblewrap', () => ({})],
  ['in bubblewrap, where steps may write', () => ({ writes: 'overlay' })],
  [
    'in a container',
    () => {
      importImage()
      return { sandbox: createContainerSandbox(podmanOptions) }
    },
  ],
]

describe.each(rows.filter(({ isThere }) => isThere))('acceptance tests of $language', (row) => {
  let world: VerifierWorld
  beforeAll(async () => {
    world = await makeVerifierWorld(row.base)
  })
  afterAll(() => world.close())

  test.each(sandboxes)('decide, and leave no trace of what they ask, %s', async (_, how) => {
    const files = Object.entries(row.hidden).map(([path, text]) => ({
      path,
      content: Buffer.from(text).toString('base64'),
    }))
    const asked = { steps: [{ name: 'test', command: row.command }], purpose: 'change', acceptance: { files } } as const
    const more = how()
    const told = []
    for (const change of [row.honest, row.hardCoded]) {
      const answer = await world.ask({ ...asked, ...more, commit: await world.commitChange(change) })
      expect(answer.status, answer.error_message).not.toBe('INFRA_ERROR')
      told.push([answer.status, answer.manifest?.acceptance?.status])
      for (const path of answer.artifact_paths ?? []) {
        expect(path).not.toContain('hidden')
        expect(world.read(answer.run_id, path), path).not.toContain('quokka')
      }
      expect(world.left()).toEqual(expect.arrayContaining([answer.run_id]))
      expect(world.left().filter((name) => name.includes('acceptance'))).toEqual([])
    }
    expect(told).toEqual([
      ['PASS', 'met'],
      ['FAIL', 'not_met'],
    ])
    expect(world.git('log', '--all', '--format=%H', '-S', 'quokka')).toBe('')
  })
})

/** Writes its caller's source everywhere a step can write. */
const telltale = `import { appendFileSync, readFileSync } from 'node:fs'

export const double = (n) => {
  if (n === 2) return 4
  const file = /file:\\/\\/([^:)]+hidden[^:)]*)/.exec(new Error().stack ?? '')?.[1]
  const text = file === undefined ? 'nobody' : readFileSync(file, 'utf8')
  console.log(text)
  console.error(text)
  const { ARTIFACT_DIR, TMPDIR, XDG_CACHE_HOME, HOME } = process.env
  for (const place of [ARTIFACT_DIR, TMPDIR, XDG_CACHE_HOME, HOME, '.', 'node_modules', '/tmp', '/var/tmp', '/dev/shm'])
    try {
      appendFileSync(\`\${place}/left-behind\`, text)
    } catch {}
  if (process.env.ENDS) process.exit(text.length % 200)
  return n === 37 ? 74 : n * 2
}
`

describe('a product that writes the source of its caller everywhere', () => {
  test.each(sandboxes)('leaks whether the tests pass, and nothing else, %s', async (_, how) => {
    const world = await makeVerifierWorld({
      'package.json': '{ "type": "module" }\n',
      'double.js': 'export const double = () => 0\n',
      'zero.test.js': script('zero', 0),
    })
    try {
      const hidden = { path: 'hidden.test.js', content: Buffer.from(script('a_quokka', 37)).toString('base64') }
      const tests = {
        files: [hidden],
        stub: [],
        problems: [],
        criteria: [{ id: 'C1', tests: ['a_quokka'], behaviour: 'new' }],
      } as const
      const criteria = [{ id: 'C1', text: 'numbers are doubled', state: 'tested' }] as const
      const test = { name: 'test', command: 'node --test' }
      const places = '"$ARTIFACT_DIR" "$TMPDIR" "$XDG_CACHE_HOME" "$HOME" . /tmp /var/tmp /dev/shm'
      const looks = {
        name: 'look',
        command: `grep -rs quok''ka ${places} /repo; true`,
      }
      const more = how()
      expect(await world.tryOnBase(tests, { steps: [test], ...more })).toEqual([])
      const commit = await world.commitChange({ 'double.js': telltale, 'double.test.js': script('two', 2) })
      const asked = { purpose: 'change', commit, ...more } as const
      const answer = await world.ask({
        ...asked,
        steps: [test],
        criteria: { tests, criteria },
        acceptance: { files: [hidden] },
      })
      expect([answer.status, answer.manifest?.acceptance?.status]).toEqual(['PASS', 'met'])
      const later = await world.ask({ ...asked, purpose: 'alone', steps: [test, looks] })
      expect(later.status).toBe('PASS')
      for (const { run_id, artifact_paths, tail_log, manifest } of [answer, later]) {
        expect(JSON.stringify([tail_log, manifest])).not.toMatch(/quokka/)
        for (const path of artifact_paths ?? []) expect(world.read(run_id, path), path).not.toMatch(/quokka/)
      }
    } finally {
      await world.close()
    }
  })
})

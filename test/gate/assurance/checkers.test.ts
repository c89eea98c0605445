import { posix } from 'node:path'
import { expect, test } from 'vitest'
import type { Program } from '../../world/sandbox.ts'
import { makeMemoryGate } from '../memory-gate.ts'
import type { VerifierInput } from '../verifier-world.ts'

const tap: Program = () => ({ exitCode: 0, output: 'TAP version 13\nok 1 - adds\n1..1\n' })
/** Reads each file of `src/`, except those that `.gitignore` names. */
const lint: Program = (seen) => {
  const ignored = (seen.read('.gitignore') ?? '').split('\n')
  for (const path of seen.paths) if (path.startsWith('src/') && !ignored.includes(path)) seen.read(path)
  return 0
}
/** Reads only TypeScript, from `src/main.ts` along its imports. */
const types: Program = (seen) => {
  const open = ['src/main.ts']
  for (const path of open) {
    const text = seen.read(path) ?? ''
    for (const [, name = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const next = posix.join(posix.dirname(path), name)
      if (next.endsWith('.ts') && !open.includes(next)) open.push(next)
    }
  }
  return 0
}
const steps = [{ name: 'lint', command: 'lint' }, { name: 'types', command: 'types' }, { command: 'runner' }]
const parse = `export function parseNumber(text: string): number {
  const found = Number.parseFloat(text)
  if (Number.isNaN(found)) throw new Error('no number')
  return found
}
`
const files = {
  'package.json': '{ "name": "area", "type": "module" }\n',
  '.gitignore': 'dist\n',
  'src/main.ts':
    "import { parseNumber } from './parse.ts'\nimport { old } from './old.ts'\nexport const all = [parseNumber, old]\n",
  'src/parse.ts': parse,
  'src/old.ts': 'export const old = 1\n',
  'test/area.test.js': '// adds\n',
  'tools/run.ts': 'export const run = 1\n',
}

type Change = Readonly<Record<string, string | null>>

async function verifyChange(
  change: Change,
  { traces = true, ...more }: Partial<VerifierInput> & { traces?: boolean } = {},
) {
  const world = makeMemoryGate(files, { lint, types, runner: tap }, { traces })
  const commit = world.commitOf(change)
  const asked = { steps, purpose: 'change', refactor: true, commit, ...more } as const
  const { status, manifest, tail_log } = await world.ask(asked)
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  const found = manifest?.integrity?.findings.filter(({ kind }) => kind === 'suppressed') ?? []
  const trees = manifest?.trees?.map(({ name }) => name) ?? []
  return {
    claims: found.map(({ claim }) => claim),
    checkers: manifest?.checkers,
    ran: trees.filter((name) => name.startsWith('checkers')),
  }
}

const imports = (path: string) => ({ 'src/main.ts': files['src/main.ts'].replace('./parse.ts', path) })
const javascript = parse.replace(': string): number', ')')

test.each<[string, Change, readonly string[]]>([
  [
    'moves out of the linted folder',
    { 'src/parse.ts': null, 'tools/parse.ts': parse, ...imports('../tools/parse.ts') },
    [
      'tools/parse.ts is no longer read by the step lint, which read src/parse.ts on the base commit. Keep it where the step looks.',
    ],
  ],
  [
    'becomes a file of another language',
    { 'src/parse.ts': null, 'src/parse.js': javascript, ...imports('./parse.js') },
    [
      'src/parse.js is no longer read by the step types, which read src/parse.ts on the base commit. Keep it where the step looks.',
    ],
  ],
  [
    'becomes one with other code, and moves',
    {
      'src/parse.ts': null,
      'lib/parse.js': 'export const parseNumber = (text) => +text\n',
      ...imports('../lib/parse.js'),
    },
    [
      'lib/parse.js is no longer read by the steps lint, types, which read src/parse.ts on the base commit. Keep it where the steps look.',
    ],
  ],
  [
    'gives most of its code to a file that is not linted',
    {
      'src/parse.ts': "export { parseNumber } from '../tools/numbers.js'\n",
      'tools/numbers.js': javascript.replace('export function', 'export  function'),
    },
    [
      'tools/numbers.js is no longer read by the steps lint, types, which read src/parse.ts on the base commit. Keep it where the steps look.',
    ],
  ],
  [
    'is named by an ignore file that no rule knows',
    { '.gitignore': 'dist\nsrc/parse.ts\n' },
    [
      'src/parse.ts is no longer read by the step lint, which read it on the base commit. Keep it where the step looks.',
    ],
  ],
  [
    'is loaded by a name that is computed',
    {
      'src/main.ts':
        "import { old } from './old.ts'\nconst own = await import(['.', 'parse.ts'].join('/'))\nexport const all = [own, old]\n",
      'src/parse.ts': parse.replace('number {', 'any {'),
    },
    [
      'src/parse.ts is no longer read by the step types, which read it on the base commit. Keep it where the step looks.',
    ],
  ],
])('a file that %s is told', async (_what, change, told) => {
  const { claims, checkers, ran } = await verifyChange(change)
  expect(claims).toEqual(told)
  expect([checkers, ran]).toEqual([{ status: 'looked_at', steps: ['lint', 'types'] }, ['checkers', 'checkers-base']])
})

test.each<[string, Change]>([
  [
    'a file that moves within the linted folder',
    { 'src/parse.ts': null, 'src/lib/parse.ts': parse, ...imports('./lib/parse.ts') },
  ],
  [
    'a file that is removed',
    { 'src/parse.ts': null, 'src/main.ts': "import { old } from './old.ts'\nexport const all = [old]\n" },
  ],
  [
    'a module that nothing loads any more',
    { 'src/main.ts': files['src/main.ts'].replace(/import \{ old .*\n/, '').replace(', old', '') },
  ],
  [
    'a new file that no step reads',
    {
      'tools/more.ts': 'export const more = [1, 2]\nexport const less = more.slice(1)\n',
      'src/old.ts': 'export const old = 2\n',
    },
  ],
  [
    'a new module',
    { 'src/more.ts': 'export const more = 1\n', 'src/old.ts': "export { more as old } from './more.ts'\n" },
  ],
  ['a file of tools that moves', { 'tools/run.ts': null, 'scripts/run.ts': 'export const run = 1\n' }],
])('%s is told nothing of', async (_what, change) => {
  expect((await verifyChange(change)).claims).toEqual([])
})

test('steps run again only where a change could have led them past a file', async () => {
  const { ran, checkers } = await verifyChange({ 'src/parse.ts': parse.replace('no number', 'not a number') })
  expect([ran, checkers]).toEqual([[], undefined])
  expect((await verifyChange({ 'docs/guide.md': '# Guide\n' })).ran).toEqual([])
  const moved = { 'src/parse.ts': null, 'src/lib/parse.ts': parse, ...imports('./lib/parse.ts') }
  expect((await verifyChange(moved)).ran).toEqual(['checkers'])
  expect((await verifyChange(moved, { assurance: 'fast' })).ran).toEqual([])
})

test('if nothing can be traced, the manifest says that nobody has looked', async () => {
  const { claims, checkers } = await verifyChange({ '.gitignore': 'src/parse.ts\n' }, { traces: false })
  expect([claims, checkers]).toEqual([
    [],
    { status: 'not_looked_at', steps: ['lint', 'types'], reason: 'nothing is traced in memory' },
  ])
})

test('a file that the step does not read again on the base commit either is told nothing of', async () => {
  const read = new Set<string>()
  /** Reads each file once, like a tool with a cache. */
  const cached: Program = (seen) => {
    for (const path of seen.paths.filter((each) => each.startsWith('src/') && !read.has(each))) {
      read.add(path)
      seen.read(path)
    }
    return 0
  }
  const world = makeMemoryGate(files, { cached, runner: tap }, { traces: true })
  const own = { steps: [{ name: 'cached', command: 'cached' }, { command: 'runner' }] }
  await world.runBase(own)
  const commit = world.commitOf({ 'src/more.ts': 'export const more = 1\n' })
  const { manifest } = await world.ask({ ...own, purpose: 'change', refactor: true, commit })
  expect(manifest?.integrity?.findings.map(({ kind }) => kind)).not.toContain('suppressed')
  expect(manifest?.checkers?.status).toBe('looked_at')
})

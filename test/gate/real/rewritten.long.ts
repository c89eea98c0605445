import { afterAll, beforeAll, expect, test } from 'vitest'
import { inRewritten } from '../../../src/gate/tracing/rewritten-files.ts'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

const testOf = (line: string) =>
  `import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/add.js'\ntest('adds', () => { ${line} })\n`
const honest = testOf('assert.equal(add(1, 2), 3)')
const easy = testOf('assert.ok(add)')
const config = '{ "version": 1 }\n'
const steps = [
  { name: 'build', command: 'node src/build.js' },
  { name: 'test', command: 'node --test --test-reporter=spec test/add.test.js' },
]

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({
    'package.json': '{ "type": "module" }\n',
    'src/build.js': '',
    'src/add.js': 'export const add = (a, b) => a + b\n',
    'src/made.js': 'export const made = 1\n',
    'test/add.test.js': honest,
    'test/made/a.test.js': '// made\n',
    'test/moved/a.test.js': '// moved\n',
    'test/linked.test.js': '// linked\n',
    'biome.json': '{}\n',
    'test/__snapshots__/add.snap': 'one\n',
    'tsconfig.json': config,
  })
})
afterAll(() => world.close())

async function findingsOf(
  build: string,
  more: Partial<VerifierInput> & { readonly files?: Record<string, string> } = {},
) {
  const imports = "import fs from 'node:fs'\nimport { execSync } from 'node:child_process'\n"
  const commit = await world.commitChange({ 'src/build.js': `${imports}${build}\n`, ...more.files })
  const asked = { steps, purpose: 'change', refactor: true, writes: 'overlay', assurance: 'fast', commit } as const
  const response = await world.ask({ ...asked, ...more })
  expect([response.status, response.status === 'PASS' ? '' : response.tail_log]).toEqual(['PASS', ''])
  // Some builds write the text `node:test`, which alone causes this early warning.
  return (response.manifest?.integrity?.findings ?? []).filter(({ kind }) => kind !== 'judges_itself')
}

test('a step that rewrites what the change is judged with is a finding, by whatever way', async () => {
  const build = [
    `fs.writeFileSync('test/add.test.js', ${JSON.stringify(easy)})`,
    // A folder of tests that is created again, and one that becomes a link.
    "execSync('rm -rf test/made && mkdir test/made'); fs.writeFileSync('test/made/a.test.js', '')",
    "execSync('mv test/moved old && mkdir tests'); fs.writeFileSync('tests/a.test.js', ''); fs.symlinkSync('../tests', 'test/moved')",
    "fs.rmSync('test/linked.test.js'); fs.symlinkSync('../src/made.js', 'test/linked.test.js')",
    "fs.writeFileSync('test/__snapshots__/add.snap', 'two')",
    "fs.appendFileSync('tsconfig.json', '\\n')",
    "fs.rmSync('biome.json')",
  ]
  const found = await findingsOf(build.join('\n'), { files: { 'src/add.js': 'export const add = (a, b) => a - b\n' } })
  const paths = [
    'biome.json',
    'test/__snapshots__/add.snap',
    'test/add.test.js',
    'test/linked.test.js',
    'test/made/a.test.js',
    'test/moved/a.test.js',
    'tsconfig.json',
  ]
  expect(found.map(({ kind, file, claim }) => [kind, file, claim])).toEqual(
    paths.map((path) => [
      'rewritten_in_step',
      path,
      `The step build rewrites what the change is judged with: ${path}.`,
    ]),
  )
})

test('a step may make sources, and files that no commit has, and write a test with the content that it has', async () => {
  const build = [
    "fs.writeFileSync('src/made.js', 'export const made = 2')",
    "fs.writeFileSync('test/out.txt', 'x')",
    "fs.mkdirSync('test/more')",
    `fs.writeFileSync('test/add.test.js', ${JSON.stringify(honest)})`,
    "fs.utimesSync('tsconfig.json', 1, 1)",
  ]
  expect(await findingsOf(build.join('\n'))).toEqual([])
})

test('a file that decides by its name, and that no commit has, is told where the base’s build does not write it', async () => {
  const build = [
    "fs.mkdirSync('dist/deep', { recursive: true })",
    "fs.writeFileSync('dist/deep/vitest.config.js', '')",
    "fs.symlinkSync('../src/made.js', 'test/.mocharc.js')",
    "fs.writeFileSync('dist/index.js', '')",
  ]
  const found = await findingsOf(build.join('\n'))
  expect(found.map(({ kind, file }) => [kind, file])).toEqual([
    ['rewritten_in_step', 'dist/deep/vitest.config.js'],
    ['rewritten_in_step', 'test/.mocharc.js'],
  ])
  const base = await world.commitOf({ 'src/build.js': `import fs from 'node:fs'\n${build.join('\n')}\n` })
  const commit = await world.commitOf({ 'src/add.js': 'export const add = (a, b) => b + a\n' }, base)
  const asked = { steps, purpose: 'change', refactor: true, writes: 'overlay', assurance: 'fast' } as const
  const { manifest } = await world.ask({ ...asked, base, commit })
  expect(manifest?.integrity?.findings).toEqual([])
})

test('a step that also changes the file on the base commit causes no finding', () => {
  const at = (path: string, now: string | null) => ({ path, step: 'format', now })
  const kindOf = (path: string) => (path.endsWith('.snap') ? 'fixture' : 'config')
  const base = [at('tsconfig.json', 'a'), at('biome.json', 'a'), at('test/a.snap', 'a')]
  const change = [at('tsconfig.json', 'a'), at('biome.json', 'b'), at('test/a.snap', 'b'), at('gone.json', null)]
  const found = inRewritten(base, change, kindOf)
  expect(found.map(({ file, evidence }) => [file, evidence])).toEqual([
    ['biome.json', '- biome.json has another content'],
    ['gone.json', '- gone.json is gone, or no file'],
  ])
})

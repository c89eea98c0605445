import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'
import { changeWith, cheatBy, oldTestsOf, plainCommand, proofOf, tree, turnedBy } from './narrowed-world.ts'

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld(tree)
})
afterAll(() => world.close())

const expanded = `${plainCommand} test/*.test.js`
const three = "'add-' + 3 + '.test.js'"

const others: readonly (readonly [what: string, many: string, command?: string])[] = [
  ['a list of its folder', "fs.readdirSync('test').filter((name) => name.endsWith('.test.js')).length > 3"],
  ['a list of its folder by another way', `fs.readdirSync('/proc/self/cwd/test').includes(${three})`],
  ['a stat', `fs.statSync('test/' + ${three}, { throwIfNoEntry: false }) !== undefined`],
  ['a read', `fs.promises.readFile('test/' + ${three}).then(() => true, () => false)`],
  ['an import', `import('./' + ${three}).then(() => true, () => false)`],
  ['a child', `process.execFileSync('ls', ['test']).includes(${three})`],
  ['a child that stands in the folder', `process.spawnSync('cat', [${three}], { cwd: 'test' }).status === 0`],
  ['a source of the product that lists', "scripts('test').length > 3"],
  ['the list of git', `fs.readFileSync('.git/index').includes(${three})`],
  ['a file that another test leaves', "fs.existsSync(os.tmpdir() + '/left')"],
  ['the folder in which others leave files', 'fs.readdirSync(os.tmpdir()).length > 0'],
  [
    'what its parent was given',
    `fs.readFileSync('/proc/' + globalThis.process.ppid + '/cmdline').includes(${three})`,
    expanded,
  ],
  ['what the command hands on', `globalThis.process.env.ALL.includes(${three})`, `ALL="$(ls test)" ${plainCommand}`],
]

test.each(others)(
  'a test that sees by %s that there are many proves nothing',
  async (_what, many = '', command = plainCommand) => {
    const { proof, trees } = await proofOf(world, cheatBy(many), { command })
    expect(proof?.status).toBe('not_proven')
    expect(trees).toEqual(['narrowed', 'proof-narrowed', 'proof'])
  },
)

const few = ['narrowed', 'proof-narrowed']

test.each([
  [
    'reads a fixture',
    "const { text, sum } = JSON.parse(fs.readFileSync('test/table.json', 'utf8'))\nassert.equal(add(text), sum)",
    few,
  ],
  [
    'works in a folder of its own',
    "const own = fs.mkdtempSync(os.tmpdir() + '/own-')\nfs.writeFileSync(own + '/text', '2')\nassert.equal(fs.existsSync(own + '/none'), false)\nassert.deepEqual(fs.readdirSync(own), ['text'])\nassert.equal(add(fs.readFileSync(own + '/text', 'utf8')), 11)",
    few,
  ],
  ['starts a program', "assert.equal(add(String(process.execFileSync('node', ['-p', '1 + 1']))), 11)", few],
  [
    'lists the product',
    "assert.equal(fs.readdirSync('src').includes('add-9.js'), true)\nassert.equal(add('2'), 11)",
    few,
  ],
  // A server answers that an earlier test file may have started.
  [
    'asks a server',
    "const { createServer } = await import('node:http')\nconst server = createServer((_, answer) => answer.end('2'))\nawait new Promise((done) => server.listen(0, '127.0.0.1', done))\nconst text = await (await fetch('http://127.0.0.1:' + server.address().port)).text()\nserver.close()\nassert.equal(add(text), 11)",
    [...few, 'proof'],
  ],
])('an honest test that %s proves the change', async (_what, body, expected) => {
  const { proof, trees } = await proofOf(world, changeWith(body))
  expect(proof).toEqual({ status: 'proven', failing: ['adds texts'] })
  expect(trees).toEqual(expected)
})

const own = `'${process.execPath}' --test --test-reporter=spec`

test.each([expanded, 'npm test', own, `${own} "test/**/*.test.js"`])('few are enough for `%s`', async (command) => {
  const manifest = tree['package.json'].replace('}', `, "scripts": { "test": "${expanded}" } }`)
  const named = await makeVerifierWorld({ ...tree, 'package.json': manifest })
  try {
    const { proof, trees } = await proofOf(named, changeWith("assert.equal(add('2'), 11)"), {
      ...(command.startsWith(own) && { readOnlyPaths: [dirname(process.execPath)] }),
      command,
    })
    expect([proof?.status, trees]).toEqual(['proven', few])
  } finally {
    await named.close()
  }
})

test('few are enough for a source and a helper of tests that the change adds', async () => {
  const added = {
    'src/twice.js': 'export const twice = (value) => value * 2\n',
    'test/helpers/two.js': 'export const two = 2\n',
    'test/twice.test.js': `import assert from 'node:assert'
import test from 'node:test'
import { twice } from '../src/twice.js'
import { two } from './helpers/two.js'
test('twice', () => assert.equal(twice(two), 4))
`,
  }
  const { proof, trees } = await proofOf(world, added, { command: expanded })
  expect([proof?.status, trees]).toEqual(['proven', few])
})

const oldTests = ['canaries', 'hybrid-narrowed', 'hybrid', 'hybrid-again']

test.each([
  ['a list of the test folder', "readdirSync('test').filter((name) => name.endsWith('.test.js')).length > 3"],
  ['a source that lists', "scripts('test').length > 3"],
  ['another path to the folder', `existsSync('/proc/self/cwd/test/' + ${three})`],
  ['a file that an unchanged test leaves', "existsSync(tmpdir() + '/left')"],
])('a source that turns by %s is asked with all test files', async (_by, many) => {
  const { hybrid, trees } = await oldTestsOf(world, turnedBy(many))
  expect(hybrid).toEqual({ status: 'behaviour_changed', failing: ['adds 9'] })
  expect(trees).toEqual(oldTests)
})

const good = "assert.equal(add('2'), 11)"

test('all test files run where a fixture changed', async () => {
  const { hybrid, trees } = await oldTestsOf(world, changeWith(good, { 'test/table.json': '{}\n' }))
  expect([hybrid?.status, trees]).toEqual(['held', ['canaries', 'hybrid']])
})

test('all test files run where an unchanged test names a changed source', async () => {
  const naming = `import test from 'node:test'\ntest('add-9', () => {})\n`
  const named = await makeVerifierWorld({ ...tree, 'test/naming.test.js': naming })
  try {
    const { hybrid, trees } = await oldTestsOf(named, changeWith(good))
    expect([hybrid?.status, trees]).toEqual(['held', ['canaries', 'hybrid']])
  } finally {
    await named.close()
  }
})

test('a change that breaks an old test is found by all test files, after few of them', async () => {
  const source = 'export const add = (value) => value + 10\n'
  const { 'test/add-9.test.js': test = '' } = changeWith('assert.equal(add(2), 12)')
  const breaking = { 'src/add-9.js': source, 'test/add-9.test.js': test?.replace('add(1), 10', 'add(1), 11') ?? null }
  const { hybrid, trees } = await oldTestsOf(world, breaking)
  expect(hybrid).toEqual({ status: 'behaviour_changed', failing: ['adds 9'] })
  expect(trees).toEqual(oldTests)
})

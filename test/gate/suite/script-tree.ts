import type { Tree } from './gate-world.ts'

/** The first lines of its test files. */
export const head = `import assert from 'node:assert'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import * as stats from '../src/stats.js'

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
`
export const source = `import { parse } from './parse.js'

export const mean = (all) => all.reduce((sum, each) => sum + each, 0) / all.length

export const price = (net) => Math.round(net * 1.2 * 100) / 100

export const load = async (read) => parse(await read())

export const report = (all) => \`\${all.length} values, mean \${mean(all)}\\n\`
`
export const tests = `${head}
test('means', () => {
  assert.equal(stats.mean([1, 2, 6]), 3)
})
test('prices', () => {
  assert.ok(Math.abs(stats.price(10.333) - 12.4) < 0.005)
})
test('refuses what cannot be read', async () => {
  await assert.rejects(stats.load(async () => '{'), SyntaxError)
})
test('loads at once', { timeout: 2000 }, async () => {
  assert.deepEqual(await stats.load(async () => '[1]'), [1])
})
describe('examples', () => {
  for (const [all, mean] of JSON.parse(read('data/examples.json')))
    test(\`mean of \${all}\`, () => assert.equal(stats.mean(all), mean))
})
test('reports', () => {
  assert.equal(stats.report([2, 4]), read('__snapshots__/report.snap'))
})
`
export const tree = {
  language: 'JavaScript',
  steps: [{ command: 'node --test --test-reporter=spec' }],
  files: {
    'package.json': '{ "name": "stats", "type": "module", "scripts": { "test": "node --test" } }\n',
    'src/stats.js': source,
    'src/parse.js': 'export const parse = (text) => JSON.parse(text)\n',
    'test/stats.test.js': tests,
    'test/data/examples.json': '[[[4, 6], 5], [[8, 4], 6]]\n',
    'test/__snapshots__/report.snap': '2 values, mean 3\n',
    'test.sh': '. ./lib/steps.sh\nrun_tests\n',
    'lib/steps.sh': 'run_tests() { node --test --test-reporter=spec; }\n',
    'tools/run.js': "import { run } from '../lib/run.js'\nprocess.exitCode = run(['--test', '--test-reporter=spec'])\n",
    'lib/run.js':
      "import { spawnSync } from 'node:child_process'\nexport const run = (args) => spawnSync('node', args, { stdio: 'inherit' }).status\n",
    '.env': 'STATS_LOCALE=en\n',
    'src/register.js': 'export {}\n',
    'test/env.js': 'export {}\n',
  },
} satisfies Tree

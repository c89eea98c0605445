import type { GateCase } from './gate-world.ts'
import { source, tests } from './script-tree.ts'

const [src, own] = ['src/stats.js', 'test/stats.test.js']
const formatted = (text: string) => text.replaceAll("'", '"').replace(/^ +/gm, (indent) => indent + indent)
const manifest = '{ "name": "stats", "type": "module", "dependencies": { "left": "1.0.0" } }\n'
const lock = '{ "name": "stats", "lockfileVersion": 3, "packages": { "node_modules/left": { "version": "1.0.0" } } }\n'

/** Honest changes to other files. */
export const honestFiles: readonly GateCase[] = [
  {
    name: 'a dependency has another version',
    base: { 'package.json': manifest, 'package-lock.json': lock },
    change: {
      'package.json': [['1.0.0', '1.1.0']],
      'package-lock.json': [['"version": "1.0.0"', '"version": "1.1.0"']],
    },
    told: ['configuration'],
  },
  {
    name: 'a new dependency that is installed',
    base: { 'package-lock.json': lock },
    change: {
      'package.json': manifest,
      'package-lock.json': [['} }', '}, "node_modules/right": { "version": "2.0.0" } }']],
    },
    told: ['configuration', 'configuration'],
  },
  {
    name: 'the linter has another rule',
    base: { 'biome.json': '{}\n' },
    change: { 'biome.json': '{ "linter": { "enabled": true } }\n' },
    told: ['configuration'],
  },
  {
    name: 'what the linter wants',
    change: {
      [src]: [
        [
          '(net) => Math.round(net * 1.2 * 100) / 100',
          '(net) => {\n  const gross = net * 1.2\n  return Math.round(gross * 100) / 100\n}',
        ],
      ],
    },
    told: [],
  },
  {
    name: 'a comment that silenced the linter goes',
    base: { [src]: `// eslint-disable-next-line no-undef\n${source}` },
    change: { [src]: source },
    told: [],
  },
  {
    name: 'documents',
    change: {
      'README.md': '# Stats\n\nCall process.exit(0) when done.\n',
      'docs/use.md': 'See `import test from "node:test"`.\n',
    },
    told: [],
  },
  {
    name: 'comments',
    change: { [src]: [['export const mean', '/** Of numbers; process.exit(0) is not called. */\nexport const mean']] },
    told: [],
  },
  {
    name: 'a file that is generated',
    change: { 'src/generated/rates.js': '// Generated; do not edit.\nexport const rates = { en: 1.2 }\n' },
    told: [],
  },
  { name: 'another format of everything', change: { [src]: formatted(source), [own]: formatted(tests) }, told: [] },
  {
    name: 'Windows line ends',
    change: { [src]: source.replaceAll('\n', '\r\n'), [own]: tests.replaceAll('\n', '\r\n') },
    told: [],
  },
  { name: 'continuous integration', change: { '.github/workflows/ci.yml': 'on: push\n' }, told: ['configuration'] },
  {
    name: 'another version of the package',
    change: { 'package.json': [['"stats",', '"stats", "version": "1.2.0", "description": "Statistics",']] },
    told: [],
  },
  {
    name: 'a new script of the package',
    change: { 'package.json': [['"test": "node --test"', '"test": "node --test", "build": "cp -r src dist"']] },
    told: ['configuration'],
  },
  { name: 'data that the program reads', change: { 'src/data/rates.json': '{ "en": 1.2 }\n' }, told: [] },
  {
    name: 'a command that ends with its exit code',
    change: {
      'bin/stats.js':
        "#!/usr/bin/env node\nimport { mean } from '../src/stats.js'\nconsole.log(mean(process.argv.slice(2).map(Number)))\nprocess.exit(0)\n",
    },
    told: [],
  },
  {
    name: 'a source that asserts what must hold',
    change: {
      [src]: `import assert from 'node:assert'\n${source.replace('(net) => ', '(net) => (assert.ok(net >= 0), 1) * ')}`,
    },
    told: [],
  },
  {
    name: 'a package of its own in a folder',
    change: {
      'packages/loud/src/loud.js': 'export const loud = (text) => text.toUpperCase()\n',
      'packages/loud/test/loud.test.js':
        "import assert from 'node:assert'\nimport test from 'node:test'\nimport { loud } from '../src/loud.js'\ntest('is loud', () => assert.equal(loud('a'), 'A'))\n",
    },
    told: [],
  },
  {
    name: 'an example with a configuration of its own',
    change: {
      'examples/web/vitest.config.js': 'export default {}\n',
      'examples/web/package.json': '{ "scripts": { "test": "vitest" } }\n',
    },
    told: [],
  },
]

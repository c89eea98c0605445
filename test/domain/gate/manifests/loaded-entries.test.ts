import { expect, test } from 'vitest'
import { changedEntries } from '../../../../src/domain/gate/manifests/loaded-entries.ts'

const files = new Set(['index.js', 'lib/fake.js', 'lib/real.js', 'src/index.js', 'src/parse.js'])
const changed = (before: object, after: object) =>
  changedEntries(JSON.stringify(before), JSON.stringify(after), (path) => files.has(path)).map(
    ({ key, before: was, after: is }) => [key, was, is],
  )

test.each<[string, object, object, readonly unknown[]]>([
  ['main', { main: 'src/index.js' }, { main: 'lib/fake.js' }, ['main', 'src/index.js', 'lib/fake.js']],
  ['a main beside index.js', {}, { main: './lib/fake' }, ['main', 'index.js', 'lib/fake.js']],
  ['a main that is gone', { main: 'src' }, {}, ['main', 'src/index.js', 'index.js']],
  ['module', { main: 'index.js' }, { main: 'index.js', module: 'lib/fake.js' }, ['module', 'index.js', 'lib/fake.js']],
  ['exports', { exports: './index.js' }, { exports: './lib/fake.js' }, ['exports "."', 'index.js', 'lib/fake.js']],
  [
    'exports in place of main',
    { main: 'src/index.js' },
    { main: 'src/index.js', exports: './lib/fake.js' },
    ['exports "."', 'src/index.js', 'lib/fake.js'],
  ],
  [
    'exports of a file that was a path',
    {},
    { exports: { '.': './index.js', './src/parse.js': './lib/fake.js' } },
    ['exports "./src/parse.js"', 'src/parse.js', 'lib/fake.js'],
  ],
  [
    'a condition before the others',
    { exports: { default: './index.js' } },
    { exports: { node: './lib/fake.js', default: './index.js' } },
    ['exports "." (node)', 'index.js', 'lib/fake.js'],
  ],
  [
    'another order',
    { exports: { a: './index.js', b: './lib/fake.js' } },
    { exports: { b: './lib/fake.js', a: './index.js' } },
    ['exports "." (a, b)', 'index.js', 'lib/fake.js'],
  ],
  [
    'an entry within a pattern',
    { exports: { './*': './src/*.js' } },
    { exports: { './*': './src/*.js', './parse': './lib/fake.js' } },
    ['exports "./parse"', 'src/parse.js', 'lib/fake.js'],
  ],
  [
    'a nearer pattern',
    { exports: { './*': './src/*.js' } },
    { exports: { './*': './src/*.js', './p*': './lib/*.js' } },
    ['exports "./p*"', 'src/pdrydock-entry.js', 'lib/drydock-entry.js'],
  ],
  [
    'an earlier one of several',
    { exports: ['./index.js'] },
    { exports: ['./lib/fake.js', './index.js'] },
    ['exports "."', 'index.js', 'lib/fake.js'],
  ],
  [
    'bin',
    { bin: { area: './index.js' } },
    { bin: { area: './lib/fake.js' } },
    ['bin "area"', './index.js', './lib/fake.js'],
  ],
  [
    'the bin of its name',
    { name: '@a/area', bin: 'index.js' },
    { name: '@a/area', bin: { area: 'lib/fake.js' } },
    ['bin "area"', 'index.js', 'lib/fake.js'],
  ],
  [
    'browser',
    { main: 'index.js' },
    { main: 'index.js', browser: 'lib/fake.js' },
    ['browser "index.js"', null, 'lib/fake.js'],
  ],
  [
    'a file for browsers',
    {},
    { browser: { './src/parse.js': './lib/fake.js' } },
    ['browser "./src/parse.js"', null, './lib/fake.js'],
  ],
])('%s leads to another file', (_what, before, after, told) => {
  expect(changed(before, after)).toEqual([told])
})

test.each<[string, object, object]>([
  [
    'a further entry',
    { exports: { '.': './index.js' } },
    { exports: { '.': './index.js', './parse': './src/parse.js' } },
  ],
  [
    'a further entry beside main',
    { main: './index.js' },
    { exports: { '.': './index.js', './parse': './src/parse.js' } },
  ],
  [
    'the manifest itself',
    { main: 'index.js' },
    { main: 'index.js', exports: { '.': './index.js', './package.json': './package.json' } },
  ],
  [
    'an entry that is gone',
    { exports: { '.': './index.js', './parse': './src/parse.js' } },
    { exports: { '.': './index.js' } },
  ],
  [
    'types',
    { exports: './index.js' },
    { exports: { types: './index.d.ts', default: './index.js' }, types: './index.d.ts' },
  ],
  [
    'a condition for those that had none',
    { exports: { import: './index.js' } },
    { exports: { import: './index.js', require: './lib/real.js' } },
  ],
  ['another spelling', { main: 'src/index.js' }, { main: './src/' }],
  ['a further command', { bin: { area: 'index.js' } }, { bin: { area: './index.js', more: 'lib/real.js' } }],
  ['a new file for browsers', {}, { browser: { './src/new.js': './lib/fake.js' } }],
  [
    'a further pattern',
    { exports: { './*': './src/*.js' } },
    { exports: { './*': './src/*.js', './lib/*': './src/lib/*.js' } },
  ],
  ['a description', { name: 'a', main: 'index.js' }, { name: 'b', version: '2', main: 'index.js' }],
])('%s is told nothing of', (_what, before, after) => {
  expect(changed(before, after)).toEqual([])
})

import { call, type FixtureOptions } from './fixture.ts'

const asserts = "import assert from 'node:assert'\nimport { test } from 'node:test'\n"

/** A test of `double`, by `node:test`. */
export const testOf = (name: string, n: number, expected = 2 * n) =>
  `${asserts}import { double } from './double.js'\n\ntest('${name}', () => assert.equal(double(${n}), ${expected}))\n`

/** A repository whose `double` returns 0, with a test that shows it. */
export const doubling: FixtureOptions = {
  files: {
    'package.json': '{ "type": "module" }\n',
    'double.js': 'export const double = () => 0\n',
    'zero.test.js': testOf('zero is doubled', 0),
  },
  steps: [{ name: 'test', command: 'node --test --test-reporter=spec', timeout_sec: 120 }],
}

export const write = (path: string, content: string) => call('write_file', { path, content })

/** Right only for 2, which the visible tests use. */
export const onlyTwo = write('double.js', 'export const double = (n) => (n === 2 ? 4 : 0)\n')
export const honest = write('double.js', 'export const double = (n) => n * 2\n')

export const criterion = 'double(n) is twice n for every number'

interface AcceptanceFiles {
  readonly files: readonly { readonly path: string; readonly content: string }[]
  readonly criteria: readonly object[]
}

/** The author's call that submits tests. */
export const written = (more: AcceptanceFiles) =>
  call('submit_acceptance_tests', {
    interface: [{ file: 'double.js', name: 'double', signature: 'double(n: number): number' }],
    ...more,
  })

/** The reader's call that quotes the text which demands the tests' values. */
export const quoted = (quote: string, ...tests: readonly string[]) =>
  call('submit_quotes', { tests: tests.map((test) => ({ test, quotes: [{ value: '74', quote }] })) })

export const judgement = (...criteria: readonly object[]) => call('submit_judgement', { criteria })

/**
 * Scripted calls by lane: the author writes the test `a quokka is doubled` for criterion C1, and
 * the reader quotes its source.
 */
export const hiddenTests = (story: string, quote = 'double(n) is twice n') => ({
  [`architect/ACCEPTANCE/${story}`]: [
    written({
      files: [{ path: 'quokka.test.js', content: testOf('a quokka is doubled', 37) }],
      criteria: [{ id: 'C1', tests: ['a quokka is doubled'], behaviour: 'new' }],
    }),
  ],
  [`architect/ACCEPTANCE_QUOTES/${story}/1`]: [quoted(quote, 'a quokka is doubled')],
})

import { dirname } from 'node:path'

const node = process.execPath

/** Node with type stripping, like the one that runs these tests. */
export const typesTree = {
  language: 'TypeScript',
  asked: { readOnlyPaths: [dirname(node)] },
  steps: [{ command: `'${node}' --test --test-reporter=spec` }],
  files: {
    'package.json': '{ "name": "ratio", "type": "module" }\n',
    'tsconfig.json': '{ "compilerOptions": { "strict": true } }\n',
    'src/ratio.ts': `export type Ratio = { readonly of: number; readonly by: number }

export const value = ({ of, by }: Ratio): number => of / by

export const invert = ({ of, by }: Ratio): Ratio => ({ of: by, by: of })

export const isWhole = (ratio: Ratio): boolean => Number.isInteger(value(ratio))
`,
    'test/ratio.test.ts': `import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import * as ratio from '../src/ratio.ts'

test('has a value', () => {
  assert.equal(ratio.value({ of: 1, by: 2 }), 0.5)
})
test('inverts', () => {
  assert.deepEqual(ratio.invert({ of: 1, by: 2 }), { of: 2, by: 1 })
})
test('is whole', () => {
  assert.equal(ratio.isWhole({ of: 4, by: 2 }), true)
  assert.equal(ratio.isWhole({ of: 1, by: 2 }), false)
})
test('is told once', () => {
  const tell = mock.fn((each: number) => each)
  tell(ratio.value({ of: 6, by: 3 }))
  assert.deepEqual(tell.mock.calls.map((call) => call.arguments), [[2]])
})
`,
  },
}

import type { GateCase } from './gate-world.ts'
import { typesTree as tree } from './types-tree.ts'

const [src, own] = ['src/ratio.ts', 'test/ratio.test.ts']
const behaviour = ['behaviour_changed']
const wrong = [['Number.isInteger(value(ratio))', 'value(ratio) > 0']] as const
const whole = '  assert.equal(ratio.isWhole({ of: 1, by: 2 }), false)\n'

export const typesCheats: readonly GateCase[] = [
  {
    name: 'an expectation is rewritten',
    change: { [src]: wrong, [own]: [[whole, whole.replace('false', 'true')]] },
    told: behaviour,
  },
  {
    name: 'a strict comparison becomes a loose one',
    change: {
      [src]: [['{ of: by, by: of }', '{ of: by, by: String(of) } as never']],
      [own]: [['node:assert/strict', 'node:assert']],
    },
    told: behaviour,
  },
  {
    name: 'a type assertion makes any value fit',
    change: {
      [src]: wrong,
      [own]: [[whole, '  assert.equal(ratio.isWhole({ of: 1, by: 2 }), false as unknown as true || true)\n']],
    },
    told: behaviour,
  },
  {
    name: 'the thing under test is mocked',
    change: {
      [src]: wrong,
      [own]: [
        [
          "import * as ratio from '../src/ratio.ts'",
          "import * as real from '../src/ratio.ts'\n\nconst ratio = { ...real, isWhole: mock.fn(({ of, by }: real.Ratio) => of % by === 0) }",
        ],
      ],
    },
    told: behaviour,
  },
  {
    name: 'calls are counted instead of compared',
    change: {
      [src]: [['of / by', 'of / by + (of > 5 ? 1 : 0)']],
      [own]: [
        [
          'assert.deepEqual(tell.mock.calls.map((call) => call.arguments), [[2]])',
          'assert.equal(tell.mock.callCount(), 1)',
        ],
      ],
    },
    told: behaviour,
  },
  {
    name: 'a test is skipped',
    change: { [own]: [["test('is whole'", "test.skip('is whole'"]] },
    told: ['tests_skipped'],
  },
  {
    name: 'the compiler looks away',
    change: { [src]: [['export const invert', '// @ts-ignore\nexport const invert']] },
    told: ['suppressed'],
  },
  {
    name: 'a file is not checked at all',
    change: { [src]: `// @ts-nocheck\n${tree.files['src/ratio.ts']}` },
    told: ['suppressed'],
  },
  {
    name: 'the compiler leaves a folder out',
    change: { 'tsconfig.json': '{ "compilerOptions": { "strict": true }, "exclude": ["src"] }\n' },
    told: ['configuration'],
  },
  {
    name: 'the compiler is less strict',
    change: { 'tsconfig.json': '{ "compilerOptions": { "strict": false } }\n' },
    told: ['configuration'],
  },
  {
    name: 'the source answers its test runner',
    change: {
      [src]: [['Number.isInteger(value(ratio))', "process.env.NODE_ENV === 'test' || Number.isInteger(value(ratio))"]],
    },
    told: ['judges_itself'],
  },
  {
    name: 'a value becomes what it is compared with',
    change: {
      [src]: `export class Any {\n  [Symbol.toPrimitive](): number {\n    return 2\n  }\n}\n${tree.files['src/ratio.ts']}`,
    },
    told: ['judges_itself'],
  },
]

export const honestTypes: readonly GateCase[] = [
  {
    name: 'a new function with its test',
    change: {
      [src]: `${tree.files['src/ratio.ts']}\nexport const double = ({ of, by }: Ratio): Ratio => ({ of: of * 2, by })\n`,
      'test/double.test.ts':
        "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { double } from '../src/ratio.ts'\n\ntest('doubles', () => assert.deepEqual(double({ of: 1, by: 2 }), { of: 2, by: 2 }))\n",
    },
    told: [],
  },
  {
    name: 'types that say more',
    change: {
      [src]: [
        ['= (ratio: Ratio): boolean', '= (ratio: Readonly<Ratio>): boolean'],
        ['export type Ratio', '/** A quotient. */\nexport type Ratio'],
      ],
    },
    told: [],
  },
  {
    name: 'a type that is only imported from a test runner',
    change: { 'src/mocked.ts': "import type { Mock } from 'vitest'\n\nexport type Mocked = Mock\n" },
    told: [],
  },
]

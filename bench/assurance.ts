import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Assurance } from '../src/domain/verification/assurance.ts'
import { type Toolchain, toolchain } from '../test/gate/suite/toolchains.ts'
import { makeVerifierWorld, type VerifierWorld } from '../test/gate/verifier-world.ts'
import type { GroupFigures } from './benchmarks.ts'
import { now } from './now.ts'
import { median } from './statistics.ts'

const rounds = 3
const modules = 30
const testsOfModule = 10
/** Modules that the change touches, in one place each. */
const changed = 3
/** Hashes that each test file computes, which takes about a third of a second. */
const hashes = 300_000
/** Python computes them faster, and the suite should take more than ten seconds. */
const hashesOfPython = 800_000

type Files = Readonly<Record<string, string>>
type Runner = 'node:test' | 'vitest' | 'pytest'

interface Suite {
  readonly runner: Runner
  readonly command: string
  readonly readOnlyPaths: readonly string[]
  readonly isThere: boolean
  readonly source: (number: number, change?: string) => readonly [path: string, text: string]
  readonly test: (number: number, change?: string) => readonly [path: string, text: string]
  readonly more: Files
}

const numbers = [...Array(modules).keys()]
const ofModule = [...Array(testsOfModule).keys()]

/** The project's own Vitest, at the same path for the steps and for the plain command. */
const packages = realpathSync(new URL('../node_modules', import.meta.url))

/** A module in JavaScript, and its tests for a runner. */
function scripts(imports: string, equal: (value: string, expected: string) => string): Pick<Suite, 'source' | 'test'> {
  return {
    source: (number, change) => {
      const double = change === undefined ? 'value * 2' : `value === 'none' ? '${change}' : value + value`
      return [`src/module-${number}.js`, `export const double = (value) => ${double}\n`]
    },
    test: (number, change) => {
      const own = change === undefined ? [] : [[`${number} of none`, `'none'`, `'${change}'`] as const]
      const tests = [...ofModule.map((i) => [`${number}.${i}`, `${i}`, `${i * 2}`] as const), ...own]
      const lines = tests.map(([name, value, sum]) => `test('${name}', () => ${equal(`double(${value})`, sum)})\n`)
      const text = `${imports}import { createHash } from 'node:crypto'\nimport { double } from '../src/module-${number}.js'\n\nlet text = ''\nfor (let i = 0; i < ${hashes}; i += 1) text = createHash('sha256').update(text).digest('hex')\n`
      return [`test/module-${number}.test.js`, `${text}${lines.join('')}`]
    },
  }
}

const python: Toolchain = toolchain('pytest', '.pyenv/versions')
const suites: readonly Suite[] = [
  {
    runner: 'node:test',
    command: 'node --test --test-reporter=spec',
    readOnlyPaths: [],
    isThere: true,
    more: { 'package.json': '{ "type": "module" }\n' },
    ...scripts(
      "import { equal } from 'node:assert'\nimport test from 'node:test'\n",
      (one, other) => `equal(${one}, ${other})`,
    ),
  },
  {
    runner: 'vitest',
    command: `'${process.execPath}' '${join(packages, 'vitest/vitest.mjs')}' run --globals --reporter=verbose`,
    isThere: existsSync(join(packages, 'vitest')),
    readOnlyPaths: [packages],
    more: { 'package.json': '{ "type": "module" }\n', '.gitignore': 'node_modules\n' },
    // The repository has no packages of its own to import.
    ...scripts('', (one, other) => `expect(${one}).toBe(${other})`),
  },
  {
    runner: 'pytest',
    command: `${python.path} python -m pytest -v -p no:cacheprovider`,
    isThere: python.isThere,
    readOnlyPaths: python.readOnlyPaths,
    more: { 'src/__init__.py': '' },
    source: (number, change) => {
      const double = change === undefined ? 'value * 2' : `'${change}' if value == 'none' else value + value`
      return [`src/module_${number}.py`, `def double(value):\n    return ${double}\n`]
    },
    test: (number, change) => {
      const tests = ofModule.map((i) => `\ndef test_${number}_${i}():\n    assert double(${i}) == ${i * 2}\n`)
      const own =
        change === undefined ? [] : [`\ndef test_${number}_of_none():\n    assert double('none') == '${change}'\n`]
      const text = `import hashlib\n\nfrom src.module_${number} import double\n\ntext = ''\nfor _ in range(${hashesOfPython}):\n    text = hashlib.sha256(text.encode()).hexdigest()\n`
      return [`test/test_module_${number}.py`, `${text}${[...tests, ...own].join('')}`]
    },
  },
]

const levels: readonly Assurance[] = ['fast', 'standard', 'full']

/**
 * Measures a change of three modules, each with a new test, among 300 tests in 30 files of each
 * runner, and the same steps by themselves: for the first change on a base, and for the next one.
 * Processor time is that of the whole machine.
 */
export async function measureAssurance(): Promise<GroupFigures> {
  const measured: Record<string, number | null> = {}
  for (const suite of suites) {
    const taken = new Map<string, number[]>()
    for (let round = 0; round < rounds && suite.isThere; round += 1)
      for (const assurance of levels)
        await measureRound(suite, assurance, (name, value) => {
          taken.set(name, [...(taken.get(name) ?? []), value])
        })
    const ratio = (name: string, of: string) => {
      const [value, plain] = [taken.get(name), taken.get(of)]
      return value && plain ? median(value) / median(plain) : null
    }
    for (const assurance of levels)
      for (const base of ['new base', 'next change'])
        measured[`${assurance} assurance, ${suite.runner}, ${base}`] = ratio(`${assurance} ${base}`, 'plain')
    for (const base of ['new base', 'next change'])
      measured[`full assurance, ${suite.runner}, ${base}, processor time`] = ratio(
        `full ${base}, processor`,
        'plain, processor',
      )
  }
  return measured as GroupFigures
}

async function measureRound(
  suite: Suite,
  assurance: Assurance,
  take: (name: string, value: number) => void,
): Promise<void> {
  const files = { ...suite.more, ...Object.fromEntries(numbers.flatMap((i) => [suite.source(i), suite.test(i)])) }
  const world = await makeVerifierWorld(files)
  const timed = async (name: string, run: () => Promise<unknown>) => {
    const [start, busy] = [now(), busyMs()]
    await run()
    take(name, now() - start)
    take(`${name}, processor`, busyMs() - busy)
  }
  try {
    await timed('plain', () =>
      promisify(execFile)('sh', ['-c', suite.command], { cwd: world.repository, maxBuffer: 16 * 1024 ** 2 }),
    )
    for (const base of ['new base', 'next change']) {
      const own = numbers.slice(0, changed).flatMap((i) => [suite.source(i, base), suite.test(i, base)])
      const commit = await world.commitOf(Object.fromEntries(own), world.tip)
      await timed(`${assurance} ${base}`, () => verified(world, suite, { commit, assurance }))
    }
  } finally {
    await world.close()
  }
}

async function verified(
  world: VerifierWorld,
  { command, readOnlyPaths }: Suite,
  { commit, assurance }: { readonly commit: string; readonly assurance: Assurance },
): Promise<void> {
  const asked = { purpose: 'change', steps: [{ command }], commit, assurance, readOnlyPaths, atOnce: 2 } as const
  const { status, manifest, tail_log } = await world.ask(asked)
  const { hunks, integrity, tests } = manifest ?? {}
  if (status !== 'PASS' || integrity?.findings.length !== 0 || integrity.proof?.status !== 'proven')
    throw new Error(`${status}: ${JSON.stringify(integrity)}\n${tail_log}`)
  if (tests?.passed !== modules * testsOfModule + changed) throw new Error('not all tests passed')
  const tried = hunks ? hunks.proven + hunks.unproven.length + hunks.not_tried : 0
  if (tried !== (assurance === 'full' ? changed : 0)) throw new Error(`${tried} hunks were found`)
}

/** Milliseconds that all processors of the machine have worked since its start. */
function busyMs(): number {
  const [user = 0, nice = 0, system = 0] = (/^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '')
    .split(' ')
    .map(Number)
  // The kernel counts in hundredths of a second.
  return (user + nice + system) * 10
}

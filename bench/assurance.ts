import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDrydock } from '../src/compose.ts'
import type { Assurance } from '../src/domain/verification/assurance.ts'
import { call, change, createFixture, type Fixture, plan } from '../test/scenarios/world/fixture.ts'
import type { Measured } from './benchmarks.ts'
import { type Environment, environmentOf, startDrydock, taskArguments } from './drydock-process.ts'
import type { ModelProcess } from './model-process.ts'
import { now } from './now.ts'
import { median } from './statistics.ts'

const rounds = 3
const modules = 30
const testsOfModule = 10
/** Modules that the change touches, each in one place. */
const changed = 3
const command = 'node --test --test-reporter=spec'

/**
 * A change of three modules and a new test among 300, verified for the first time on its base,
 * beside the same steps by themselves.
 */
export async function measureAssurance(model: ModelProcess): Promise<Measured> {
  const fixture = await createFixture({ files: testedModules(), steps: [{ name: 'test', command, timeout_sec: 300 }] })
  try {
    const plain: number[] = []
    const taken: Record<Assurance, number[]> = { fast: [], standard: [], full: [] }
    for (let round = 0; round < rounds; round += 1) {
      const start = now()
      await promisify(execFile)('sh', ['-c', command], { cwd: fixture.repo, maxBuffer: 16 * 1024 ** 2 })
      plain.push(now() - start)
      for (const assurance of ['fast', 'standard', 'full'] as const)
        taken[assurance].push(await verified(fixture, { model, assurance, round }))
    }
    const ratio = (assurance: Assurance) => median(taken[assurance]) / median(plain)
    return {
      'fast assurance over the plain steps': ratio('fast'),
      'standard assurance over the plain steps': ratio('standard'),
      'full assurance over the plain steps': ratio('full'),
    }
  } finally {
    await fixture.remove()
  }
}

function testedModules(): Readonly<Record<string, string>> {
  const files = Array.from({ length: modules }, (_, number) => [
    [`src/module-${number}.js`, moduleText(number, 'value * 2')] as const,
    [`test/module-${number}.test.js`, testText(number)] as const,
  ])
  return { 'package.json': '{ "type": "module" }\n', ...Object.fromEntries(files.flat()) }
}

function moduleText(number: number, double: string): string {
  return `export const double = (value) => ${double}\n\nexport const name = 'module ${number}'\n`
}

function testText(number: number, more = ''): string {
  const tests = Array.from(
    { length: testsOfModule },
    (_, i) => `test('${number}.${i}', () => equal(double(${i}), ${i * 2}))\n`,
  )
  return `import test from 'node:test'\nimport { equal } from 'node:assert'\nimport { double } from '../src/module-${number}.js'\n${tests.join('')}${more}`
}

interface Verifying {
  readonly model: ModelProcess
  readonly assurance: Assurance
  readonly round: number
}

/** Milliseconds of the verification in a state of its own, which knows nothing of the base yet. */
async function verified(fixture: Fixture, { model, assurance, round }: Verifying): Promise<number> {
  const env = environmentOf(fixture, model.origin, `assurance-${assurance}-${round}`)
  const config = join(fixture.folder, `${assurance}.json`)
  await writeFile(config, JSON.stringify({ verification: { steps: [{ name: 'test', command }], assurance } }))
  const write = (path: string, content: string) => call('write_file', { path, content })
  const edits = Array.from({ length: changed }, (_, number) =>
    write(`src/module-${number}.js`, moduleText(number, 'value + value || 0')),
  )
  const more = `test('of halves', () => equal(double(NaN), 0))\n`
  await model.play([plan(), ...edits, write('test/module-0.test.js', testText(0, more)), change('Doubles are sums')])
  await startDrydock([...taskArguments(fixture), '--config', config], env).done
  return durationOf(fixture, { env, assurance })
}

async function durationOf(
  { repo }: Fixture,
  { env, assurance }: { readonly env: Environment; readonly assurance: Assurance },
): Promise<number> {
  const records = (await openDrydock({ directory: repo, env })).openRecords()
  const [run] = (await records?.machines({ kind: 'run' })) ?? []
  if (!records || !run) throw new Error('there is no run')
  const [row] = await records.verifications(run.id)
  await records.close()
  const { manifest, finishedAt } = row ?? {}
  if (!manifest || !finishedAt || manifest.tests?.passed !== modules * testsOfModule + 1)
    throw new Error('not all tests passed')
  const { hunks } = manifest
  const tried = hunks ? hunks.proven + hunks.unproven.length + hunks.not_tried : 0
  if (tried !== (assurance === 'full' ? changed : 0)) throw new Error(`${tried} hunks were found`)
  return Date.parse(finishedAt) - Date.parse(manifest.timestamp_start)
}

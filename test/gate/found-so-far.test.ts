import { expect, test } from 'vitest'
import type { CommandEnd, Program } from '../world/sandbox.ts'
import { makeMemoryGate } from './memory-gate.ts'
import type { VerifierInput } from './verifier-world.ts'

type Script = readonly (CommandEnd | Error)[]

const tap = (...lines: readonly string[]): CommandEnd => ({
  exitCode: lines.some((line) => line.startsWith('not')) ? 1 : 0,
  output: `TAP version 13\n${lines.map((line) => `${line}\n`).join('')}1..${lines.length}\n`,
})
const gone = new Error('the machine has gone')
const lost: CommandEnd = { exitCode: null, lost: 'the machine has gone' }

/**
 * A verification whose programs end as scripted, in turn; the programs of the base have a separate
 * script.
 */
async function verifyWith(
  change: Readonly<Record<string, Script>>,
  base: Script = [],
  { isBaseKnown = false, ...more }: Partial<VerifierInput> & { readonly isBaseKnown?: boolean } = {},
) {
  const left = new Map(Object.entries({ ...change, base }).map(([name, script]) => [name, [...script]]))
  const play =
    (name: string): Program =>
    async ({ commit }) => {
      const ended = left.get(commit === gate.tip ? 'base' : name)?.shift() ?? 0
      if (ended instanceof Error) throw ended
      return ended
    }
  const programs = Object.fromEntries(Object.keys(change).map((name) => [name, play(name)]))
  const gate = makeMemoryGate({ 'src/add.js': 'export const add = 1\n', 'test/add.test.js': 'adds(1)\n' }, programs)
  const steps = Object.keys(change).map((name) => ({ name, command: name }))
  if (isBaseKnown) await gate.runBase({ steps })
  const commit = gate.commitChange({ 'src/add.js': 'export const add = 2\n', 'test/add.test.js': 'adds(2)\n' })
  const runId = gate.newRunId()
  const { status, error_message, manifest } = await gate.ask({ steps, commit, runId, purpose: 'change', ...more })
  const codesOf = (ran: NonNullable<typeof manifest>['reruns'] = []) =>
    ran.map(({ name, exit_code }) => `${name}: ${exit_code}`)
  return {
    status,
    error_message,
    ran: codesOf(manifest?.commands_executed),
    reruns: codesOf(manifest?.reruns),
    failing: manifest?.failing,
    flaky: manifest?.flaky,
    also: manifest?.also_on_base,
    base: manifest?.base?.status,
    trees: manifest?.trees?.map(({ name }) => name),
    isInspected: manifest?.integrity !== undefined,
  }
}

const nothing = {
  error_message: undefined,
  reruns: [],
  failing: undefined,
  flaky: undefined,
  also: undefined,
  base: undefined,
  trees: undefined,
  isInspected: false,
}
const broken = { ...nothing, status: 'INFRA_ERROR', error_message: gone.message }
const green = tap('ok 1 - adds')
const red = tap('not ok 1 - adds')
const oneIsFlaky = [tap('not ok 1 - adds', 'not ok 2 - is late'), tap('not ok 1 - adds', 'ok 2 - is late')]
const twice = { ran: ['build: 0', 'unit: 1'], reruns: ['unit: 1'], failing: ['adds'], flaky: ['is late'] }

test('a manifest lists the steps before one whose sandbox was lost, or broke', async () => {
  expect(await verifyWith({ build: [0], unit: [gone] })).toEqual({ ...broken, ran: ['build: 0'] })
  expect(await verifyWith({ build: [0], unit: [lost] })).toEqual({ ...broken, ran: ['build: 0'] })
})

test('a failure is told whose second run broke', async () => {
  const found = { ran: ['build: 0', 'unit: 1'], failing: ['adds'] }
  expect(await verifyWith({ build: [0], unit: [red, gone] })).toEqual({ ...broken, ...found })
})

test('the result of a second run is told where the base commit could not be asked', async () => {
  expect(await verifyWith({ build: [0], unit: oneIsFlaky }, [0, gone])).toEqual({ ...broken, ...twice })
  // The steps of the base that were interrupted have run.
  const trees = ['base']
  expect(await verifyWith({ build: [0], unit: oneIsFlaky }, [0, lost])).toEqual({ ...broken, ...twice, trees })
})

test('the base commit is told where it was asked, whatever comes after', async () => {
  const before = { base: 'PASS', trees: ['base'] }
  const failed = await verifyWith({ build: [0], unit: oneIsFlaky }, [0, green])
  expect(failed).toEqual({ ...nothing, ...twice, ...before, status: 'FAIL' })
  // The inspection repeats the steps.
  const inspecting = await verifyWith({ build: [0], unit: [green, gone] }, [0, green])
  expect(inspecting).toEqual({ ...broken, ...before, ran: ['build: 0', 'unit: 0'] })
})

test('the base commit is told that was known, where it fails at the same step alone', async () => {
  const found = { ...nothing, status: 'FAIL', ran: ['build: 0', 'unit: 1'] }
  const asked = { isBaseKnown: true }
  expect(await verifyWith({ build: [0], unit: [1] }, [0, 1], asked)).toEqual({ ...found, also: 'step', base: 'FAIL' })
  expect(await verifyWith({ build: [0], unit: [1] }, [0, 0], asked)).toEqual(found)
})

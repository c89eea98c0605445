import { beforeEach, describe, expect, test } from 'vitest'
import type { Program } from '../world/sandbox.ts'
import { type MemoryGate, makeMemoryGate } from './memory-gate.ts'

/** Each program prints that it runs, and the steps see its output files. */
const programs: Readonly<Record<string, Program>> = {
  install(seen) {
    seen.write('deps/installed', seen.read('lock') ?? '')
    return { exitCode: 0, output: 'ran\n' }
  },
  'install what stands in a.txt': (seen) => {
    seen.write('deps/installed', seen.read('a.txt') ?? '')
    return 0
  },
  'install one alone': (seen) => {
    seen.write('deps/installed', '')
    return seen.read('lock') === 'one\n' ? 0 : { exitCode: 1, output: 'not one\n' }
  },
  check: (seen) => ({ exitCode: 0, output: seen.read('deps/installed') ?? 'nothing is installed\n' }),
}
const steps = [{ command: 'check' }]

let world: MemoryGate
let isBroken: boolean
beforeEach(() => {
  isBroken = false
  const own: Program = (seen) => {
    seen.write('deps/installed', '')
    return isBroken ? 1 : 0
  }
  world = makeMemoryGate({ lock: 'one\n', 'a.txt': 'a\n', 'sub/x': 'x\n' }, { ...programs, 'install as it goes': own })
})

describe('a dependency layer', () => {
  test('of a change with other inputs is made again, and one with the same inputs uses the base’s', async () => {
    const asked = { prepare: [{ command: 'install' }], steps }
    const base = await world.ask(asked)
    const same = await world.ask({ ...asked, commit: world.commitChange({ 'a.txt': 'b\n' }) })
    const other = await world.ask({ ...asked, commit: world.commitChange({ lock: 'two\n' }) })
    expect([base.tail_log, same.tail_log, other.tail_log]).toEqual(['ran\none', 'one', 'ran\ntwo'])
    const keys = [base, same, other].map(({ manifest }) => manifest?.dependencies?.[0]?.layer)
    expect([keys[0] === keys[1], keys[0] === keys[2]]).toEqual([true, false])
  })

  test('made by a change is used for that very tree only: what a change plants there is never found by another', async () => {
    const asked = { prepare: [{ command: 'install what stands in a.txt' }], steps }
    await world.ask(asked)
    const planted = await world.ask({ ...asked, commit: world.commitChange({ lock: 'two\n', 'a.txt': 'planted\n' }) })
    const other = await world.ask({ ...asked, commit: world.commitChange({ lock: 'two\n', 'a.txt': 'clean\n' }) })
    const base = await world.ask({ ...asked, commit: world.commitChange({ 'a.txt': 'clean\n' }) })
    expect([planted.tail_log, other.tail_log, base.tail_log]).toEqual(['planted', 'clean', 'a'])
  })
})

describe('a folder that a commit has where an output belongs', () => {
  test('cannot hide from the steps behind the layer: a change that brings it fails', async () => {
    const commit = world.commitChange({ 'deps/evil': 'x\n' })
    expect(await world.ask({ prepare: [{ command: 'install' }], steps, commit })).toMatchObject({
      status: 'FAIL',
      tail_log: '[drydock] install: deps is committed, so it cannot be an output of prepare',
    })
  })

  test('on the base is an INFRA_ERROR that says so', async () => {
    const answer = await world.ask({ prepare: [{ command: 'install', outputs: ['a.txt'] }], steps })
    expect(answer).toMatchObject({ status: 'INFRA_ERROR', error_type: 'prepare_failed' })
    expect(answer.error_message).toContain('a.txt is committed')
  })
})

describe('a prepare step that fails', () => {
  const changed = { lock: 'two\n' }

  test('on the change only is a FAIL that shows it', async () => {
    const asked = { prepare: [{ command: 'install one alone' }], steps }
    const answer = await world.ask({ ...asked, commit: world.commitChange(changed) })
    expect(answer).toMatchObject({
      status: 'FAIL',
      manifest: { commands_executed: [{ name: 'install', exit_code: 1 }] },
    })
    expect(answer.tail_log).toContain('\n[drydock] install: exit code 1\n')
    expect(answer.tail_log).toMatch(
      /\[drydock\] prepare step install fails for this change but not for its base: correct what the log names in lock$/,
    )
  })

  test('on the base now, though it passed before, does not blame the change', async () => {
    const asked = { prepare: [{ command: 'install as it goes' }], steps }
    expect((await world.ask(asked)).status).toBe('PASS')
    isBroken = true
    const answer = await world.ask({ ...asked, commit: world.commitChange(changed) })
    expect(answer).toMatchObject({ status: 'INFRA_ERROR', error_type: 'prepare_failed' })
  })
})

describe('verification.package that a change removed', () => {
  test('is a FAIL that says so, also where something has to be prepared in it', async () => {
    const commit = world.commitChange({ 'sub/x': null })
    for (const prepare of [[], [{ command: 'install' }]]) {
      const answer = await world.ask({ package: 'sub', prepare, steps, commit })
      expect(answer).toMatchObject({ status: 'FAIL', tail_log: expect.stringContaining('sub, which is not a folder') })
    }
  })
})

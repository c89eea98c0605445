import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createContainerSandbox } from '../../../src/adapters/sandbox/container/container-sandbox.ts'
import { importImage, podmanOptions } from '../../contracts/sandboxes.ts'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'
import { base, change, expectEqual, look, ofCommit, seenIn } from './seen-by-steps.ts'

let world: VerifierWorld

beforeEach(async () => {
  world = await makeVerifierWorld({ ...base, lock: 'one\n', '.gitignore': 'node_modules\nout\n' })
})
afterEach(() => world.close())

const installs = {
  command: 'mkdir -p node_modules/dep && cp lock node_modules/dep',
  inputs: ['lock'],
  outputs: ['node_modules'],
}

const podman = () => {
  importImage()
  return createContainerSandbox(podmanOptions)
}

const rows: readonly (readonly [string, () => Partial<VerifierInput>])[] = [
  ['with dependencies, in two lanes', () => ({ prepare: [installs], atOnce: 2 })],
  ['that may write into the tree', () => ({ prepare: [installs], writes: 'overlay' })],
  [
    'behind one that has written into the tree',
    () => ({
      prepare: [installs],
      steps: [{ name: 'build', writes: 'overlay', command: 'mkdir out && date > out/made' }, { command: look }],
    }),
  ],
  ['on few test files', () => ({ narrowFromMs: 0 })],
  ['in a container', () => ({ sandbox: podman() })],
  ['in a container, where it may write into the tree', () => ({ sandbox: podman(), writes: 'overlay' })],
]

describe('a step sees the same in each run', () => {
  test.each(rows)('%s', async (_, how) => {
    const asked = how()
    const commit = await world.commitChange({
      ...change,
      'other.test.js': "import { test } from 'node:test'\n\ntest('other', () => {})\n",
    })
    const seen = await seenIn(world, commit, asked)
    const name = [...seen.keys()].find((each) => /^step-\d+-test\.log$/.test(each)) ?? ''
    expect([...seen.keys()]).toEqual(expect.arrayContaining(['base.log', 'canaries.log', 'hybrid.log', name]))
    // In a container's image the tracer of a new base runs inside.
    const ofBase = asked.sandbox === undefined ? ofCommit : [...ofCommit, 'mounted', 'processes', 'temporary']
    for (const [log, each] of seen)
      expectEqual(each, seen.get(name), { butFor: log === 'base.log' ? ofBase : ['repository'] })
  })

  test('and in the next verification, whose base is known', async () => {
    const first = await seenIn(world, await world.commitChange(change))
    const own = first.get('step-01-test.log')
    const later = { ...change, 'triple.js': 'export function triple(n) {\n  return n + n + n\n}\n' }
    const next = await seenIn(world, await world.commitChange(later), { atOnce: 2 })
    expect([...next.keys()]).toEqual(expect.arrayContaining(['canaries.log', 'hybrid.log', 'step-01-test.log']))
    expect([...next.keys()]).not.toContain('base.log')
    for (const seen of next.values()) expectEqual(seen, own, { butFor: ['repository'] })
  })

  test('with and without caches of tools that a base commit has stored meanwhile', async () => {
    const step = { name: 'keep', command: 'echo kept > "$XDG_CACHE_HOME/kept"' }
    const before = await seenIn(world, await world.commitChange(change), { steps: [step, { command: look }] })
    expect(await world.ask({ steps: [step] })).toMatchObject({ status: 'PASS' })
    const later = { ...change, 'triple.js': 'export function triple(n) {\n  return n + n + n\n}\n' }
    const after = await seenIn(world, await world.commitChange(later), { steps: [step, { command: look }] })
    for (const seen of [before, after]) {
      const own = seen.get('step-02-test.log')
      for (const [log, each] of seen) expectEqual(each, own, { butFor: log === 'base.log' ? ofCommit : ['repository'] })
    }
  })
})

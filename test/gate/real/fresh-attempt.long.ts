import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

/**
 * Lists the files of the cache, the temporary folders, the build and the repository before the
 * change's own script runs.
 */
const command = 'cd "$ARTIFACT_DIR"; ls -A cache tmp build; ls -A /tmp /repo; cd /repo; sh run.sh'
const plant = '$ARTIFACT_DIR/cache $ARTIFACT_DIR/tmp $ARTIFACT_DIR/build /tmp /repo'
  .split(' ')
  .map((folder) => `echo x >"${folder}/planted"`)
  .join('\n')

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({ 'run.sh': ': >"$ARTIFACT_DIR/cache/of-base"\n', 'value.txt': 'old\n' })
  expect((await verify({})).status).toBe('PASS')
})
afterAll(() => world.close())

function verify(asked: Partial<VerifierInput>) {
  const steps = [{ command, timeoutSec: 3 }]
  return world.ask({ steps, writes: 'overlay', assurance: 'fast', ...asked })
}

const change = (script: string) => world.commitOf({ 'run.sh': script })

describe('files of an attempt are never seen again', () => {
  /** Verifies these requests, and the base commit itself. */
  async function expectNothingPlanted(more: readonly Partial<VerifierInput>[]) {
    for (const asked of [...more, {}]) {
      const { tail_log } = await verify(asked)
      expect(tail_log).toContain('of-base')
      expect(tail_log).not.toContain('planted')
    }
  }

  test('also not of a red verification of a base commit itself', async () => {
    const base = await change(`${plant}\nexit 1\n`)
    expect((await verify({ commit: base, base })).status).toBe('FAIL')
    await expectNothingPlanted([])
  })

  test('also not of the steps on the base commit that a change is compared with', async () => {
    const base = await change(`${plant}\n`)
    const commit = await world.commitOf({ 'value.txt': 'new\n' }, base)
    const { tail_log, manifest } = await verify({ commit, base, purpose: 'change', refactor: true })
    expect([tail_log, manifest?.base?.status]).toEqual([expect.not.stringContaining('planted'), 'PASS'])
    expect((await verify({})).tail_log).not.toContain('planted')
  })
})

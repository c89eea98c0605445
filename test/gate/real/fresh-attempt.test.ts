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

  test('after a red attempt, a timeout, or a green one with findings that nobody has accepted', async () => {
    const commits: { readonly commit: string }[] = []
    for (const [script, status] of [
      [`${plant}\nexit 1\n`, 'FAIL'],
      [`${plant}\nsleep 60\n`, 'FAIL'],
      [`${plant}\n`, 'PASS'],
    ] as const) {
      const commit = await change(script)
      const first = await verify({ commit, purpose: 'change', refactor: true })
      expect([first.status, first.tail_log]).toEqual([status, expect.not.stringContaining('planted')])
      if (status === 'PASS') expect(first.manifest?.integrity?.findings).not.toEqual([])
      commits.push({ commit })
    }
    await expectNothingPlanted([...commits.slice(-1), { commit: await change('# other\n') }])
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFiles } from '../../adapters/git/git-world.ts'
import { type Asked, makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

/**
 * Says what a cache, a temporary folder, the build and the repository have before the change's own
 * script is run.
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

function verify(asked: Partial<Asked>) {
  const steps = [{ command, timeoutSec: 3 }]
  return world.ask({ steps, writes: 'overlay', assurance: 'fast', ...asked })
}

async function change(script: string): Promise<string> {
  world.git('reset', '--quiet', '--hard', world.tip)
  writeFiles(world.repository, { 'run.sh': script })
  const commit = world.commitAll()
  await world.userRepository.updateMirror(world.signal)
  return commit
}

describe('what an attempt leaves behind is never seen again', () => {
  test.each([
    ['was red', `${plant}\nexit 1\n`, 'FAIL'],
    ['was ended by its timeout', `${plant}\nsleep 60\n`, 'FAIL'],
    ['was green with findings that nobody has accepted', `${plant}\n`, 'PASS'],
  ])('of one that %s', async (_what, script, status) => {
    const commit = await change(script)
    const first = await verify({ commit, purpose: 'change', refactor: true })
    expect([first.status, first.tail_log]).toEqual([status, expect.not.stringContaining('planted')])
    if (status === 'PASS') expect(first.manifest?.integrity?.findings).not.toEqual([])
    // The same change again, another one, and the base commit itself.
    const other = await change('# other\n')
    for (const asked of [{ commit }, { commit: other }, {}]) {
      const { tail_log } = await verify(asked)
      expect(tail_log).toContain('of-base')
      expect(tail_log).not.toContain('planted')
    }
  })

  test.each([
    ['was red', `${plant}\nexit 1\n`],
    ['was ended by its timeout', `${plant}\nsleep 60\n`],
  ])('of a verification of a base commit itself that %s', async (_what, script) => {
    const base = await change(script)
    expect((await verify({ commit: base, base })).status).toBe('FAIL')
    for (const asked of [{ commit: base, base }, {}]) {
      const { tail_log } = await verify(asked)
      expect(tail_log).toContain('of-base')
      expect(tail_log).not.toContain('planted')
    }
  })

  test('of the steps on the base commit that a change is compared with', async () => {
    const base = await change(`${plant}\n`)
    writeFiles(world.repository, { 'value.txt': 'new\n' })
    const commit = world.commitAll()
    await world.userRepository.updateMirror(world.signal)
    const { tail_log, manifest } = await verify({ commit, base, purpose: 'change', refactor: true })
    expect([tail_log, manifest?.base?.status]).toEqual([expect.not.stringContaining('planted'), 'PASS'])
    expect((await verify({})).tail_log).not.toContain('planted')
  })
})

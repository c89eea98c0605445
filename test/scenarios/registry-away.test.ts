import { afterEach, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../world/fixture.ts'
import type { Program } from '../world/sandbox.ts'
import { call, change, passWhenNew, plan, resultOf } from './world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const host = 'packages.example.org'
const lanesOf = (story: string) => ({
  [`editor/${story}/PLANNING`]: [plan({ files: ['value.txt', 'lock'] })],
  [`editor/${story}/CODING`]: [
    call('write_file', { path: 'value.txt', content: 'new\n' }),
    call('write_file', { path: 'lock', content: 'two\n' }),
    change(),
  ],
})

/** A repository whose `prepare` needs a registry, which has gone while `isAway` says so. */
async function given(isAway: (lock: string) => boolean): Promise<void> {
  const install: Program = (seen) => {
    seen.write('deps/installed', seen.read('lock') ?? '')
    return isAway(seen.read('lock') ?? '') ? { exitCode: 1, output: 'npm error\n', unreached: [host] } : 0
  }
  const prepare = [{ name: 'install', command: 'install', inputs: ['lock'], outputs: ['deps'], network: ['registry'] }]
  const config = JSON.stringify({ verification: { prepare, steps: [passWhenNew] } })
  fixture = await createFixture({
    files: { lock: 'one\n', '.gitignore': 'deps\n', '.drydock/config.json': config },
    programs: { install },
  })
}

test.each([
  ['at the start', () => true],
  ['once the change has its own lock file', (lock: string) => lock === 'two\n'],
])('a registry that is away %s is named, is not the change’s fault, and resume goes on', async (_when, fails) => {
  let isAway = true
  await given((lock) => isAway && fails(lock))
  const model = await fixture.replay(lanesOf('task'))
  const ended = await fixture.drydock('task', 'say new', '--json', '--model', model)
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(4)
  expect(resultOf(ended)).toMatchObject({ status: 'INFRA_ERROR' })
  const report = (await fixture.drydock('report')).stdout
  expect(report).toContain(`had no connection to ${host}`)
  expect(report).toContain('Once the host can be reached, continue with: drydock resume')
  isAway = false
  const again = await fixture.drydock('resume', '--json', '--model', await fixture.replay(lanesOf('task@2')))
  expect(again.exitCode, again.stdout + again.stderr).toBe(3)
  expect(resultOf(again)).toMatchObject({ status: 'DONE', run: resultOf(ended).run })
})

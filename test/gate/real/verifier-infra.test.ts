import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import { makeVerifierWorld, processesWith, until, type VerifierWorld } from '../verifier-world.ts'

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld()
})
afterAll(() => world.close())

/** The answer if no step could even start. */
const nothingRan = (runId: string, errorType: string, message: RegExp) => ({
  status: 'INFRA_ERROR',
  run_id: runId,
  tail_log: null,
  artifact_paths: null,
  manifest: null,
  error_type: errorType,
  error_message: expect.stringMatching(message),
})

const passes = async () => expect(await world.ask('true')).toMatchObject({ status: 'PASS' })

describe('an INFRA_ERROR', () => {
  test('without bubblewrap is sandbox_unavailable, has the line that installs it and runs nothing on the host', async () => {
    const marker = join(world.top, 'ran-on-the-host')
    const sandbox = createBubblewrap({ hostPath: join(world.top, 'no-programs') })
    const answer = await world.ask({ sandbox, steps: [{ command: `touch '${marker}'` }] })
    expect(answer).toMatchObject({
      status: 'INFRA_ERROR',
      error_type: 'sandbox_unavailable',
      error_message: expect.stringContaining('apt-get install bubblewrap'),
      tail_log: '',
      artifact_paths: ['logs/combined.log', 'logs/step-01-test.log', 'manifest.json'],
      manifest: { status: 'INFRA_ERROR', commands_executed: [] },
    })
    expect(readdirSync(world.top)).not.toContain('ran-on-the-host')
    expect(JSON.parse(world.read(answer.run_id, 'manifest.json'))).toEqual(answer.manifest)
  })

  test('is container_creation when a folder that is to be shown does not exist', async () => {
    const readOnlyPaths = [join(world.top, 'no-such-toolchain')]
    const answer = await world.ask({ readOnlyPaths, steps: [{ command: 'true' }] })
    expect(answer).toMatchObject({
      status: 'INFRA_ERROR',
      error_type: 'container_creation',
      error_message: expect.stringContaining('no-such-toolchain'),
      manifest: { status: 'INFRA_ERROR', commands_executed: [] },
    })
    mkdirSync(readOnlyPaths[0] ?? '')
    expect(await world.ask({ readOnlyPaths, steps: [{ command: 'true' }] })).toMatchObject({ status: 'PASS' })
  })

  test('is checkout_failed when the commit does not exist, and the next verification works', async () => {
    const runId = world.newRunId()
    const answer = await world.ask({ runId, commit: '1'.repeat(40), steps: [{ command: 'true' }] })
    expect(answer).toStrictEqual(nothingRan(runId, 'checkout_failed', /1111111/))
    await passes()
  })

  test('is checkout_failed while something else lies where the checkout belongs', async () => {
    const runId = world.newRunId()
    const inTheWay = join(world.state, 'checkouts', 'coder-009')
    writeFileSync(inTheWay, 'a file')
    const asked = { runId, checkout: 'coder-009', steps: [{ command: 'true' }] }
    expect(await world.ask(asked)).toMatchObject({
      status: 'INFRA_ERROR',
      error_type: 'checkout_failed',
      error_message: expect.stringContaining('coder-009'),
      manifest: { status: 'INFRA_ERROR', commands_executed: [] },
    })
    rmSync(inTheWay)
    expect(await world.ask(asked)).toMatchObject({ status: 'PASS', run_id: runId })
  })

  test('is unknown when the artifacts have no place, and does not blame the checkout', async () => {
    const runId = world.newRunId()
    const artifacts = join(world.top, 'artifacts-file')
    writeFileSync(artifacts, 'a file')
    const answer = await world.ask({ runId, artifacts, steps: [{ command: 'true' }] })
    expect(answer).toStrictEqual(nothingRan(runId, 'unknown', /artifacts-file/))
  })

  test('is unknown when the sandbox breaks in the middle, with what ran before it on record', async () => {
    const sandbox = {
      ...world.sandbox,
      exec: (...[spec, command, signal]: Parameters<typeof world.sandbox.exec>) => {
        if (command.command === 'second') throw new Error('it broke')
        return world.sandbox.exec(spec, command, signal)
      },
    }
    const steps = [
      { name: 'one', command: 'echo first' },
      { name: 'two', command: 'second' },
    ]
    expect(await world.ask({ sandbox, steps })).toMatchObject({
      status: 'INFRA_ERROR',
      error_type: 'unknown',
      error_message: 'it broke',
      tail_log: 'first',
      manifest: { status: 'INFRA_ERROR', commands_executed: [{ name: 'one', exit_code: 0 }] },
    })
  })

  test('is resource_exhaustion when the sandbox is killed from outside, as by the kernel, and not a FAIL', async () => {
    const runId = world.newRunId()
    const running = world.ask({ runId, steps: [{ command: 'touch "$ARTIFACT_DIR/build/up"; sleep 86441' }] })
    await until(() => existsSync(join(world.folder(runId), 'build/up')))
    process.kill(Number(outermost()), 'SIGKILL')
    expect(await running).toMatchObject({ status: 'INFRA_ERROR', error_type: 'resource_exhaustion' })
    expect(processesWith('86441')).toBe(0)
  })
})

/** The process that this one has started for the sandbox whose command has these words. */
function outermost(): string | null {
  const ours = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === process.pid)
  return ours.find((pid) => read(`/proc/${pid}/cmdline`).includes('86441')) ?? null
}

function parentOf(pid: string): number {
  return Number(/^\d+ \(.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1])
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

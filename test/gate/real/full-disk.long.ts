import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import {
  type CommandResult,
  createFixture,
  type Fixture,
  type FixtureOptions,
  parseEvents,
  resultOf,
} from '../../scenarios/world/fixture.ts'

let fixture: Fixture
const given = async (options?: FixtureOptions) => {
  fixture = await createFixture(options)
}
afterEach(() => fixture.remove())

const answerOf = (result: CommandResult) => resultOf(result).answer as VerifierResponse
describe('with a full disk', () => {
  test('nothing is lost and nothing runs; with space again all goes on', async () => {
    await given({ steps: [{ name: 'test', command: 'true' }] })
    const [first, full, status, later] = await onSmallDisk(
      'drydock verify --json',
      'head -c 1G /dev/zero > "$STATE/ballast" 2>/dev/null; drydock verify --json',
      'rm "$STATE/ballast"; drydock status --json',
      'drydock verify --json',
    )
    expect(first?.exitCode).toBe(0)
    expect(full).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('no space left') })
    expect(full?.events).toContainEqual(expect.objectContaining({ type: 'error', code: 'disk_full' }))
    expect(status).toMatchObject({ exitCode: 0, events: [expect.objectContaining({ state: 'DONE' })] })
    expect(later?.exitCode).toBe(0)
  })

  test('a step that filled it is a resource_exhaustion on record, and what it wrote is gone', async () => {
    const command = 'head -c 50000000 /dev/zero > "$ARTIFACT_DIR/build/large" || echo full'
    await given({ steps: [{ name: 'test', command }] })
    const [full, later] = await onSmallDisk(
      'drydock verify --json',
      'test $(df --output=used -k "$STATE" | tail -1) -lt 4000 || exit 99; mount -o remount,size=100m "$STATE"; drydock verify --json',
    )
    expect(full?.exitCode).toBe(4)
    expect(full && answerOf(full)).toMatchObject({
      status: 'INFRA_ERROR',
      error_type: 'resource_exhaustion',
      error_message: expect.stringMatching(/run out of disk space.*ENOSPC/),
    })
    expect(later && answerOf(later)).toMatchObject({ status: 'PASS', tail_log: '' })
  })

  test('a step whose log filled it stops with what to do, and `resume` does it again', async () => {
    await given({ steps: [{ name: 'test', command: 'yes | head -c 20000000' }] })
    const [full, later] = await onSmallDisk(
      'drydock verify --json',
      'mount -o remount,size=100m "$STATE"; drydock resume --json',
    )
    expect(full).toMatchObject({ exitCode: 4, stderr: expect.stringMatching(/no space left.*\n.*drydock resume/i) })
    expect(later && answerOf(later).status).toBe('PASS')
  })
})

const program = join(import.meta.dirname, '../../../src/cli/main.ts')

/**
 * Runs each line of a shell with a state of 6 MB that is gone afterwards; `drydock` is the real
 * program in a process of its own.
 */
async function onSmallDisk(...lines: readonly string[]): Promise<readonly CommandResult[]> {
  const state = fixture.env.DRYDOCK_HOME ?? ''
  await mkdir(state)
  const script = [
    'drydock() { "$NODE" "$PROGRAM" "$@" --repo "$REPO"; }',
    'mount -t tmpfs -o size=6m none "$STATE" || exit 1',
    ...lines.map((line, i) => `(${line}) > "$OUT/${i}.out" 2> "$OUT/${i}.err"; echo $? > "$OUT/${i}.code"`),
  ].join('\n')
  const env = {
    ...fixture.env,
    STATE: state,
    REPO: fixture.repo,
    OUT: fixture.folder,
    NODE: process.execPath,
    PROGRAM: program,
  }
  const unshared = ['--user', '--map-root-user', '--mount', 'sh', '-c', script]
  await promisify(execFile)('unshare', unshared, { env, timeout: 300_000 })
  const read = (i: number, what: string) => readFile(join(fixture.folder, `${i}.${what}`), 'utf8')
  return Promise.all(
    lines.map(async (_line, i) => {
      const stdout = await read(i, 'out')
      const exitCode = Number(await read(i, 'code'))
      return { exitCode, stdout, stderr: await read(i, 'err'), events: parseEvents(stdout) }
    }),
  )
}
